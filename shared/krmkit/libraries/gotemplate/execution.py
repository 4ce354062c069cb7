"""The state of one execution, and the places that its errors name."""

from __future__ import annotations

from krmkit.libraries.go.core.values import encode
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.gotemplate.errors import TemplateError
from krmkit.libraries.gotemplate.nodes import Node, Tree
from krmkit.libraries.yaml.effort import left, take, used_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from krmkit.libraries.gotemplate.limits import TemplateLimits

    Frame = list[Any]  # the Run, then the values of the variables
    Write = Callable[[str], object]
    Expression = Callable[[Frame, object], object]
    """A value of a frame (variables) and a dot: None for a nil interface, ABSENT for no value."""
    Stage = Callable[[Frame, object, object], object]
    """A later stage of a pipeline; gets the value of the stage before, too."""
    Statement = Callable[[Frame, object, Write], object]
    """Writes; returns BREAK or CONTINUE when the loop around it is to be left or continued, else None."""

BREAK = "break"
CONTINUE = "continue"

LAST = Node(-1)
"""Stands for the node that `Execution.last` names, where the text alone does not tell which node was visited last."""

_CHUNKS = 4096
LONG = 4096
"""Texts of more characters are counted at once; shorter ones after some thousands of them."""


class Execution:
    """One execution: frames begin with it, followed by the values of `$` and the variables."""

    __slots__ = (
        "_counted",
        "chunks",
        "depth",
        "last",
        "left",
        "limits",
        "most",
        "next_count",
        "programs",
        "steps",
    )

    def __init__(self, programs: Mapping[str, Program], limits: TemplateLimits) -> None:
        self.programs = programs
        self.limits = limits
        self.chunks: list[str] = []
        budget = left()
        self.most = limits.steps if budget is None else min(limits.steps, budget)
        self.steps = self.most
        self.depth = 0
        self.left = limits.output
        self.last = LAST
        self.next_count = _CHUNKS
        self._counted = 0

    def count_output(self, site: Site, node: Node) -> None:
        """Counts the characters written since the last call; raises TemplateError when there are too many."""
        chunks = self.chunks
        self.left -= sum(map(len, chunks[self._counted :]))
        self._counted = len(chunks)
        self.next_count = self._counted + _CHUNKS
        if self.left < 0:
            raise site.error(
                self, node, f"the output has more than {self.limits.output:,} characters (Limits.output)"
            )

    def too_many_steps(self, site: Site, node: Node) -> TemplateError:
        """The error when `steps` has come below zero."""
        if self.most < self.limits.steps:
            return site.error(self, node, used_up())
        return site.error(
            self, node, f"the template takes more than {self.limits.steps:,} steps (Limits.steps)"
        )

    def settle(self) -> None:
        """Draw the steps of this execution from the run's budget."""
        take(self.most - self.steps)


class Site:
    """A tree as errors see it: where its text came from, and as which template it runs."""

    __slots__ = ("missing", "tree")

    def __init__(self, tree: Tree, missing: str) -> None:
        self.tree = tree
        self.missing = missing

    def error(self, run: Execution, node: Node, message: str) -> TemplateError:
        """The error at a node, with what has been written so far."""
        if node is LAST:
            node = run.last
        tree = self.tree
        line_start = tree.text.rfind("\n", 0, node.pos) + 1
        line = 1 + tree.text.count("\n", 0, node.pos)
        column = len(encode(tree.text[line_start : node.pos]))
        return TemplateError(
            f"template: {tree.parse_name}:{line}:{column}: executing {quote(tree.name)} at <{node}>: {message}",
            "exec",
            line,
            column,
            "".join(run.chunks) if run.left >= 0 else "",
        )


class Program:
    """A compiled template: `start` is a frame with a place for each of its variables, `cost` its number of nodes."""

    __slots__ = ("body", "cost", "site", "start")

    def __init__(self, body: Statement, site: Site, slots: int, cost: int) -> None:
        self.body = body
        self.site = site
        self.start: Frame = [None] * slots
        self.cost = cost
