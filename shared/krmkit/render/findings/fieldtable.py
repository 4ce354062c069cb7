"""The values of a resource by their paths, those of a pack's values.yaml included, as results name them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from krmkit.krm.errors import Refused
from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.fields import Fields, fields_of
from krmkit.libraries.yaml.tree import Alias, Map, Node, Seq, deref
from krmkit.render.findings.macros import with_macros, without_macros
from krmkit.systems.palette.packs.items import CARRIERS, FILES, place
from krmkit.systems.palette.packs.lines import LineIndex, block_place

_CONTENT = re.compile(r"^[^\S\n]*[^\s#]", re.MULTILINE)  # the first line that is neither empty nor a comment


class ResourceFields:
    """One text of a resource, read once.

    values: every scalar and empty collection by its whole path; those of a pack's values.yaml lie below the
    path of that text, as in `("data", "values.yaml", "charts", "app")`. names: the paths as users write them,
    where a pack's values have their own paths. marks: line and column of each key and element, from 1. first:
    the first line with content.
    """

    def __init__(self, text: str | None, kind: str) -> None:
        self.values: dict[Path, object] = {}
        self.names: dict[Path, str] = {}
        self.marks: dict[Path, tuple[int, int]] = {}
        self.first = 1
        if text is None:
            return
        fields = _fields(text)
        self.values, self.marks = fields.values, fields.marks
        content = _CONTENT.search(text)
        self.first = text.count("\n", 0, content.start() if content else len(text)) + 1
        inner = place(kind, FILES[0]) if kind in CARRIERS else ()
        packed = self.values.get(inner) if inner else None
        self._name(list(self.values), 0)
        if isinstance(packed, str) and packed:
            self._unpack(text, packed, inner)

    def _name(self, paths: list[Path], hidden: int) -> None:
        """Name paths, without their first `hidden` steps."""
        known: dict[Path, str] = {(): ""}
        for path in paths:
            inner = path[hidden:]
            start = next(depth for depth in range(len(inner), -1, -1) if inner[:depth] in known)
            name = known[inner[:start]]
            for depth in range(start, len(inner)):
                step = inner[depth]
                name = f"{name}[{step}]" if isinstance(step, int) else f"{name}.{step}" if name else step
                known[inner[: depth + 1]] = name
            self.names[path] = name

    def _unpack(self, text: str, packed: str, above: Path) -> None:
        """Replace a pack's text by its values."""
        fields = _packed(packed)
        if () in fields.values:
            return  # not a mapping: the text stays one value
        del self.values[above], self.names[above]
        inside = [(*above, *path) for path in fields.values]
        self.values.update(zip(inside, fields.values.values(), strict=True))
        self._name(inside, len(above))
        start = block_place(text, 0, (str(above[0]), str(above[1])))
        if start is not None:
            line, indent = start
            for path, mark in fields.marks.items():
                self.marks[(*above, *path)] = line + mark[0] - 1, indent + mark[1]

    def find(self, path: Path) -> tuple[int, int] | None:
        """Return line and column of a printed path's deepest key or element in the text, or None.

        A key may hold dots, as in `data.values.yaml`: the longest existing key counts.
        """
        found, at = None, 0
        inside: Path = ()
        while at < len(path):
            for stop in range(len(path), at, -1):
                step = path[at] if stop == at + 1 else ".".join(map(str, path[at:stop]))
                mark = self.marks.get((*inside, step))
                if mark is not None:
                    found, inside, at = mark, (*inside, step), stop
                    break
            else:
                break
        return found

    def mark(self, path: Path) -> tuple[int, int]:
        """Return line and column of the deepest key or element of a path, else of the first content."""
        for depth in range(len(path), 0, -1):
            known = self.marks.get(path[:depth])
            if known is not None:
                return known
        return self.first, 1


@lru_cache(maxsize=64)
def field_table(text: str | None, kind: str) -> ResourceFields:
    """Return the table of a text, cached: a report looks up many fields of each."""
    return ResourceFields(text, kind)


@lru_cache(maxsize=16)
def _inner(text: str, kind: str, file: str) -> tuple[ResourceFields, int, int] | None:
    """Return the places in a pack's text, such as presets.yaml, its first line and indentation, or None."""
    above = place(kind, file)
    start = block_place(text, 0, above)
    packed = _fields(text).values.get(above)
    if start is None or not isinstance(packed, str) or not packed:
        return None
    table = ResourceFields(None, "")
    table.marks = _packed(packed).marks
    return table, *start


def inner_mark(text: str, kind: str, file: str, path: Path) -> tuple[int, int] | None:
    """Return line and column, in the pack's item, of a field of a pack's text; None without such a text."""
    inner = _inner(text, kind, file)
    if inner is None:
        return None
    table, first, indent = inner
    line, column = table.find(path) or (1, 1)
    return first + line - 1, indent + column


def _fields(text: str) -> Fields:
    """Return the fields of a text; none if it cannot be parsed."""
    fields = fields_of(text)
    if fields is None:
        fields = Fields()
        try:
            resource = Resource(text)
            _flatten(resource.get(), (), fields.values)
            _mark(resource.root, (), fields.marks, LineIndex(text).at)
        except (Refused, YamlError):
            fields.values = {}
    return fields


def _flatten(value: object, path: Path, found: dict[Path, object]) -> None:
    if isinstance(value, dict) and value:
        for key, below in value.items():
            _flatten(below, (*path, key), found)
    elif isinstance(value, list) and value:
        for number, below in enumerate(value):
            _flatten(below, (*path, number), found)
    else:
        found[path] = value


def _mark(
    node: Node, path: Path, marks: dict[Path, tuple[int, int]], at: Callable[[int], tuple[int, int]]
) -> None:
    """Record the places of keys and elements; an aliased value has the place of the alias."""
    if isinstance(node, Map):
        for entry in node.entries:
            if entry.name is not None and entry.key.start >= 0:
                marks[(*path, entry.name)] = at(entry.key.start)
                _mark(entry.value, (*path, entry.name), marks, at)
    elif isinstance(node, Seq):
        for number, item in enumerate(node.items):
            marks[(*path, number)] = at(item.start if isinstance(item, Alias) else deref(item).start)
            _mark(item, (*path, number), marks, at)


def _packed(text: str) -> Fields:
    """Return the fields of a text with macros, which are kept in keys and values."""
    bare, words = without_macros(text)
    fields = _fields(bare)
    if not words:
        return fields
    macros = list(words)
    keys: dict[str, str] = {}
    for path in fields.marks:
        if isinstance(path[-1], str):
            keys[path[-1]] = with_macros(path[-1], macros)
    whole = Fields()
    for path, value in fields.values.items():
        place = tuple([keys[step] if isinstance(step, str) else step for step in path])
        whole.values[place] = with_macros(value, macros) if isinstance(value, str) else value
    for path, mark in fields.marks.items():
        whole.marks[tuple([keys[step] if isinstance(step, str) else step for step in path])] = mark
    return whole


def values_of(text: str | None, kind: str) -> dict[str, object]:
    """Return each scalar and empty collection by its path: `{"kind": "Service", "spec.ports[0].port": 80}`.

    The values of a pack have their own paths, such as `charts.app.replicas`.
    """
    table = ResourceFields(text, kind)
    values: dict[str, object] = {}
    for path, value in table.values.items():
        values.setdefault(table.names[path], value)
    return values


def chosen(names: dict[Path, str], wanted: str) -> list[Path]:
    """Return the paths that are the wanted one, or lie below it."""
    return [path for path, name in names.items() if covers(wanted, name)]


def plain(path: str) -> str:
    """Return a path without marks, for comparing: `a[0]."b.c"` and `a[0].b.c` are the same."""
    return path.replace('"', "").replace("'", "").replace("[", ".").replace("]", "").strip(".")


def among_keys(keys: Iterable[str]) -> Callable[[str], bool]:
    """Return whether a path is one of a schema's keys, or lies below one; `$[]` is any element."""
    tree: dict[str, Any] = {}
    for key in keys:
        node = tree
        for part in filter(None, plain(key).split(".")):
            node = node.setdefault(part, {})
        node[""] = {}
    tree.pop("", None)

    def found(path: str) -> bool:
        nodes = [tree] if tree else []
        for part in plain(path).split(".") if nodes else ():
            steps = (part, "$") if part.isdecimal() else (part,)
            nodes = [node[step] for node in nodes for step in steps if step in node]
            if any("" in node for node in nodes):
                return True
        return False

    return found


def covers(wanted: str, path: str) -> bool:
    """Return whether a path is the wanted one, or lies below it."""
    return f"{plain(path)}.".startswith(f"{plain(wanted)}.")


def above(path: str) -> list[str]:
    """Return a path and its parents, without marks: `above("a[0].b") == ["a", "a.0", "a.0.b"]`."""
    parts = plain(path).split(".")
    return [".".join(parts[: depth + 1]) for depth in range(len(parts))]
