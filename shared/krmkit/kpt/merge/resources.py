"""Three-way merge of the files of one package: resources by identity, texts inside them and other files as texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from krmkit.kpt.merge.conflict import ResourceConflict
from krmkit.kpt.merge.item import merge_item
from krmkit.kpt.merge.stamp import stamped
from krmkit.kpt.merge.text import merge_file
from krmkit.kpt.merge.threeway import UPSTREAM
from krmkit.kpt.merge.unedited import SUFFIXES, data_of, is_same_resource, source
from krmkit.kpt.merge.units import MergeUnit, MergeUnits, identifier, units_of, who
from krmkit.kpt.source import FileResource, SourceFile, joined
from krmkit.krm.annotations import IDENTIFIER
from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.data import same_data
from krmkit.libraries.yaml.errors import YamlError

Files = dict[str, bytes]
Versions = tuple[SourceFile | None, SourceFile | None, SourceFile | None]


@dataclass(slots=True)
class FileMerge:
    """Merges the files of one package, subpackages and the Kptfile left out.

    `prefer`: the side that wins where both changed a value.
    """

    base: Files
    upstream: Files
    local: Files
    prefer: str = UPSTREAM
    conflicts: list[ResourceConflict] = field(default_factory=list)

    def merge(self) -> Iterator[tuple[str, bytes | None]]:
        """Yield (path, new content) of each file that the merge changes; None if the file is removed.

        Raises Refused, YamlError.
        """
        paths = sorted({*self.base, *self.upstream, *self.local})
        # Files that upstream did not change need no merge.
        moved = [path for path in paths if self.base.get(path) != self.upstream.get(path)]
        sources: dict[str, Versions] = {}
        for path in paths if any(path.endswith(SUFFIXES) for path in moved) else ():
            versions = self._sources(path) if path.endswith(SUFFIXES) else None
            if versions is not None:
                sources[path] = versions
        units = units_of(sources)
        self._follow_upstream(units)
        for unit in units.units.values():
            self._report_absent(unit, units)
        fresh = units.fresh()
        for path in paths if sources else moved:
            versions = sources.get(path)
            if versions is None:
                yield from self._whole_file(path)
            else:
                yield from self._resources(path, versions, units, fresh)

    def _sources(self, path: str) -> Versions | None:
        """The three versions as resources; None if one of them holds something else."""
        try:
            base, upstream, local = (
                source(path, files[path]) if path in files else None
                for files in (self.base, self.upstream, self.local)
            )
        except (Refused, YamlError, UnicodeDecodeError):
            return None
        return base, upstream, local

    def _whole_file(self, path: str) -> Iterator[tuple[str, bytes | None]]:
        """Merge a file without resources."""
        old, new, here = self.base.get(path), self.upstream.get(path), self.local.get(path)
        if new in (old, here):
            return
        if here == old:
            yield path, new
        elif here is None:
            upstream = self.prefer == UPSTREAM
            end = "comes back, as upstream has it" if upstream else "stays deleted"
            self._tell(path, "", f"changed upstream, deleted locally: {end}")
            if upstream:
                yield path, new
        elif new is None:
            self._tell(path, "", "deleted upstream, edited locally: the local file stays")
        else:
            merged = self._merged_text(path, old or b"", new, here)
            if merged != here:
                yield path, merged

    def _merged_text(self, path: str, old: bytes, new: bytes, here: bytes) -> bytes:
        merged, conflicts = merge_file(path, old, new, here, self.prefer)
        if conflicts is None:
            self._tell(path, "", "changed upstream and edited locally, and no text: the local file stays")
        self.conflicts += [ResourceConflict.of(path, "", one) for one in conflicts or ()]
        return merged

    def _follow_upstream(self, units: MergeUnits) -> None:
        """Apply upstream's changes to a locally edited resource in its local file, though upstream moved it to another."""
        fresh: dict[str, list[MergeUnit]] = {}
        for unit in units.units.values():
            if unit.base is None and unit.local is None:
                fresh.setdefault(unit.key[0], []).append(unit)
        for unit in list(units.units.values()) if fresh else ():
            there = fresh.get(unit.key[0], [])
            if unit.upstream is None and unit.local is not None and unit.base is not None and len(there) == 1:
                if not is_same_resource(unit.base, unit.local):
                    unit.upstream = there[0].upstream
                    del units.units[there[0].path, there[0].key]

    def _report_absent(self, unit: MergeUnit, units: MergeUnits) -> None:
        """Report an upstream resource that is not added: it was deleted locally, or its name is taken."""
        upstream = unit.upstream
        if unit.local is not None or upstream is None:
            return
        if unit.base is not None:
            if unit.base.original != upstream.original and not same_data(
                data_of(unit.base), data_of(upstream)
            ):
                others = [one for one in units.strangers.get(unit.path, ()) if one.kind == upstream.kind]
                hint = ""
                if others and not any(one.annotation(IDENTIFIER) for one in others):
                    hint = f" (if {' or '.join(map(who, others))} is this one, renamed, annotate it with {IDENTIFIER}: '{identifier(upstream)}')"
                self._tell(
                    unit.path, who(upstream), f"changed upstream, deleted locally: stays deleted{hint}"
                )
            return
        taken = units.holder(identifier(upstream))
        if taken:
            unit.upstream = None
            self._tell(unit.path, who(upstream), f"added upstream, but {taken} has its name: left out")

    def _resources(
        self, path: str, versions: Versions, units: MergeUnits, fresh: Mapping[int, MergeUnit]
    ) -> Iterator[tuple[str, bytes | None]]:
        _, new, here = versions
        items: list[FileResource] = []
        for item in here.items if here is not None else ():
            unit = units.unit(item)
            if unit is None or self._keeps(unit, item):
                items.append(item)
        items += [stamped(item) for item in (new.items if new is not None else ()) if id(item) in fresh]
        if here is None:
            # A locally deleted file comes back only with resources that are new upstream.
            if items and new is not None:
                yield path, (new.joined(items) if len(items) == len(new.items) else joined(items)).encode()
        elif not items and here.items:
            yield path, None
        elif items:
            content = here.joined(items).encode()
            if content != self.local[path]:
                yield path, content

    def _keeps(self, unit: MergeUnit, item: FileResource) -> bool:
        """Merge one local resource in place; False if it is removed."""
        base, upstream = unit.base, unit.upstream
        if upstream is None:
            if base is None:
                return True
            if unit.place != unit.path:
                self._tell(unit.place, who(item), f"deleted upstream, moved here from {unit.path}: kept")
                return True
            if is_same_resource(base, item):
                return False
            self._tell(unit.place, who(item), "deleted upstream, edited locally: kept")
            return True
        if base is not None and base.original == upstream.original:
            return True
        if base is not None and (text := _upstream_text(base, upstream, item)):
            item.revert(text, changed=True)
            return True
        conflicts = merge_item(unit.place, base, upstream, item, self.prefer)
        self.conflicts += [ResourceConflict.of(unit.place, who(item), one) for one in conflicts]
        return True

    def _tell(self, path: str, resource: str, message: str) -> None:
        self.conflicts.append(ResourceConflict(path, resource, (), message))


def _upstream_text(base: FileResource, upstream: FileResource, local: FileResource) -> str:
    """Upstream's text for a resource whose text is unchanged since the clone; "" for others."""
    if local.original == base.original:
        return upstream.original
    if (
        IDENTIFIER in local.original
        and len(local.original) < len(base.original) + 2 * len(identifier(base)) + 100
    ):
        if stamped(_copy(base)).text == local.original:
            return stamped(_copy(upstream)).text
    return ""


def _copy(item: FileResource) -> FileResource:
    return FileResource(item.original, item.location, item.label, item.limits)
