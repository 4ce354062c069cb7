"""The fields of its data that a template names, found in its tree; nothing is executed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from krmkit.libraries.gotemplate.limits import DEFAULT_LIMITS
from krmkit.libraries.gotemplate.nodes import (
    Action,
    Chain,
    Command,
    Control,
    Field,
    Node,
    Pipe,
    TemplateCall,
    Variable,
)
from krmkit.libraries.gotemplate.parser import parse_trees

FieldNames = Mapping[str, "FieldNames | None"]
"""Known fields by name, each with those below it; None where any field may be below."""

_NAME = "template"


class _AnyName:
    """Holds every name of a function: a parser asks only whether it does."""

    def __contains__(self, name: object) -> bool:
        return name not in ("break", "continue")


@lru_cache(maxsize=1024)
def root_fields(text: str, called: bool = True) -> tuple[tuple[str, ...], ...]:
    """Return the field chains that begin at the data of the template, each once. Raises TemplateError.

    root_fields("{{ range .nodes }}{{ .name }}{{ $.site }}{{ end }}")   # (("nodes",), ("site",))

    In `range` and `with` the dot is another value, so only chains from `$` begin at the data there. In templates that others call
    the dot is unknown, and counts as the data; without `called` they are left out.
    """
    trees = parse_trees(_NAME, text, _AnyName(), "{{", "}}", DEFAULT_LIMITS)
    found: dict[tuple[str, ...], None] = {}
    for name, tree in trees.items():
        if called or name == _NAME:
            found.update(dict.fromkeys(_fields(tree.nodes, True)))
    return tuple(found)


class UnknownField(NamedTuple):
    """A field that data do not have: `.lb.hots`, its name `hots`, what is above it (`.lb`), and the fields that are there."""

    path: str
    name: str
    above: str
    known: list[str]


def unknown_fields(text: str, known: FieldNames) -> Iterator[UnknownField]:
    """Yield the first unknown field of each chain of a template. Raises TemplateError.

    list(unknown_fields("{{ .lb.hots }}", {"lb": {"host": None}}))   # [UnknownField(".lb.hots", "hots", ".lb", ["host"])]
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


def _fields(nodes: list[Node], at_root: bool) -> Iterator[tuple[str, ...]]:
    for node in nodes:
        if isinstance(node, Field):
            if at_root:
                yield tuple(node.fields)
        elif isinstance(node, Variable):
            if node.name == "$" and node.fields:
                yield tuple(node.fields)
        elif isinstance(node, Action | TemplateCall):
            yield from _fields([node.pipe] if node.pipe is not None else [], at_root)
        elif isinstance(node, Pipe):
            yield from _fields([*node.commands], at_root)
        elif isinstance(node, Command):
            yield from _fields(node.args, at_root)
        elif isinstance(node, Chain):
            yield from _fields([node.node], at_root)
        elif isinstance(node, Control):
            yield from _fields([node.pipe], at_root)
            yield from _fields(node.body, at_root and node.kind == "if")
            yield from _fields(node.otherwise or [], at_root)
