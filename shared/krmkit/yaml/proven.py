"""What a process that sees many lists keeps in mind of items whose quotes and brackets it has proven closed.

The functions of a pipeline are called one after the other with nearly the same items, and what is proven of an item's text
stays true. Only digests are kept: a text may hold a secret, and would be a hundred times as large.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Proven:
    """The digests of proven items; when there are `most`, it begins anew."""

    __slots__ = ("_digests", "_most")

    def __init__(self, most: int = 100_000) -> None:
        self._most = most
        self._digests: set[bytes] = set()

    def unknown(self, items: list[str], pad: int) -> dict[int, bytes]:
        """The items that are not known, by their numbers, as what `add` takes. `pad` is where their dashes stand."""
        from hashlib import blake2b

        known = self._digests
        place = f"{pad}\n"
        found = {}
        for number, item in enumerate(items):
            digest = blake2b((place + item).encode("utf-8", "surrogatepass"), digest_size=16).digest()
            if digest not in known:
                found[number] = digest
        return found

    def add(self, digests: Iterable[bytes]) -> None:
        """Keep in mind what was proven."""
        if len(self._digests) >= self._most:
            self._digests.clear()
        self._digests.update(digests)
