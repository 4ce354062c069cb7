"""The data fields that a template names, read from its tree without executing it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from krmkit.libraries.gotemplate import nodes
from krmkit.libraries.gotemplate.limits import DEFAULT_LIMITS
from krmkit.libraries.gotemplate.parser import parse_trees

FieldNames = Mapping[str, "FieldNames | None"]
"""Known fields by name, each with those below it; None if any field may be below."""

_NAME = "template"


class _AnyName:
    """A set that contains every function name; the parser only tests membership."""

    def __contains__(self, name: object) -> bool:
        return name not in ("break", "continue")


@lru_cache(maxsize=1024)
def root_fields(text: str, called: bool = True) -> tuple[tuple[str, ...], ...]:
    """Return the distinct field chains that start at the template's data. Raises TemplateError.

    root_fields("{{ range .nodes }}{{ .name }}{{ $.site }}{{ end }}")   # (("nodes",), ("site",))

    In `range` and `with` the dot is another value, so only chains from `$` start at the data there. In
    templates that others call, the dot counts as the data, because it is unknown; without `called` these are
    skipped.
    """
    trees = parse_trees(_NAME, text, _AnyName(), "{{", "}}", DEFAULT_LIMITS)
    found: dict[tuple[str, ...], None] = {}
    for name, tree in trees.items():
        if called or name == _NAME:
            found.update(dict.fromkeys(_fields(tree.nodes, True)))
    return tuple(found)


class UnknownField(NamedTuple):
    """A field that the data lack: `.lb.hots`, its name `hots`, the parent (`.lb`), the fields there."""

    path: str
    name: str
    above: str
    known: list[str]


def unknown_fields(text: str, known: FieldNames) -> Iterator[UnknownField]:
    """Yield the first unknown field of each chain of a template. Raises TemplateError.

    unknown_fields("{{ .lb.hots }}", {"lb": {"host": None}})
    # UnknownField(".lb.hots", "hots", ".lb", ["host"])
    """
    for chain in root_fields(text, called=False) if "{{" in text else ():
        names: FieldNames | None = known
        for position, name in enumerate(chain):
            if names is None:
                break
            if name not in names:
                path = ["", *chain[: position + 1]]
                yield UnknownField(".".join(path), name, ".".join(path[:-1]), list(names))
                break
            names = names[name]


def _fields(parts: list[nodes.Node], at_root: bool) -> Iterator[tuple[str, ...]]:
    for node in parts:
        if isinstance(node, nodes.Field):
            if at_root:
                yield tuple(node.fields)
        elif isinstance(node, nodes.Variable):
            if node.name == "$" and node.fields:
                yield tuple(node.fields)
        elif isinstance(node, nodes.Action | nodes.TemplateCall):
            yield from _fields([node.pipe] if node.pipe is not None else [], at_root)
        elif isinstance(node, nodes.Pipe):
            yield from _fields([*node.commands], at_root)
        elif isinstance(node, nodes.Command):
            yield from _fields(node.args, at_root)
        elif isinstance(node, nodes.Chain):
            yield from _fields([node.node], at_root)
        elif isinstance(node, nodes.Control):
            yield from _fields([node.pipe], at_root)
            yield from _fields(node.body, at_root and node.kind == "if")
            yield from _fields(node.otherwise or [], at_root)
