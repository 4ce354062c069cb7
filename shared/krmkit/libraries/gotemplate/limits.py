"""The limits of parsing and executing a template; exceeding one is an error."""

from __future__ import annotations


class TemplateLimits:
    """Bounds of one template; parse() takes others.

    nesting: control structures and parentheses inside each other, in the text.
    depth: nested control structures and template calls at execution; each takes two Python frames, so a
        larger number may need a larger sys.setrecursionlimit.
    steps: nodes executed in loops and templates called from templates.
    output: characters written.
    work: of functions, in steps of some 250 ns: texts and lists that they read or make.
    """

    def __init__(
        self,
        nesting: int = 100,
        depth: int = 250,
        steps: int = 5_000_000,
        output: int = 64 * 1024 * 1024,
        work: int = 20_000_000,
    ) -> None:
        self.nesting = nesting
        self.depth = depth
        self.steps = steps
        self.output = output
        self.work = work


DEFAULT_LIMITS = TemplateLimits()
