"""Match the resources of two versions of a package: within a file first, then across files.

The criteria, in order: name and mark together, the name where a mark is missing, the mark, the name. So a
copy, whose mark is its original's, never takes the original's place, and a renamed resource is found.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from krmkit.kpt.merge.stamp import identifier, mark_of
from krmkit.kpt.merge.tree import is_kptfile
from krmkit.kpt.merge.unedited import SUFFIXES, source
from krmkit.kpt.source import FileResource, SourceFile
from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.errors import YamlError

Placed = tuple[str, FileResource]
"""A resource and the path of its file."""


@dataclass(frozen=True, slots=True, eq=False)
class _One:
    path: str
    item: FileResource
    name: str
    mark: str

    @classmethod
    def of(cls, path: str, item: FileResource, marked: bool) -> _One:
        if is_kptfile(path):
            return cls(path, item, path, path)
        name = identifier(item)
        return cls(path, item, name, mark_of(item) if marked else name)


Key = Callable[[_One], Any]


def _name(one: _One) -> Any:
    return one.name


def _mark(one: _One) -> Any:
    return one.mark


def _unmarked(one: _One) -> Any:
    return not one.mark and one.name


def _both(one: _One) -> Any:
    return one.name, one.mark or one.name


_ORDER: tuple[tuple[Key, Key], ...] = (
    (_both, _both), (_unmarked, _name), (_name, _unmarked), (_mark, _mark), (_mark, _name), (_name, _name), (_name, _mark),
)  # fmt: skip


def matched(
    ones: Iterable[Placed],
    others: Iterable[Placed],
    generated: bool = False,
    marks: tuple[bool, bool] = (True, True),
) -> dict[int, FileResource]:
    """Return the matching resource of `others` for each of `ones`, by id() of the latter.

    Each resource is matched once; across files only if there is one candidate. `generated`: one version was
    made from the other, so file, kind and order count, too. `marks`: whether each side's marks count;
    upstream's may name another clone.
    """
    found: dict[int, FileResource] = {}
    waiting = [_One.of(*placed, marks[0]) for placed in ones]
    free = [_One.of(*placed, marks[1]) for placed in others]
    if generated and len({(one.path, one.name) for one in waiting}) < len(waiting):
        # Of one name in one file: what was made of each is in its place.
        sides = [[(one.path, one.item.kind, one.mark) for one in side] for side in (waiting, free)]
        if sides[0] == sides[1]:
            return {id(one.item): other.item for one, other in zip(waiting, free, strict=True)}
    for unique in (False, True):
        for mine, its in _ORDER:
            waiting, free = _take(found, waiting, free, mine, its, unique)
    if generated:
        _take(found, waiting, free, _kind, _kind, unique=False)
    return found


def _kind(one: _One) -> str:
    return one.item.kind


def _take(
    found: dict[int, FileResource], waiting: list[_One], free: list[_One], mine: Key, its: Key, unique: bool
) -> tuple[list[_One], list[_One]]:
    """Match resources with equal keys, across files if `unique`; return the unmatched ones of both sides."""
    if not waiting or not free:
        return waiting, free
    places: dict[Any, list[_One]] = defaultdict(list)
    for other in free:
        if key := its(other):
            places[key if unique else (other.path, key)].append(other)
    claims = Counter(mine(one) for one in waiting) if unique else Counter[Any]()
    taken: set[int] = set()
    for one in waiting:
        key = mine(one)
        those = places.get(key if unique else (one.path, key))
        if those and (not unique or len(those) == 1 == claims[key]):
            other = those.pop(0)
            found[id(one.item)] = other.item
            taken.add(id(other))
    if not taken:
        return waiting, free
    left = [one for one in waiting if id(one.item) not in found]
    return left, [other for other in free if id(other) not in taken]


def source_or_none(path: str, content: bytes | None) -> SourceFile | None:
    """Return a file of resources; None if it is absent or cannot be read as one."""
    if content is None or not (path.endswith(SUFFIXES) or is_kptfile(path)):
        return None
    try:
        return source(path, content)
    except (Refused, YamlError, UnicodeDecodeError):
        return None
