"""The flow's data about the nodes of its tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from krmkit.libraries.spiff.tree.environment import Env, Scope
from krmkit.libraries.spiff.tree.errors import Path
from krmkit.libraries.spiff.tree.nodes import DEFAULT, IMPLIED, STATE, TEMPORARY, Expression, Node


@dataclass(slots=True, eq=False)
class FlowPlace:
    """The state of a map or list. settled: it cannot change. chosen: a control structure's pending choice."""

    flow: Flows
    path: Path
    scope: Scope | None
    settled: bool = False
    chosen: Node | None = None


@dataclass(slots=True, eq=False)
class Cell:
    """The state of an expression: its environment, and its outcome in the pass number `tick`."""

    settled = False

    flow: Flows
    env: Env
    override: bool
    tick: int = 0
    busy: bool = False
    outcome: Node | None = None


class Flows(Protocol):
    """The flow's interface for maps, lists and cells, implemented by `flow.document.Flow`."""

    tick: int
    changes: int

    def node(self, root: Node, env: Env, override: bool) -> Node:
        """Return the node after one pass."""

    def demand(self, node: Node, cell: Cell) -> Node:
        """Evaluate the expression of a node before its turn."""

    def overridden(self, root: Node, env: Env, override: bool) -> Node:
        """Return the node, or a stub's node that replaces it."""

    def is_settled(self, node: Node, interpolation: bool) -> bool:
        """Return True if a node cannot change any more."""


def inherited(env: Env) -> tuple[int, Node | None]:
    """Return the flags that a map or list inherits from its counterpart in the stubs, and that node."""
    stub = env.find_in_stubs(env.stub_path) if env.stubs else None
    return (0 if stub is None else stub.note.flags & (TEMPORARY | STATE)), stub


def implied(node: Node, flags: int) -> Node:
    """Mark a map's entry with `flags` as implied if the map is a default."""
    return node.with_flags(IMPLIED) if flags & (DEFAULT | IMPLIED) else node


def update(node: Node, env: Env) -> Node:
    """Return the newest state of a node, after evaluating an expression whose turn has not come."""
    cell = node.state
    while type(cell) is Cell:
        outcome = cell.outcome
        if outcome is None or isinstance(outcome.value, Expression):
            if cell.busy or cell.tick == cell.flow.tick:
                return node
            env.run.demands += 1
            outcome = cell.flow.demand(node, cell)
            if isinstance(outcome.value, Expression):
                return outcome
        elif cell.tick == cell.flow.tick:
            env.run.demands += 1
        node = outcome
        cell = node.state
    return node
