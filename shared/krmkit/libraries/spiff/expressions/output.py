"""From nodes to plain data and texts: what is left out, escapes, and how lambdas, templates and open expressions are written."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.go.json.functions import must_to_json
from krmkit.libraries.spiff.expressions.lambdas import LambdaValue
from krmkit.libraries.spiff.expressions.marking import TemplateValue
from krmkit.libraries.spiff.tree.embedded import unescape, unescape_key
from krmkit.libraries.spiff.tree.environment import Env, Run
from krmkit.libraries.spiff.tree.limits import exceeded
from krmkit.libraries.spiff.tree.nodes import LOCAL, STATE, TEMPORARY, Expression, Node
from krmkit.libraries.yaml import emit


def without(node: Node, flags: int) -> Node:
    """The tree without the nodes that have one of the flags; the root stays."""
    value = node.value
    state = node.state
    if state is not None and not hasattr(state, "flow") and state.settled:
        return node  # nothing in it has flags
    if type(value) is dict:
        kept = {key: without(entry, flags) for key, entry in value.items() if not entry.note.flags & flags}
        return Node(kept, node.source, node.note)
    if type(value) is list:
        return Node(
            [without(entry, flags) for entry in value if not entry.note.flags & flags], node.source, node.note
        )
    return node


def only_state(node: Node) -> Node:
    """The tree reduced to the nodes marked &state, each whole."""
    value = node.value
    if type(value) is dict:
        kept = {}
        for key, entry in value.items():
            if entry.note.flags & STATE:
                kept[key] = entry
        return Node(kept, node.source, node.note)
    if type(value) is list:
        return Node([entry for entry in value if entry.note.flags & STATE], node.source, node.note)
    return node


class NodeWriter:
    """Nodes as data; the size of the texts is counted."""

    def __init__(self, run: Run, unescaped: bool) -> None:
        self.interpolation = run.interpolation
        self.unescaped = unescaped
        self.left = run.limits.output
        self.limit = run.limits.output

    def data(self, node: Node) -> Any:
        """dict, list and scalars. Floats without a fraction are ints, as YAML and JSON print them."""
        value = node.value
        kind = type(value)
        self.left -= 8
        if kind is str:
            self.left -= len(value)
            if self.left < 0:
                raise exceeded("characters of output", self.limit)
            if self.unescaped and "((!" in value:
                return unescape(value, self.interpolation)
            return value
        if kind is dict:
            if self.unescaped and any(key[:3] in ("<<!", "<<<") for key in value):
                return {unescape_key(key): self.data(value[key]) for key in sorted(value)}
            return {key: self.data(value[key]) for key in sorted(value)}
        if kind is list:
            return [self.data(entry) for entry in value]
        if self.left < 0:
            raise exceeded("characters of output", self.limit)
        if kind is float:
            return int(value) if value.is_integer() and abs(value) < 1 << 63 else value
        if isinstance(value, LambdaValue):
            return f"(( {value.text()} ))"
        if isinstance(value, TemplateValue):
            return NodeWriter.data(self, value.origin)
        if isinstance(value, Expression):
            return f"(( {value} ))"
        return value


def data(node: Node, run: Run, unescaped: bool = False) -> Any:
    """The plain data of a tree."""
    return NodeWriter(run, unescaped).data(node)


HIDDEN = TEMPORARY | LOCAL


def to_yaml(node: Node, env: Env) -> str:
    """A node as a YAML document, with its final line break."""
    return emit.document(data(node, env.run))


def to_json(node: Node, env: Env) -> str:
    """A node as JSON on one line, as Go writes it."""
    return must_to_json(data(node, env.run))
