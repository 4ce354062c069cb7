"""Record the causes of a template's paths as patches change it, and pass them to the desired object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from krmkit.krm.cause import Cause, PathCauses
from krmkit.krm.fieldpath import Path
from krmkit.libraries.gotemplate import TemplateError, root_fields
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import MISSING, lookup
from krmkit.systems.clusterapi.patches.apply import OBJECT_FIELDS, TEMPLATE_FIELDS, protected_fields


def record_operation(paths: PathCauses, operation: Object, after: object, causes: Iterable[Cause]) -> Path:
    """Record an applied JSON patch operation; return the path that it set. `after`: the document."""
    kind = operation.get("op")
    if kind == "test":
        return ()
    if kind == "move":
        _remove(paths, _path(operation, "from"), after, causes)
    path = _path(operation, "path")
    if kind == "remove":
        return _remove(paths, path, after, causes)
    found, parent = _steps(path, after)
    if isinstance(parent, list) and found:
        size, last = len(parent), found[-1]
        position = size - 1 if last == "-" else int(last)
        if position < 0:
            position += size
        if kind != "replace" and position < size - 1:
            paths.moved(found[:-1], position, 1)
        found = (*found[:-1], position)
    paths.set(found, *causes)
    return found


def _remove(paths: PathCauses, path: str, after: object, causes: Iterable[Cause]) -> Path:
    found, parent = _steps(path, after)
    if isinstance(parent, list) and found:
        position = int(found[-1])
        if position < 0:
            position += len(parent) + 1
        paths.moved(found[:-1], position, -1)
        return (*found[:-1], position)
    paths.set(found, *causes)
    return found


def _path(operation: Object, name: str) -> str:
    return str(operation.get(name, ""))


def _steps(path: str, document: object) -> tuple[Path, object]:
    """Split a JSON pointer into keys and positions, the last unparsed; return them and the last container."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
    found: list[str | int] = []
    value: Any = document
    for part in parts[:-1]:
        if isinstance(value, list):
            position = int(part)
            found.append(position + len(value) if position < 0 else position)
            value = value[position] if -len(value) <= position < len(value) else None
        else:
            found.append(part)
            value = value.get(part) if isinstance(value, dict) else None
    return (*found, *parts[-1:]), value


def record_merge(paths: PathCauses, patch: object, causes: Iterable[Cause], path: Path = ()) -> None:
    """Record each value that a JSON merge patch sets or removes."""
    if isinstance(patch, dict) and patch:
        for key, value in patch.items():
            record_merge(paths, value, causes, (*path, key))
    else:
        paths.set(path, *causes)


def record_explained(paths: PathCauses, path: Path, own: list[Cause], inside: PathCauses) -> None:
    """Record the causes of a path that an extension wrote, together with the extension's own causes."""
    paths.set(path, *own, *inside.at(path))
    size = len(path)
    for written, causes in inside.entries():
        if len(written) > size and written[:size] == path:
            paths.set(written, *own, *causes)


def references(change: Object, enabled_if: object) -> list[str]:
    """Return the variables that a patch's change and its enabledIf read, each once.

    references({"valueFrom": {"template": "{{ .image }}"}}, None)   # ["image"]
    """
    source = change.get("valueFrom")
    source = source if isinstance(source, dict) else {}
    found: list[str] = [str(source["variable"])] if source.get("variable") else []
    for text in (source.get("template"), enabled_if):
        try:
            found += [".".join(fields) for fields in root_fields(str(text))] if text else []
        except TemplateError:
            continue  # the patch itself reports it
    return list(dict.fromkeys(found))


def write_back_causes(
    paths: PathCauses,
    patched: PathCauses,
    target: Object,
    is_template: bool,
    preserve: Iterable[tuple[str, ...]] = (),
) -> None:
    """Give an object the causes of its patched template; see `write_back`. `target`: the object before."""
    mapped: list[tuple[Path, tuple[Cause, ...]]] = []
    for written, causes in patched.entries():
        for source, destination in TEMPLATE_FIELDS if is_template else OBJECT_FIELDS:
            if written[: len(source)] == source:
                mapped.append(((*destination, *written[len(source) :]), causes))
            elif source[: len(written)] == written:
                mapped.append((destination, causes))
    if not mapped:
        return
    before = [path for path, _ in paths.entries()]
    kept = [path for path in protected_fields(preserve) if lookup(target, path) is not MISSING]
    for written, causes in mapped:
        if any(written[: len(path)] == path for path in kept):
            continue
        # Protected fields keep their value, and so their causes.
        inside: list[Path] = [path for path in kept if path[: len(written)] == written]
        inside += [other for path in inside for other in before if other[: len(path)] == path != other]
        own = [(path, paths.at(path)) for path in inside]
        paths.set(written, *causes)
        for path, known in own:
            paths.set(path, *known)
