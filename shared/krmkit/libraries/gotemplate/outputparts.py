"""The parts of a template's output: the text or action that wrote each, and the fields it read.

text, found = parts("{{ if .on }}name: {{ .name }}{{ end }}", {"on": True, "name": "a"})
[(text[one.start : one.end], one.fields) for one in found]
# [("name: ", {("on",)}), ("a", {("on",), ("name",)})]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import NamedTuple

from krmkit.libraries.go.core.functions import GoFunction
from krmkit.libraries.gotemplate import nodes
from krmkit.libraries.gotemplate.template import parse


class OutputPart(NamedTuple):
    """Output from `start` to before `end`, written by the template's text or action at `pos`.

    fields: the chains that it and the surrounding `if`, `range` and `with` read; () means all data. calls:
    the functions that it called, with their arguments, "" for an argument that is no constant text.
    """

    start: int
    end: int
    pos: int
    is_text: bool
    fields: frozenset[tuple[str, ...]]
    calls: frozenset[tuple[str, ...]]


def parts(
    source: str, data: object, functions: Mapping[str, GoFunction] | None = None, options: Iterable[str] = ()
) -> tuple[str, list[OutputPart]]:
    """Return a template's output, and its parts in order. Raises TemplateError."""
    template = parse(source, functions=functions, options=options, noting=True)
    run = template.run(data)
    ends = [0, *accumulate(map(len, run.chunks))]
    reader = _Reader(template.trees)
    around: list[tuple[int, int, nodes.Node]] = []
    found = []
    # What lies inside of a node is noted before it.
    for first, last, node in reversed(run.trace):
        while around and not around[-1][0] <= first <= last <= around[-1][1]:
            around.pop()
        if isinstance(node, nodes.Control | nodes.TemplateCall):
            around.append((first, last, node))
        elif ends[first] < ends[last]:
            outer = [one for _, _, one in around]
            is_text = isinstance(node, nodes.Text)
            fields, calls = reader.read([*outer, *([] if is_text else [node])])
            found.append(OutputPart(ends[first], ends[last], node.pos, is_text, fields, calls))
    return "".join(run.chunks), found[::-1]


class _Reader:
    """Find the fields that nodes read; a variable reads what its pipelines read."""

    def __init__(self, trees: Iterable[nodes.Tree]) -> None:
        self._set: dict[str, list[nodes.Node]] = {}
        for tree in trees:
            for node in (one for top in tree.nodes for one in _below(top, lists=True)):
                for name in node.names if isinstance(node, nodes.Pipe) else ():
                    self._set.setdefault(name, []).append(node)

    def read(self, wanted: list[nodes.Node]) -> tuple[frozenset[tuple[str, ...]], frozenset[tuple[str, ...]]]:
        """Return the fields and the calls of nodes, without their inner lists."""
        fields: set[tuple[str, ...]] = set()
        calls: set[tuple[str, ...]] = set()
        known: set[str] = set()
        moved = any(
            isinstance(one, nodes.TemplateCall) or getattr(one, "kind", "if") != "if" for one in wanted
        )
        rest = wanted[:]
        while rest:
            for node in _below(rest.pop()):
                if isinstance(node, nodes.Field):
                    fields.add(tuple(node.fields))
                elif isinstance(node, nodes.Dot) and not moved:
                    fields.add(())
                elif isinstance(node, nodes.Variable) and node.name == "$":
                    fields.add(tuple(node.fields))
                elif isinstance(node, nodes.Variable) and node.name not in known:
                    known.add(node.name)
                    rest += self._set.get(node.name, [])
                elif isinstance(node, nodes.Command) and isinstance(node.args[0], nodes.Identifier):
                    texts = [one.value if isinstance(one, nodes.String) else "" for one in node.args[1:]]
                    calls.add((node.args[0].text, *texts))
        return frozenset(fields), frozenset(calls)


def _below(node: nodes.Node | None, lists: bool = False) -> Iterator[nodes.Node]:
    """Yield a node and its pipelines; with `lists`, also the bodies of if, range and with."""
    if node is None:
        return
    yield node
    inner: list[nodes.Node | None] = []
    if isinstance(node, nodes.Action | nodes.TemplateCall | nodes.Control):
        inner.append(node.pipe)
    if isinstance(node, nodes.Control):
        rest = node.otherwise or []
        chained = len(rest) == 1 and isinstance(rest[0], nodes.Control) and rest[0].kind == node.kind
        inner += [*node.body, *rest] if lists else rest if chained else []
    elif isinstance(node, nodes.Pipe):
        inner += node.commands
    elif isinstance(node, nodes.Command):
        inner += node.args
    elif isinstance(node, nodes.Chain):
        inner.append(node.node)
    for one in inner:
        yield from _below(one, lists)
