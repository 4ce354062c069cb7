"""The data of a flow about the places of its tree, and the common data of its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from krmkit.libraries.spiff.tree.environment import Env, Scope
from krmkit.libraries.spiff.tree.errors import Path
from krmkit.libraries.spiff.tree.nodes import DEFAULT, IMPLIED, STATE, TEMPORARY, Expression, Node


@dataclass(slots=True, eq=False)
class FlowPlace:
    """The state of a map or list. settled: nothing in it can change. chosen: what a control structure selects while that
    is not ready."""

    flow: Flows
    path: Path
    scope: Scope | None
    settled: bool = False
    chosen: Node | None = None


@dataclass(slots=True, eq=False)
class Cell:
    """The state of an expression: where it is evaluated, and what came of it in the pass number `tick`."""

    settled = False

    flow: Flows
    env: Env
    override: bool
    tick: int = 0
    busy: bool = False
    outcome: Node | None = None


class Flows(Protocol):
    """The interface of the flow for its maps, lists and cells: `flow.document.Flow`."""

    tick: int
    changes: int

    def node(self, root: Node, env: Env, override: bool) -> Node:
        """The node after one pass."""

    def demand(self, node: Node, cell: Cell) -> Node:
        """The node of an expression, evaluated before its turn."""

    def overridden(self, root: Node, env: Env, override: bool) -> Node:
        """The node, or what the stubs have in its place."""

    def is_settled(self, node: Node, interpolation: bool) -> bool:
        """Whether a node cannot change any more."""


def inherited(env: Env) -> tuple[int, Node | None]:
    """The flags that a map or list takes from its counterpart in the stubs, and that node."""
    if not env.stubs:
        return 0, None
    stub = env.find_in_stubs(env.stub_path)
    if stub is None:
        return 0, None
    return stub.note.flags & (TEMPORARY | STATE), stub


def implied(node: Node, flags: int) -> Node:
    """An entry of a map with `flags`: those of a default do not count as values."""
    return node.with_flags(IMPLIED) if flags & (DEFAULT | IMPLIED) else node


def update(node: Node, env: Env) -> Node:
    """The newest state of a node: an expression is evaluated first where its turn has not come yet."""
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
