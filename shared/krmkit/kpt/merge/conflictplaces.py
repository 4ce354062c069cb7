"""Find the line and column of conflicts in merged files, also inside the text of a field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from krmkit.kpt.merge.comments import step_of
from krmkit.kpt.merge.conflict import ResourceConflict
from krmkit.kpt.merge.listkeys import IDENTITIES
from krmkit.kpt.merge.stamp import who
from krmkit.kpt.merge.threeway import INFERRED_KEYS
from krmkit.kpt.merge.unedited import SUFFIXES
from krmkit.kpt.source import FileResource, SourceFile
from krmkit.krm.annotations import IDENTIFIER
from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError, line_column
from krmkit.libraries.yaml.tree import Map, Node, Scalar, Seq, deref

_KEYS = (*IDENTITIES, *((name,) for name in INFERRED_KEYS))
_Place = tuple[int, int]


def placed(conflicts: Iterable[ResourceConflict], files: Mapping[str, bytes]) -> list[ResourceConflict]:
    """Return the conflicts with their places in the merged files, by path.

    A conflict whose field was removed gets its parent's place.
    """
    found: list[ResourceConflict] = []
    sources: dict[str, SourceFile | None] = {}
    for conflict in conflicts:
        path = conflict.file
        content = files.get(path)
        if content is None:
            found.append(conflict)
            continue
        if conflict.resource:
            if path not in sources:
                sources[path] = _source(path, content)
            line, column = _in_file(sources[path], conflict)
        else:
            line, column = _in_whole_file(content, conflict)
        found.append(conflict.at(line, column))
    return found


def _source(path: str, content: bytes) -> SourceFile | None:
    try:
        return SourceFile(path, content.decode("utf-8"), "", path)
    except (Refused, YamlError, UnicodeDecodeError):
        return None


def _in_file(file: SourceFile | None, conflict: ResourceConflict) -> _Place:
    # If a function or a person renamed it, its mark has the old name.
    for name_of in (who, _was):
        for item in file.items if file is not None else ():
            if name_of(item) == conflict.resource:
                line, column = _in_text_or_start(item.text, conflict)
                return item.location.line + line - 1, column
    return 1, 1


def _was(item: FileResource) -> str:
    """Return the upstream identity in kpt's mark, in the form of `who`; "" without a mark."""
    try:
        parts = (item.annotation(IDENTIFIER) or "").split("|")
    except (YamlError, Refused):
        return ""
    return f"{parts[1]} {parts[3]}" if len(parts) == 4 else ""


def _in_whole_file(content: bytes, conflict: ResourceConflict) -> _Place:
    if not conflict.path or not conflict.file.endswith((*SUFFIXES, ".json")):
        return max(conflict.line, 1), 1
    return _in_text_or_start(content.decode("utf-8", "replace"), conflict)


def _in_text_or_start(text: str, conflict: ResourceConflict) -> _Place:
    try:
        return _in_text(text, conflict.path, conflict.line)
    except (YamlError, Refused, RecursionError):
        return 1, 1


def _in_text(text: str, path: tuple[str, ...], line: int) -> _Place:
    """Return the place of a path in a YAML text; `line` counts within the field's text."""
    document = parse(text)
    node = document.root
    at = node.start if isinstance(node, Map) and node.start >= 0 else 0
    for number, step in enumerate(path):
        if isinstance(node, Map):
            entry = next((entry for entry in node.entries if entry.name == step), None)
            if entry is None:
                break
            at, node = entry.key.start, deref(entry.value)
        elif isinstance(node, Seq):
            element = _element(node, step)
            if element is None:
                break
            at, node = element.start, element
        else:
            return _inside(document.text, node, at, path[number:], line)
    if line and isinstance(node, Scalar):
        return _inside(document.text, node, at, (), line)
    return line_column(document.text, at)


def _inside(text: str, node: Node | None, at: int, path: tuple[str, ...], line: int) -> _Place:
    """Return a place in the text of a literal block; for other styles, the field's place."""
    if not isinstance(node, Scalar) or node.style != "|":
        return line_column(text, at)
    below, column = _in_text(node.text, path, line) if path else (line, 1)
    first = line_column(text, node.start)[0]
    lines = text[node.start : node.end].split("\n")[1:]
    indent = next((len(one) - len(one.lstrip(" ")) for one in lines if one.strip()), 0)
    return first + below, indent + column


def _element(node: Seq, step: str) -> Node | None:
    """Return the list element of a step: `[web]` by its merge key, `[80,TCP]` by two keys."""
    maps = [item for item in map(deref, node.items) if isinstance(item, Map)]
    return next((item for keys in _KEYS for item in maps if step_of(item, keys) == step), None)
