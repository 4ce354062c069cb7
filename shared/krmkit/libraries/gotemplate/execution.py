"""The state of one execution, and the positions of its errors."""

from __future__ import annotations

from krmkit.libraries.go.core.values import encode
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.gotemplate.errors import TemplateError
from krmkit.libraries.gotemplate.nodes import Node, Tree
from krmkit.libraries.yaml.effort import left, take, used_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from krmkit.libraries.gotemplate.limits import TemplateLimits

    Frame = list[Any]  # the Execution, then the values of the variables
    Write = Callable[[str], object]
    Statement = Callable[[Frame, object, Write], object]
    """Writes; returns BREAK or CONTINUE to leave or continue the loop around it, else None."""

    class Closure(Protocol):
        """A compiled expression: its value for a frame, a dot, and the value from the pipe.

        The value is None for a nil interface, ABSENT for no value.
        """

        def __call__(self, frame: Frame, dot: object, piped: object = ..., /) -> object: ...


BREAK = "break"
CONTINUE = "continue"

LAST = Node(-1)
"""Stands for the node in `Execution.last`: which node and, or visit last is known only at execution."""

_CHUNKS = 4096
LONG = 4096
"""Texts of more characters are counted at once, shorter ones in thousands."""


class Execution:
    """The state of one execution, the first entry of each of its frames."""

    def __init__(self, programs: Mapping[str, Program], limits: TemplateLimits) -> None:
        self.programs = programs
        self.limits = limits
        self.chunks: list[str] = []
        self.trace: list[tuple[int, int, Node]] = []
        budget = left()
        self.most = limits.steps if budget is None else min(limits.steps, budget)
        self.steps = self.most
        self.depth = 0
        self.left = limits.output
        self.last = LAST
        self.next_count = _CHUNKS
        self._counted = 0

    def count_output(self, site: Site, node: Node) -> None:
        """Count the characters written since the last call. Raises TemplateError over the limit."""
        chunks = self.chunks
        self.left -= sum(map(len, chunks[self._counted :]))
        self._counted = len(chunks)
        self.next_count = self._counted + _CHUNKS
        if self.left < 0:
            raise site.error(
                self, node, f"the output has more than {self.limits.output:,} characters (Limits.output)"
            )

    def too_many_steps(self, site: Site, node: Node) -> TemplateError:
        """Return the error for `steps` below zero."""
        if self.most < self.limits.steps:
            return site.error(self, node, used_up())
        return site.error(
            self, node, f"the template takes more than {self.limits.steps:,} steps (Limits.steps)"
        )

    def settle(self) -> None:
        """Charge this execution's steps to the run's budget."""
        take(self.most - self.steps)


class Site:
    """A tree and its option missingkey; creates the errors at the tree's nodes."""

    def __init__(self, tree: Tree, missing: str) -> None:
        self.tree = tree
        self.missing = missing

    def error(self, run: Execution, node: Node, message: str) -> TemplateError:
        """Return the error at a node, with the text written before it."""
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
    """A compiled template: `start` is a frame with a slot for each variable, `cost` its number of nodes."""

    def __init__(self, body: Statement, site: Site, slots: int, cost: int) -> None:
        self.body = body
        self.site = site
        self.start: Frame = [None] * slots
        self.cost = cost
