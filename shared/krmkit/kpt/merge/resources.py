"""Three-way merge of files: resources by identity, their inner texts and other files as texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from krmkit.kpt.merge.conflict import COMES_BACK, ResourceConflict
from krmkit.kpt.merge.item import merge_item
from krmkit.kpt.merge.match import Placed, matched, source_or_none
from krmkit.kpt.merge.stamp import identifier, mark_of, stamped, who
from krmkit.kpt.merge.text import merge_file
from krmkit.kpt.merge.threeway import UPSTREAM
from krmkit.kpt.merge.unedited import data_of, is_same_resource
from krmkit.kpt.source import FileResource, SourceFile, joined
from krmkit.krm.annotations import IDENTIFIER
from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.data import same_data

Files = Mapping[str, bytes]
Versions = tuple[SourceFile | None, SourceFile | None, SourceFile | None]


@dataclass(slots=True)
class FileMerge:
    """A merge of the changes from `base` to `upstream` into the `local` files.

    `prefer`: the side that wins a conflict. `undoing`: `base` is what a pipeline made from `upstream`:
    Kptfiles are merged whole, resources that only the pipeline made are removed, edited or not, and nothing
    is reported.
    """

    base: Files
    upstream: Files
    local: Files
    prefer: str = UPSTREAM
    undoing: bool = False
    conflicts: list[ResourceConflict] = field(default_factory=list)
    _versions: dict[int, tuple[FileResource | None, FileResource | None]] = field(default_factory=dict)
    _place: dict[int, str] = field(default_factory=dict)
    _sources: dict[str, Versions] = field(default_factory=dict)

    def merge(self) -> Iterator[tuple[str, bytes | None]]:
        """Yield (path, new content) of each file that the merge changes; None if the file is removed.

        Raises Refused, YamlError.
        """
        sides = self.base, self.upstream, self.local
        paths = sorted({*self.base, *self.upstream, *self.local})
        if all(self.base.get(path) == self.upstream.get(path) for path in paths):
            return
        for path in paths:
            contents = [side.get(path) for side in sides]
            if contents[0] == contents[1] == contents[2]:
                continue
            old, new, here = (source_or_none(path, content) for content in contents)
            read = sum(one is not None for one in (old, new, here))
            if read < sum(content is not None for content in contents):
                yield from self._whole_file(path, *contents)
            else:
                self._sources[path] = old, new, here
        yield from self._resources()

    def _whole_file(
        self, path: str, old: bytes | None, new: bytes | None, here: bytes | None
    ) -> Iterator[tuple[str, bytes | None]]:
        if new in (old, here):
            return
        if here == old:
            yield path, new
        elif here is None:
            upstream = self.prefer == UPSTREAM
            end = COMES_BACK if upstream else ": stays deleted"
            self._tell(path, "", f"changed upstream, deleted locally{end}")
            if upstream:
                yield path, new
        elif new is None:
            self._tell(path, "", "deleted upstream, edited locally: the local file stays")
            if self.undoing:
                yield path, None
        else:
            merged, conflicts = merge_file(path, old or b"", new, here, self.prefer)
            if conflicts is None:
                self._tell(path, "", "changed upstream and edited locally, and no text: the local file stays")
            self.conflicts += [ResourceConflict.of(path, "", one) for one in conflicts or ()]
            if merged != here:
                yield path, merged

    def _placed(self, side: int) -> list[Placed]:
        files = ((path, versions[side]) for path, versions in self._sources.items())
        return [(path, item) for path, file in files if file is not None for item in file.items]

    def _resources(self) -> Iterator[tuple[str, bytes | None]]:
        old, new, here = (self._placed(side) for side in range(3))
        self._place = {id(item): path for path, item in (*old, *new, *here)}
        fresh = self._pair(old, new, here)
        kept: dict[str, list[FileResource]] = {path: [] for path in self._sources}
        for path, item in here:
            if place := self._kept(path, item, fresh):
                kept[place].append(item)
        for path, item in new:
            if id(item) in fresh:
                kept[path].append(item if self.undoing else stamped(item))
        for path, items in kept.items():
            content = self._content(items, *self._sources[path])
            if content != self.local.get(path):
                yield path, content

    def _pair(self, old: list[Placed], new: list[Placed], here: list[Placed]) -> set[int]:
        """Find the versions of each local resource; return the id() of resources that are new upstream.

        A new one that was deleted locally, or whose name is taken, is reported and not added.
        """
        marks = self.undoing  # upstream's own marks are of another clone
        was = matched(here, old, marks=(True, marks))
        becomes = matched(old, new, generated=self.undoing, marks=(marks, marks))
        followed = {id(item) for item in becomes.values()}
        fresh = [one for one in new if id(one[1]) not in followed]
        strangers = [one for one in here if id(one[1]) not in was]
        added = {
            mine: item
            for mine, item in matched(strangers, fresh, marks=(True, marks)).items()
            if self._place[mine] == self._place[id(item)]
        }
        for _, item in here:
            before = was.get(id(item))
            after = becomes.get(id(before)) if before is not None else added.get(id(item))
            self._versions[id(item)] = before, after
        self._refuse_doubles(here)
        there = {id(item) for item in (*was.values(), *added.values())}
        for path, item in old:
            if id(item) not in there and id(item) in becomes:
                self._report_deleted(path, item, becomes[id(item)], strangers)
        named: dict[str, list[Placed]] = defaultdict(list)
        for one in here if fresh else ():
            named[identifier(one[1])].append(one)
        wanted = set()
        for path, item in fresh:
            if id(item) in there:
                continue
            name = identifier(item)
            taken = [one for one in named[name] if not self._was_called(one[1], name)]
            if taken:
                said = f"added upstream, but {who(taken[0][1])} in {taken[0][0]} has its name: left out"
                self._tell(path, who(item), said)
            else:
                wanted.add(id(item))
        return wanted

    def _was_called(self, item: FileResource, name: str) -> bool:
        """Return True if a local resource had this name in the base, or has it upstream."""
        before, after = self._versions[id(item)]
        known = before or after
        return known is not None and identifier(known) == name

    def _refuse_doubles(self, here: list[Placed]) -> None:
        claims: dict[tuple[str, str], list[FileResource]] = defaultdict(list)
        for path, item in here:
            if (mark := mark_of(item)) and mark != identifier(item):
                claims[path, mark].append(item)
        for (path, mark), items in claims.items():
            if len(items) > 1 and any(self._was_called(item, mark) for item in items):
                raise Refused(
                    f"{path}: {' and '.join(who(item) for item in items)} carry the same {IDENTIFIER} {mark}, and none of"
                    " them has that name; remove the annotation from each that is not upstream's"
                )

    def _report_deleted(
        self, path: str, old: FileResource, upstream: FileResource, strangers: list[Placed]
    ) -> None:
        if old.original == upstream.original or same_data(data_of(old), data_of(upstream)):
            return
        others = [item for place, item in strangers if place == path and item.kind == upstream.kind]
        hint = ""
        if others and not any(item.annotation(IDENTIFIER) for item in others):
            hint = f" (if {' or '.join(map(who, others))} is this one, renamed, annotate it with {IDENTIFIER}: '{identifier(upstream)}')"
        self._tell(path, who(upstream), f"changed upstream, deleted locally: stays deleted{hint}")

    def _kept(self, path: str, item: FileResource, fresh: set[int]) -> str:
        """Merge one local resource; return its file, "" if it is removed.

        An unedited resource moves to upstream's file.
        """
        old, new = self._versions[id(item)]
        before = self._place[id(old)] if old is not None else path
        if new is None:
            return path if old is None else self._removed(path, before, old, item)
        if old is None:
            self._merge(path, None, new, item)
            return path
        after = self._place[id(new)]
        if path == before != after:
            if item.text == old.text or (not self.undoing and is_same_resource(old, item)):
                fresh.add(id(new))
                return ""
            if self.undoing:
                path = after
        if old.original != new.original:
            if text := _upstream_text(old, new, item):
                item.revert(text, changed=True)
            else:
                self._merge(path, old, new, item)
        return path

    def _merge(self, path: str, old: FileResource | None, new: FileResource, item: FileResource) -> None:
        name = who(item)
        conflicts = merge_item(path, old, new, item, self.prefer, whole=self.undoing)
        self.conflicts += [ResourceConflict.of(path, name, one) for one in conflicts]

    def _removed(self, path: str, before: str, old: FileResource, item: FileResource) -> str:
        """Return the file of a resource that upstream removed, "" if it is removed here, too."""
        if self.undoing or (path == before and is_same_resource(old, item)):
            return ""
        said = "edited locally" if path == before else f"moved here from {before}"
        self._tell(path, who(item), f"deleted upstream, {said}: kept")
        return path

    def _content(
        self,
        items: list[FileResource],
        old: SourceFile | None,
        new: SourceFile | None,
        here: SourceFile | None,
    ) -> bytes | None:
        """Return a file with its merged resources; upstream's own bytes if nobody edited it here."""
        if new is not None and (here is None or (old is not None and here.text == old.text)):
            if [one.text for one in items] == [one.text for one in new.items]:
                # Its own items, as a file keeps the comments between them only with these.
                return new.joined(new.items).encode()
            if here is None and len(items) == len(new.items) > 0:
                return new.joined(items).encode()
        if here is None:
            return joined(items).encode() if items else None
        if not here.items:
            return (here.text + joined(items)).encode()
        return here.joined(items).encode() if items else None

    def _tell(self, path: str, resource: str, message: str) -> None:
        self.conflicts.append(ResourceConflict(path, resource, (), message))


def _upstream_text(base: FileResource, upstream: FileResource, local: FileResource) -> str:
    """Return upstream's text for a resource that is unedited since the clone, else ""."""
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
