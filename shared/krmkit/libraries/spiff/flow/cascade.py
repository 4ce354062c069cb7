"""The cascade: stubs are merged from right to left, each with the later ones, then the template with all."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.spiff.expressions.output import HIDDEN, without
from krmkit.libraries.spiff.flow.document import Flow
from krmkit.libraries.spiff.flow.unresolved import Found, find_unresolved, unresolved_error, unresolved_issue
from krmkit.libraries.spiff.tree.environment import Env, Run
from krmkit.libraries.spiff.tree.errors import Failure
from krmkit.libraries.spiff.tree.nodes import LOCAL, Expression, Node


def flow_document(
    run: Run, outer: Env | None, source: Node, stubs: list[Node], final: bool = True
) -> tuple[Node, list[Found]]:
    """Flow one document with prepared stubs; return the result and its nodes without a value.

    final: the document is the template, not a stub, so its dynamic templates get their values.
    """
    env = Env(run, stubs, source.source, outer)
    env.final = final
    result = Flow().run(source, env, True)
    return result, find_unresolved(result, run)


def flow_inside(node: Node, env: Env, message: str) -> Node:
    """Flow a node inside an expression. Raises Failure with `message` if a node has no value."""
    demands = env.run.demands
    result = Flow().run(node, env, False)
    env.run.demands = demands  # the expression waits for nothing: the node had its own passes
    left = find_unresolved(result, env.run)
    if left:
        raise Failure(unresolved_issue(left, message))
    return result


def prepare_stubs(run: Run, outer: Env | None, stubs: list[Node], partial: bool) -> list[Node]:
    """Return the stubs in the form in which the template reads them."""
    prepared: list[Node] = []
    for stub in reversed(stubs):
        result, left = flow_document(run, outer, stub, prepared[:], False)
        if left and not partial:
            raise unresolved_error(left)
        prepared.insert(0, without(result, LOCAL))
        run.tags.forget_stub()
    return prepared


def cascade(run: Run, outer: Env | None, template: Node, stubs: list[Node]) -> Node:
    """Merge a template with stubs, and drop temporary nodes."""
    prepared = prepare_stubs(run, outer, stubs, False)
    result, left = flow_document(run, outer, template, prepared)
    if left:
        raise unresolved_error(left)
    return without(result, HIDDEN)


def reset(node: Node) -> Node:
    """Turn open expressions back into strings."""
    value: Any = node.value
    if type(value) is dict:
        return Node({key: reset(entry) for key, entry in value.items()}, node.source, node.note)
    if type(value) is list:
        return Node([reset(entry) for entry in value], node.source, node.note)
    if isinstance(value, Expression):
        return Node(f"(( {value} ))", node.source)
    return node
