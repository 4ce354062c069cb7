"""The limits of parsing and executing a template. Everything is counted: a hostile template ends in an error."""

from __future__ import annotations


class TemplateLimits:
    """Bounds of one template; pass a Limits with larger numbers to parse() to raise them.

    nesting: control structures and parentheses inside each other, in the text.
    depth: nested control structures and template calls at execution; each takes two Python frames, so a larger number
        may need a larger sys.setrecursionlimit.
    steps: nodes executed in loops and templates called from templates.
    output: characters written.
    work: what functions do, in steps of some 250 ns: texts and lists that are gone through or made.
    """

    __slots__ = ("depth", "nesting", "output", "steps", "work")

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
