"""Tests for complete values: no expression left, and no pending merge."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.spiff.tree.embedded import embedded
from krmkit.libraries.spiff.tree.environment import Run
from krmkit.libraries.spiff.tree.nodes import Expression, Node, is_list_complete, is_map_complete


def is_locally_resolved(value: Any, run: Run) -> bool:
    """Return True if a value is no expression, and its own merges are complete."""
    kind = type(value)
    if kind is dict:
        run.look(len(value) if run.control else 0)
        return is_map_complete(value, run.control)
    if kind is list:
        run.look(len(value))
        return is_list_complete(value)
    return not isinstance(value, Expression)


def is_resolved(value: Any, run: Run) -> bool:
    """Return True if a value has no expression at any depth."""
    kind = type(value)
    if kind is str:
        return embedded(value, run.interpolation) is None
    if kind is dict:
        run.hold_entries(len(value))
        return all(is_resolved_node(node, run) for node in value.values())
    if kind is list:
        run.hold_entries(len(value))
        return all(is_resolved_node(node, run) for node in value)
    return not isinstance(value, Expression)


def is_resolved_node(node: Node, run: Run) -> bool:
    """Return True if a node has no expression; needs no walk if a flow has finished it."""
    state = node.state
    if state is not None and getattr(state, "settled", False):
        return True
    return is_resolved(node.value, run)
