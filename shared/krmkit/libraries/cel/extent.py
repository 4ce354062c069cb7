"""Upper bounds of CEL values, computed without them: text length, element count, total size.

KnownExtent([{"name": "ab"}]).field("name").characters   # 2
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

READ = 256
"""Characters of a text that are one step of effort to read or to compare."""
MADE = 32
"""Characters of a new text that are one step: they stay in memory, too."""
NUMBER = 32
"""Characters that a number, a time or a duration has at most as a text."""


class Extent:
    """The bounds of one value of any type.

    - `characters`: the length of a text or of bytes.
    - `width`: the elements of a list, or the entries of a map.
    - `total`: the steps to visit every element.
    - `odd`: True if a text in the value has a character by which a regular expression can outgrow its length.
    """

    def __init__(
        self,
        characters: int = 0,
        width: int = 0,
        total: int = 1,
        odd: bool = False,
        inner: Extent | None = None,
        keys: Extent | None = None,
    ) -> None:
        self.characters, self.width = characters, width
        self._total, self._odd = total, odd
        self._inner, self._keys = inner, keys

    @property
    def total(self) -> int:
        """Return the steps to visit every element."""
        return self._total

    @property
    def odd(self) -> bool:
        """Return True if a text in the value has a brace or a backslash."""
        return self._odd

    @property
    def inner(self) -> Extent:
        """Return the bounds of any list element or map value."""
        return self._inner or SCALAR

    @property
    def keys(self) -> Extent:
        """Return the bounds of any map key or list element: what a loop yields."""
        return self._keys or SCALAR

    def field(self, name: str) -> Extent:
        """Return the bounds of the value under a key."""
        return self.inner


SCALAR = Extent()


class KnownExtent(Extent):
    """The bounds of several Python values: texts, bytes, lists, dicts; all others are scalars."""

    def __init__(self, values: list[object]) -> None:
        characters = width = 0
        for value in values:
            if isinstance(value, str | bytes):
                characters = max(characters, len(value))
            elif isinstance(value, list | dict):
                width = max(width, len(value))
        self.characters, self.width = characters, width
        self.values = values

    @cached_property
    def total(self) -> int:
        return max(steps_through([value]) for value in self.values)

    @cached_property
    def odd(self) -> bool:
        return any(map(holds_odd, self.values))

    @cached_property
    def inner(self) -> Extent:
        found: list[object] = []
        for value in self.values:
            if isinstance(value, list | dict):
                found += value.values() if isinstance(value, dict) else value
        return KnownExtent(found) if found else SCALAR

    @cached_property
    def keys(self) -> Extent:
        found = [key for value in self.values if isinstance(value, dict) for key in value]
        listed = [item for value in self.values if isinstance(value, list) for item in value]
        return KnownExtent([*found, *listed]) if found or listed else SCALAR

    def field(self, name: str) -> Extent:
        found = [value[name] for value in self.values if isinstance(value, dict) and name in value]
        return KnownExtent(found) if found else SCALAR


class _EitherExtent(Extent):
    def __init__(self, parts: list[Extent]) -> None:
        super().__init__(
            max(part.characters for part in parts),
            max(part.width for part in parts),
            max(part.total for part in parts),
            any(part.odd for part in parts),
        )
        self._parts = parts

    @cached_property
    def inner(self) -> Extent:
        return either(part.inner for part in self._parts)

    @cached_property
    def keys(self) -> Extent:
        return either(part.keys for part in self._parts)

    def field(self, name: str) -> Extent:
        return either(part.field(name) for part in self._parts)


def either(extents: Iterable[Extent]) -> Extent:
    """Return the bounds of a value that is one of several."""
    parts = [*{id(part): part for part in extents if part is not SCALAR}.values()]
    if len(parts) < 2:
        return parts[0] if parts else SCALAR
    return _EitherExtent(parts)


def text(characters: int, odd: bool = False) -> Extent:
    """Return the bounds of a text of this length."""
    return Extent(characters, 0, 1 + characters // READ, odd)


def collection(width: int, inner: Extent, keys: Extent | None = None, total: int = 0) -> Extent:
    """Return the bounds of a list (its loops yield `inner`) or, with `keys`, of a map.

    `total`: the steps to visit every element, 0 if unknown.
    """
    total = total or 1 + width * (inner.total + (keys.total if keys is not None else 0))
    odd = inner.odd or (keys is not None and keys.odd)
    return Extent(0, width, total, odd, inner, keys if keys is not None else inner)


def is_odd(value: str | bytes) -> bool:
    """Return True for a text with a brace or backslash, which start repeat counts and Unicode classes."""
    if isinstance(value, str):
        return "{" in value or "\\" in value
    return b"{" in value or b"\\" in value


def steps_through(values: Iterable[object]) -> int:
    """Return the steps to visit values: one for each key and value, more for long texts."""
    count = 0
    pending = [values]
    while pending:
        for value in pending.pop():
            count += 1
            # A tuple: `str | bytes` would be made anew for each of many values.
            if isinstance(value, (str, bytes)):
                count += len(value) // READ
            elif isinstance(value, dict):
                pending += (value, value.values())
            elif isinstance(value, list):
                pending.append(value)
    return count


def holds_odd(value: object) -> bool:
    """Return True if a value is an odd text, or holds one."""
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, (str, bytes)):
            if is_odd(value):
                return True
        elif isinstance(value, dict):
            pending += value
            pending += value.values()
        elif isinstance(value, list):
            pending += value
    return False
