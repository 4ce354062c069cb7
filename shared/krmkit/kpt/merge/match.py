"""Match the resources of two versions of a package: by names before marks, in their own file before other files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from krmkit.kpt.merge.unedited import SUFFIXES, source
from krmkit.kpt.merge.units import identifier, mark_of
from krmkit.kpt.source import FileResource, SourceFile
from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.errors import YamlError

KPTFILE = "Kptfile"

Placed = tuple[str, FileResource]
"""A resource and the path of its file."""


class _One:
    """One resource with what it is matched by; a Kptfile by its path alone."""

    __slots__ = ("item", "kind", "mark", "name", "path")

    def __init__(self, path: str, item: FileResource) -> None:
        self.path, self.item, self.kind = path, item, item.kind
        own = is_kptfile(path)
        self.name = path if own else identifier(item)
        self.mark = "" if own else mark_of(item)


Key = Callable[[_One], Any]
_IN_FILE: tuple[tuple[Key, Key], ...] = (
    (lambda one: (one.path, one.name), lambda one: (one.path, one.name)),
    (lambda one: one.mark and (one.path, one.mark), lambda one: one.mark and (one.path, one.mark)),
    (lambda one: one.mark and (one.path, one.mark), lambda one: (one.path, one.name)),
    (lambda one: (one.path, one.name), lambda one: one.mark and (one.path, one.mark)),
)
_ELSEWHERE: tuple[tuple[Key, Key], ...] = (
    (lambda one: one.name, lambda one: one.name),
    (lambda one: one.mark, lambda one: one.mark),
    (lambda one: one.mark, lambda one: one.name),
    (lambda one: one.name, lambda one: one.mark),
)


def matched(
    ones: Iterable[Placed], others: Iterable[Placed], generated: bool = False
) -> dict[int, FileResource]:
    """The resource of `others` that each of `ones` is, by the id() of the one; each of them is taken once.

    A name comes before a mark, so that a copy never takes its original's place, and another file counts only where
    there is one candidate. `generated`: one version was made from the other, so that file, kind and order tell, too.
    """
    found: dict[int, FileResource] = {}
    waiting, free = ([_One(*placed) for placed in side] for side in (ones, others))

    def take(mine: Key, its: Key, unique: bool) -> None:
        nonlocal waiting, free
        if not waiting or not free:
            return
        places: dict[Any, list[_One]] = {}
        for other in free:
            if key := its(other):
                places.setdefault(key, []).append(other)
        if unique:
            claims: dict[Any, int] = {}
            for one in waiting:
                claims[mine(one)] = claims.get(mine(one), 0) + 1
            places = {key: those for key, those in places.items() if len(those) == 1 == claims.get(key, 0)}
        taken: set[int] = set()
        for one in waiting:
            those = places.get(mine(one))
            if those:
                other = those.pop(0)
                found[id(one.item)] = other.item
                taken.add(id(other))
        if taken:
            waiting = [one for one in waiting if id(one.item) not in found]
            free = [other for other in free if id(other) not in taken]

    if generated and len({(one.path, one.name) for one in waiting}) < len(waiting):
        # Of one name in one file: what was made of each is in its place.
        sides = [[(one.path, one.kind, one.mark) for one in side] for side in (waiting, free)]
        if sides[0] == sides[1]:
            return {id(one.item): other.item for one, other in zip(waiting, free, strict=True)}
    for mine, its in _IN_FILE:
        take(mine, its, unique=False)
    for mine, its in _ELSEWHERE:
        take(mine, its, unique=True)
    if generated:
        take(lambda one: (one.path, one.kind), lambda one: (one.path, one.kind), unique=False)
    return found


def is_kptfile(path: str) -> bool:
    """Whether the file at a path is a Kptfile, of the package or of a subpackage."""
    return path.rpartition("/")[2] == KPTFILE


def source_or_none(path: str, content: bytes | None) -> SourceFile | None:
    """A file of resources; None if it is absent or holds anything else."""
    if content is None or not (path.endswith(SUFFIXES) or is_kptfile(path)):
        return None
    try:
        return source(path, content)
    except (Refused, YamlError, UnicodeDecodeError):
        return None
