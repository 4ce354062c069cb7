"""Nodes as plain data and texts, with escapes, lambdas, templates and open expressions."""

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
    """Return the tree without nodes that have one of the flags; the root stays."""
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
    """Return the tree with only the entries that are marked &state, each whole."""
    value = node.value
    if type(value) is dict:
        kept = {key: entry for key, entry in value.items() if entry.note.flags & STATE}
        return Node(kept, node.source, node.note)
    if type(value) is list:
        return Node([entry for entry in value if entry.note.flags & STATE], node.source, node.note)
    return node


def data(node: Node, run: Run, unescaped: bool = False) -> Any:
    """Return a tree as plain data (dict, list, scalars), and count its size.

    Integral floats become ints, as YAML and JSON print them.
    """
    left = run.limits.output

    def write(node: Node) -> Any:
        nonlocal left
        value = node.value
        kind = type(value)
        left -= 8 + (len(value) if kind is str else 0)
        if kind is dict:
            if unescaped and any(key[:3] in ("<<!", "<<<") for key in value):
                return {unescape_key(key): write(value[key]) for key in sorted(value)}
            return {key: write(value[key]) for key in sorted(value)}
        if kind is list:
            return [write(entry) for entry in value]
        if left < 0:
            raise exceeded("characters of output", run.limits.output)
        if kind is str:
            return unescape(value, run.interpolation) if unescaped and "((!" in value else value
        if kind is float:
            return int(value) if value.is_integer() and abs(value) < 1 << 63 else value
        if isinstance(value, LambdaValue):
            return f"(( {value.text()} ))"
        if isinstance(value, TemplateValue):
            return write(value.origin)
        return f"(( {value} ))" if isinstance(value, Expression) else value

    return write(node)


HIDDEN = TEMPORARY | LOCAL


def to_yaml(node: Node, env: Env) -> str:
    """Write a node as a YAML document, with its final line break."""
    return emit.document(data(node, env.run))


def to_json(node: Node, env: Env) -> str:
    """Write a node as JSON on one line, as Go does."""
    return must_to_json(data(node, env.run))
