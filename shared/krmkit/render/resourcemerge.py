"""Three-way merge of the files of one package: resources by identity, other files whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from krmkit.krm.errors import ListError
from krmkit.porch.listkeys import schema_of
from krmkit.porch.merge3 import Conflict, MergeError, merge
from krmkit.porch.mergecomments import merge_comments
from krmkit.porch.mergeedit import write_merged
from krmkit.render.source import FileResource, SourceError, SourceFile, joined, without
from krmkit.yaml.errors import YamlError

SUFFIXES = (".yaml", ".yml")
# kpt's mark on what it fetched: `group|kind|namespace|name` as upstream has it, so that a renamed resource is found again.
IDENTIFIER = "internal.kpt.dev/upstream-identifier"

_COMMENT = re.compile(r"(?:^|(?<=\s))#(?! kpt-merge:).*$", re.MULTILINE)

Files = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class ResourceConflict:
    """A field, a resource or a file that both sides changed. `path` is empty where it is a whole resource or file."""

    file: str
    resource: str
    path: tuple[str, ...]
    message: str
    local: Any = None
    upstream: Any = None

    @classmethod
    def of(cls, file: str, resource: str, conflict: Conflict) -> ResourceConflict:
        """A conflict of a field, in a file."""
        message = (
            f"changed upstream to {conflict.upstream!r} and locally to {conflict.local!r}: upstream wins"
        )
        return cls(file, resource, conflict.path, message, conflict.local, conflict.upstream)


@dataclass(slots=True)
class FileMerge:
    """Merges the files of one package, subpackages and the Kptfile left out."""

    base: Files
    upstream: Files
    local: Files
    conflicts: list[ResourceConflict] = field(default_factory=list)

    def merge(self) -> Iterator[tuple[str, bytes | None]]:
        """Yield (path, new content) of each file that the merge changes; None where the file goes."""
        paths = sorted({*self.base, *self.upstream, *self.local})
        sources = {path: self._sources(path) for path in paths if path.endswith(SUFFIXES)}
        for path in paths:
            versions = sources.get(path)
            if versions is None:
                yield from self._whole_file(path)
            else:
                yield from self._resources(path, *versions)

    def _sources(self, path: str) -> tuple[SourceFile | None, SourceFile | None, SourceFile | None] | None:
        """The three versions as resources; None where one of them holds something else."""
        try:
            base, upstream, local = (
                _source(path, files[path]) if path in files else None
                for files in (self.base, self.upstream, self.local)
            )
        except (SourceError, ListError, YamlError, UnicodeDecodeError):
            return None
        return base, upstream, local

    def _whole_file(self, path: str) -> Iterator[tuple[str, bytes | None]]:
        """Merge a file that holds no resources: upstream's if the local one has no edits, else the local one."""
        old, new, here = self.base.get(path), self.upstream.get(path), self.local.get(path)
        edited = here is not None and here != old
        if edited and new != old and new != here:
            what = "deleted" if new is None else "changed"
            message = f"{what} upstream and edited locally: the local file stays"
            self.conflicts.append(ResourceConflict(path, "", (), message))
        if not edited and new != here:
            yield path, new

    def _resources(
        self, path: str, old: SourceFile | None, new: SourceFile | None, here: SourceFile | None
    ) -> Iterator[tuple[str, bytes | None]]:
        bases, updates = _by_key(old), _by_key(new)
        items: list[FileResource] = []
        for item in here.items if here is not None else ():
            key = _key(item)
            if self._keeps(path, item, bases.get(key), updates.pop(key, None)):
                items.append(item)
        items += [_marked(item) for key, item in updates.items() if key not in bases]
        if here is None:
            # A file that is gone locally comes back only with what is new upstream.
            if items and new is not None:
                yield path, (new.joined(items) if len(items) == len(new.items) else joined(items)).encode()
        elif not items and here.items:
            yield path, None
        else:
            content = here.joined(items).encode()
            if content != self.local[path]:
                yield path, content

    def _keeps(
        self, path: str, item: FileResource, base: FileResource | None, upstream: FileResource | None
    ) -> bool:
        """Merge one local resource in place; False where it goes."""
        name = f"{item.kind} {item.name}"
        if base is None and upstream is None:
            return True
        if upstream is None:
            assert base is not None
            if data_of(item) == data_of(base):
                return False
            self.conflicts.append(ResourceConflict(path, name, (), "deleted upstream, edited locally: kept"))
            return True
        before = data_of(base) if base is not None else {}
        try:
            outcome = merge(before, data_of(upstream), data_of(item), schema_of(item.api_version, item.kind))
        except MergeError as error:
            raise ListError(f"{path}: {name}: {error}") from None
        marked = outcome.value
        marked.setdefault("metadata", {}).setdefault("annotations", {})[IDENTIFIER] = _identifier(upstream)
        write_merged(item, marked)
        if "#" in upstream.original or (base is not None and "#" in base.original):
            text = merge_comments(
                base.original if base is not None else "", upstream.original, item.original, item.text
            )
            if text != item.text:
                item.revert(text, changed=True)
        self.conflicts += [ResourceConflict.of(path, name, one) for one in outcome.conflicts]
        return True


def is_unedited(path: str, base: bytes | None, local: bytes | None) -> bool:
    """Whether a local file is as it was fetched: the same bytes, or the same resources and comments apart from kpt's marks.

    `kpt pkg get` marks each resource, and writes its file anew.
    """
    if base == local:
        return True
    if base is None or local is None or not path.endswith(SUFFIXES):
        return False
    try:
        before, after = _source(path, base), _source(path, local)
    except (SourceError, ListError, YamlError, UnicodeDecodeError):
        return False
    data = [[data_of(item) for item in file.items] for file in (before, after)]
    comments = [
        [comment.strip() for comment in _COMMENT.findall(content.decode("utf-8"))]
        for content in (base, local)
    ]
    return data[0] == data[1] and comments[0] == comments[1]


def _source(path: str, content: bytes) -> SourceFile:
    """A file of resources. Raises SourceError where a document is no resource."""
    file = SourceFile(path, content.decode("utf-8"), "", path)
    for item in file.items:
        if not item.kind or not item.api_version:
            raise SourceError(f"{path}: document {item.index + 1} must have apiVersion and kind")
    return file


def _by_key(file: SourceFile | None) -> dict[str, FileResource]:
    found: dict[str, FileResource] = {}
    for item in file.items if file is not None else ():
        found.setdefault(_key(item), item)
    return found


def _key(item: FileResource) -> str:
    return item.annotation(IDENTIFIER) or _identifier(item)


def _identifier(item: FileResource) -> str:
    group, slash, _ = item.api_version.rpartition("/")
    return f"{group if slash else ''}|{item.kind}|{item.namespace or 'default'}|{item.name}"


def data_of(item: FileResource) -> dict[str, Any]:
    """A resource's data without kpt's mark."""
    data = without(item.get(), (IDENTIFIER,))
    assert isinstance(data, dict)
    return data


def _marked(item: FileResource) -> FileResource:
    """A resource that comes from upstream, with kpt's mark."""
    identifier = _identifier(item)
    item.set(("metadata", "annotations", IDENTIFIER), identifier)
    return item
