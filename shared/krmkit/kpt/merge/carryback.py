"""Carries people's edits of a rendered package back to the input of its pipeline.

    what went in    replicas: 2   title: "Shop {{ name }}"   size: small
    what came out   replicas: 4   title: "Shop north"        size: small
    edited          replicas: 4   title: "Shop north"        size: large
    carried back    replicas: 2   title: "Shop {{ name }}"   size: large

Functions rename and move resources, so a resource is matched by its own name first, then by kpt's mark of its upstream
identity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from krmkit.kpt.merge.comments import merge_comments
from krmkit.kpt.merge.conflict import ResourceConflict, said_value
from krmkit.kpt.merge.edits import write_merged
from krmkit.kpt.merge.kptfile import merge_kptfiles, named_functions
from krmkit.kpt.merge.listkeys import MergeSchema, schema_of
from krmkit.kpt.merge.text import merge_inside
from krmkit.kpt.merge.threeway import UPSTREAM, MergedValue, elements_by_step, merge
from krmkit.kpt.merge.unedited import SUFFIXES, data_of, source
from krmkit.kpt.merge.units import who
from krmkit.kpt.source import FileResource, SourceError, SourceFile, joined
from krmkit.krm.annotations import IDENTIFIER
from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import MISSING
from krmkit.libraries.yaml.data import same_data
from krmkit.libraries.yaml.errors import YamlError

KPTFILE = "Kptfile"

Files = Mapping[str, bytes]


@dataclass(slots=True)
class _Version:
    """A parsed package: the resources of its files by path, the files without resources, and the order of all."""

    files: dict[str, SourceFile] = field(default_factory=dict)
    items: list[tuple[str, FileResource]] = field(default_factory=list)
    by_name: dict[str, FileResource] = field(default_factory=dict)
    by_mark: dict[str, FileResource] = field(default_factory=dict)

    @classmethod
    def of(cls, contents: Files, wanted: frozenset[str] | set[str]) -> _Version:
        """Read the wanted paths of a package; files without resources are left out."""
        version = cls()
        for path in sorted(wanted & contents.keys()):
            file = _source(path, contents[path])
            if file is not None:
                version.files[path] = file
                version.items += [(path, item) for item in file.items]
        for path, item in version.items:
            version.by_name.setdefault(_name(path, item), item)
            mark = item.annotation(IDENTIFIER)
            if mark:
                version.by_mark.setdefault(_marked_as(path, mark), item)
        return version

    def like(self, path: str, item: FileResource) -> FileResource | None:
        """The same resource in this version: by its own name, else by its mark, else the one whose mark is its name."""
        name = _name(path, item)
        if name in self.by_name:
            return self.by_name[name]
        mark = item.annotation(IDENTIFIER)
        place = _marked_as(path, mark) if mark else name
        return self.by_mark.get(place) or (self.by_name.get(place) if mark else None)


@dataclass(slots=True)
class _Edits:
    """People's edits:

    (path, before, after) of resources, None for absent ones; paths of other files; (from, to, after) of moved
    resources.
    """

    resources: list[tuple[str, FileResource | None, FileResource | None]]
    files: list[str]
    moves: list[tuple[str, str, FileResource]] = field(default_factory=list)


def carry_back(output: Files, edited: Files, given: Files) -> dict[str, bytes]:
    """Return `given`, the input that rendered to `output`, with the changes from `output` to `edited`.

    A person's value replaces the given one, and resources that a person removed are removed; values and resources that
    only a function makes are left out. Raises ListError if a change cannot be merged.
    """
    edits = _edits(output, edited)
    result = dict(given)
    for path in edits.files:
        if path in edited:
            result[path] = edited[path]
        else:
            result.pop(path, None)
    version = _Version.of(result, set(result))
    kept = {path: [*file.items] for path, file in version.files.items()}
    for path, before, after in edits.resources:
        item = version.like(path, before) if before is not None else None
        if before is None and after is not None:
            if version.like(path, after) is None:
                kept.setdefault(path, []).append(after)
            continue
        if item is None:
            continue  # a function makes it again
        place = next(one for one, items in kept.items() if any(other is item for other in items))
        if after is None:
            kept[place] = [one for one in kept[place] if one is not item]
            continue
        assert before is not None
        _carry(place, before, after, item)
    for old, new, after in edits.moves:
        item = version.like(new, after)
        # A resource that a function moves stays in its input's file.
        if item is not None and any(one is item for one in kept.get(old, ())):
            kept[old] = [one for one in kept[old] if one is not item]
            kept.setdefault(new, []).append(item)
    for path, items in kept.items():
        file = version.files.get(path)
        if file is None:
            result[path] = edited[path] if _is_whole(path, items, edited) else joined(items).encode()
        elif items:
            result[path] = file.joined(items).encode()
        elif file.items:
            result.pop(path)
    return result


def lost_edits(output: Files, edited: Files, result: Files) -> Iterator[ResourceConflict]:
    """Yield the edits from `output` to `edited` that `result`, rendered after them, lacks.

    A function may set the value that a person changed, or make a removed resource again.
    """
    edits = _edits(output, edited)
    for path in edits.files:
        if result.get(path) != edited.get(path):
            yield ResourceConflict(path, "", (), "changed by hand, and changed again by the pipeline")
    version = _Version.of(result, set(result) if edits.resources else set())
    for path, before, after in edits.resources:
        named = after if after is not None else before
        assert named is not None
        item = version.like(path, named)
        name = who(named)
        if after is None:
            if item is not None:
                yield ResourceConflict(
                    path, name, (), f"{name}: removed by hand, and made again by the pipeline"
                )
        elif item is None:
            yield ResourceConflict(path, name, (), f"{name}: edited by hand, and removed by the pipeline")
        else:
            yield from _lost_fields(path, name, before, after, item)


def _lost_fields(
    path: str, name: str, before: FileResource | None, after: FileResource, item: FileResource
) -> Iterator[ResourceConflict]:
    now = data_of(item)
    wanted = _merged(path, data_of(before) if before is not None else MISSING, after, now).value
    schema, infer = schema_of(after.api_version, after.kind), path.rpartition("/")[2] == KPTFILE
    if infer:
        wanted, now = named_functions(wanted, now)
    for place, value, other in _differences((), wanted, now, schema, infer):
        wrote, makes = said_value(value) or "nothing", said_value(other) or "nothing"
        message = f"changed by hand to {wrote}, and the pipeline makes it {makes}"
        yield ResourceConflict(path, name, place, message, value, other)


def _differences(
    path: tuple[str, ...], wanted: Any, now: Any, schema: MergeSchema | None, infer: bool
) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """(path, wanted value, actual value) of each differing field, in lists as deep as merging goes."""
    if isinstance(wanted, dict) and isinstance(now, dict):
        for key in (*wanted, *(key for key in now if key not in wanted)):
            below = schema.field(str(key)) if schema is not None else None
            values = wanted.get(key, MISSING), now.get(key, MISSING)
            yield from _differences((*path, str(key)), *values, below, infer)
        return
    if isinstance(wanted, list) and isinstance(now, list):
        elements = elements_by_step((wanted, now), schema, infer)
        if elements is not None:
            below = schema.element if schema is not None else None
            for step in {**elements[0], **elements[1]}:
                values = elements[0].get(step, MISSING), elements[1].get(step, MISSING)
                yield from _differences((*path, step), *values, below, infer)
            return
    wanted_tree, now_tree = _tree(wanted), _tree(now)
    if wanted_tree is not None and now_tree is not None:
        yield from _differences(path, wanted_tree, now_tree, None, True)
    elif not (wanted is now or (wanted is not MISSING and now is not MISSING and same_data(wanted, now))):
        yield path, wanted, now


def _tree(value: Any) -> dict[str, Any] | None:
    """The data of a YAML or JSON text of several lines, None if it is not a mapping."""
    if not isinstance(value, str) or "\n" not in value:
        return None
    try:
        data = Resource(value).get()
    except (YamlError, ListError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _edits(output: Files, edited: Files) -> _Edits:
    """The changes from one version to the other; a move to another file is not a change of the resource."""
    paths = {path for path in {*output, *edited} if output.get(path) != edited.get(path)}
    before, after = _Version.of(output, paths), _Version.of(edited, paths)
    whole = [
        path
        for path in sorted(paths)
        if (path in output and path not in before.files) or (path in edited and path not in after.files)
    ]
    resources: list[tuple[str, FileResource | None, FileResource | None]] = []
    found: set[int] = set()
    moves: list[tuple[str, str, FileResource]] = []
    places = {id(item): path for path, item in before.items}
    for path, item in after.items:
        old = before.like(path, item)
        if old is not None:
            found.add(id(old))
            if places[id(old)] != path:
                moves.append((places[id(old)], path, item))
        if path not in whole and (old is None or old.text != item.text):
            resources.append((path, old, item))
    for path, item in before.items:
        if id(item) not in found and path not in whole:
            resources.append((path, item, None))
    return _Edits(resources, whole, moves)


def _carry(path: str, before: FileResource, after: FileResource, item: FileResource) -> None:
    """Apply a person's changes of one resource to the pipeline's input item."""
    original = item.text
    write_merged(item, _merged(path, data_of(before), after, item.get()).value)
    if "#" in after.text or "#" in before.text:
        text = merge_comments(before.text, after.text, original, item.text)
        if text != item.text:
            item.revert(text, changed=True)


def _merged(path: str, base: Any, after: FileResource, local: Any) -> MergedValue:
    """Apply a person's change of `base` to `local`; the person's value wins."""
    if path.rpartition("/")[2] == KPTFILE:
        return merge_kptfiles(base if base is not MISSING else {}, data_of(after), local)

    def inside(place: tuple[str, ...], old: str, new: str, here: str) -> MergedValue | None:
        return merge_inside(after.kind, place, old, new, here, UPSTREAM)

    return merge(base, data_of(after), local, schema_of(after.api_version, after.kind), texts=inside)


def _source(path: str, content: bytes) -> SourceFile | None:
    """A file of resources; None if it holds anything else."""
    if not path.endswith(SUFFIXES) and path.rpartition("/")[2] != KPTFILE:
        return None
    try:
        return source(path, content)
    except (SourceError, ListError, YamlError, UnicodeDecodeError):
        return None


def _is_whole(path: str, items: list[FileResource], edited: Files) -> bool:
    """Whether these are all the resources of a file that a person added."""
    file = _source(path, edited[path]) if path in edited else None
    return file is not None and [one.text for one in file.items] == [one.text for one in items]


def _name(path: str, item: FileResource) -> str:
    """Group, kind, namespace and name; a package's own for those that every package has."""
    group, slash, _ = item.api_version.rpartition("/")
    return _marked_as(path, f"{group if slash else ''}|{item.kind}|{item.namespace or 'default'}|{item.name}")


def _marked_as(path: str, mark: str) -> str:
    return f"{path}|{KPTFILE}" if path.rpartition("/")[2] == KPTFILE else mark
