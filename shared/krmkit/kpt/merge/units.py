"""Match the resources of three versions of a package.

The upstream sides are identified by their own group, kind, namespace and name; their upstream-identifier is ignored, as
in kpt. A local resource is identified by its own name if it still has it, else by its upstream-identifier, so that a
renamed one is found again. Files count: a resource is matched in its file, or in the only other file that has it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from krmkit.kpt.source import FileResource, SourceFile
from krmkit.krm.annotations import IDENTIFIER
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource

Sources = Mapping[str, tuple[SourceFile | None, SourceFile | None, SourceFile | None]]

Key = tuple[str, int]
"""An identifier, and the number of resources before it in the file with the same identifier."""


# What kpt writes into the text of a fetched resource: its namespace and name in upstream.
_COMMENT = re.compile(r"^metadata:[ \t]*# kpt-merge: ([^\s/]*)/(\S+)", re.MULTILINE)


@dataclass(slots=True, eq=False)
class MergeUnit:
    """One resource in the versions that have it. `path` is its file upstream, `place` the local one."""

    path: str
    key: Key
    base: FileResource | None = None
    upstream: FileResource | None = None
    local: FileResource | None = None
    place: str = ""


@dataclass(slots=True)
class MergeUnits:
    """The units of a package by file and key, and the local resources that upstream lacks, by file.

    `of_local`: the unit of a local resource by its id(); `named`: all local resources and their files by their own
    identifiers.
    """

    units: dict[tuple[str, Key], MergeUnit] = field(default_factory=dict)
    strangers: dict[str, list[FileResource]] = field(default_factory=dict)
    of_local: dict[int, MergeUnit] = field(default_factory=dict)
    named: dict[str, list[tuple[str, FileResource]]] = field(default_factory=dict)

    def unit(self, item: FileResource) -> MergeUnit | None:
        """The unit of a local resource."""
        return self.of_local.get(id(item))

    def fresh(self) -> dict[int, MergeUnit]:
        """The units that are new upstream, by the id() of their resource."""
        return {
            id(unit.upstream): unit
            for unit in self.units.values()
            if unit.upstream is not None and unit.base is None and unit.local is None
        }

    def holder(self, name: str) -> str:
        """The local file and resource that have a name of another upstream resource; "" if there is none."""
        for path, item in self.named.get(name, ()):
            unit = self.unit(item)
            if unit is None or unit.key[0] != name:
                return f"{who(item)} in {path}"
        return ""

    def claim(self, unit: MergeUnit, item: FileResource, place: str) -> None:
        unit.local, unit.place = item, place
        self.of_local[id(item)] = unit


def identifier(item: Resource) -> str:
    """The identity of a resource, in kpt's form: `apps|Deployment|default|web`."""
    group, slash, _ = item.api_version.rpartition("/")
    return f"{group if slash else ''}|{item.kind}|{item.namespace or 'default'}|{item.name}"


def mark_of(item: Resource) -> str:
    """The identity that a resource had when it was fetched, "" if nothing tells: kpt's comment first, then its annotation."""
    if "# kpt-merge:" in item.text:
        found = _COMMENT.search(item.text)
        if found:
            group, slash, _ = item.api_version.rpartition("/")
            return f"{group if slash else ''}|{item.kind}|{found[1] or 'default'}|{found[2]}"
    return item.annotation(IDENTIFIER)


def who(item: Resource) -> str:
    """`ConfigMap app`, for messages."""
    return f"{item.kind} {item.name}"


def units_of(sources: Sources) -> MergeUnits:
    """Match the resources of all files.

    Raises Refused. sources: path -> (base, upstream, local), None for an absent file.
    """
    matched = MergeUnits()
    for path, (base, upstream, _) in sources.items():
        for key, item in _keyed(base):
            matched.units[path, key] = MergeUnit(path, key, base=item)
        for key, item in _keyed(upstream):
            matched.units.setdefault((path, key), MergeUnit(path, key)).upstream = item
    by_path: dict[str, dict[Key, MergeUnit]] = defaultdict(dict)
    for (path, key), unit in matched.units.items():
        by_path[path][key] = unit
    for path, (_, _, local) in sources.items():
        if local is not None:
            for item in local.items:
                matched.named.setdefault(identifier(item), []).append((path, item))
            matched.strangers[path] = _claimed_in(path, local, by_path[path], matched)
    _claim_moved(matched)
    return matched


def _keyed(file: SourceFile | None) -> list[tuple[Key, FileResource]]:
    counts: dict[str, int] = defaultdict(int)
    keyed = []
    for item in file.items if file is not None else ():
        name = identifier(item)
        keyed.append(((name, counts[name]), item))
        counts[name] += 1
    return keyed


def _claimed_in(
    path: str, local: SourceFile, units: Mapping[Key, MergeUnit], found: MergeUnits
) -> list[FileResource]:
    """Give each unit of a file its local resource; returns those that are left."""
    waiting = _keyed(local)
    marks = {id(item): mark_of(item) for _, item in waiting}
    # Resources that still have their name, and no mark of another.
    own = [(key, item) for key, item in waiting if marks[id(item)] in ("", key[0])]
    _claim(found, path, own, units)
    # Renamed resources.
    renamed = [((marks[id(item)], 0), item) for _, item in waiting if found.unit(item) is None]
    _refuse_doubles(
        path, [(key[0], item) for key, item in renamed if key in units and units[key].local is None]
    )
    _claim(found, path, renamed, units)
    # Resources with a mark from another package.
    _claim(found, path, [(key, item) for key, item in waiting if found.unit(item) is None], units)
    return [item for _, item in waiting if found.unit(item) is None]


def _claim(
    found: MergeUnits, path: str, items: Iterable[tuple[Key, FileResource]], units: Mapping[Key, MergeUnit]
) -> None:
    for key, item in items:
        unit = units.get(key)
        if unit is not None and unit.local is None:
            found.claim(unit, item, path)


def _refuse_doubles(path: str, claims: list[tuple[str, FileResource]]) -> None:
    by_mark: dict[str, list[FileResource]] = defaultdict(list)
    for mark, item in claims:
        by_mark[mark].append(item)
    for mark, items in by_mark.items():
        if len(items) > 1:
            raise Refused(
                f"{path}: {' and '.join(who(item) for item in items)} carry the same {IDENTIFIER} {mark}, and none of"
                " them has that name; remove the annotation from each that is not upstream's"
            )


def _claim_moved(found: MergeUnits) -> None:
    """Match resources that were moved to another file, if there is exactly one candidate."""
    missing: dict[str, list[MergeUnit]] = defaultdict(list)
    for unit in found.units.values():
        if unit.base is not None and unit.local is None:
            missing[unit.key[0]].append(unit)
    lost = {name: units[0] for name, units in missing.items() if len(units) == 1}
    if not lost:
        return
    moved: dict[str, list[tuple[str, FileResource]]] = defaultdict(list)
    for path, items in found.strangers.items():
        for item in items:
            mark = mark_of(item)
            name = mark if mark in lost else identifier(item)
            if name in lost:
                moved[name].append((path, item))
    for name, places in moved.items():
        if len(places) == 1:
            path, item = places[0]
            found.claim(lost[name], item, path)
            found.strangers[path] = [one for one in found.strangers[path] if one is not item]
