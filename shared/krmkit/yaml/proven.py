"""What a process that sees many lists keeps in mind of what it has proven of their items.

The functions of a pipeline are called one after the other with nearly the same items, and what is proven of an item's text
stays true. Only hashes are kept: a text may hold a secret, and would be a hundred times as large. They are Python's own, with
a key that is drawn when the process starts (the worker runs with -I, so nothing can set it), and have 64 bits on any machine of
today: that a new item among 100,000 known ones has the hash of one of them is as good as impossible (5e-15), and cannot be brought
about from outside.
"""

from __future__ import annotations


class Proven:
    """Hashes of items whose quotes and brackets are proven closed, or that no look at their lines proves; when there are
    `most`, it begins anew."""

    __slots__ = ("_is_closed", "_most")

    def __init__(self, most: int = 100_000) -> None:
        self._most = most
        self._is_closed: dict[int, bool] = {}

    def sort(self, items: list[str], pad: int) -> tuple[dict[int, int], list[int]]:
        """The items that are not known, by their numbers, as what `add` takes; the numbers of those that are known to be not
        proven. `pad` is where their dashes stand."""
        known = self._is_closed.get
        unknown = {}
        unproven = []
        for number, key in enumerate([hash((pad, item)) for item in items]):
            is_closed = known(key)
            if is_closed is None:
                unknown[number] = key
            elif not is_closed:
                unproven.append(number)
        return unknown, unproven

    def add(self, unknown: dict[int, int], unproven: set[int]) -> None:
        """Keep in mind what was found out about unknown items; `unproven` has the numbers of those that are not proven."""
        known = self._is_closed
        for number, key in unknown.items():
            if len(known) >= self._most:
                known.clear()
            known[key] = number not in unproven
