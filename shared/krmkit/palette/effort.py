"""What one run may spend on formats: hostile schemas end in findings by counting, however many small ones there are."""

from __future__ import annotations

from krmkit.lang import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.lang.pattern import Pattern

MAX_INSTRUCTIONS = 20_000_000
"""Instructions of all the regular expressions of one run, each counted once."""
MAX_STEPS = 10_000_000_000
"""Steps that they may take on all values together, at worst."""
MAX_TESTS = 1_000_000
"""Pieces of one value that a composite format may try."""

_REFUSED = 90_000  # what compiling a pattern costs that turns out to be too large
_TEST = 1_000  # what a piece of a composite costs, in steps


class EffortError(ValueError):
    """The run has spent what it may; the message names the limit."""


class Effort:
    """Counts down, for one run."""

    __slots__ = ("_instructions", "_seen", "_steps")

    def __init__(self) -> None:
        self._instructions = MAX_INSTRUCTIONS
        self._steps = MAX_STEPS
        self._seen: set[str] = set()

    def compile(self, text: str) -> Pattern:
        """A pattern of krmkit.lang.pattern. Raises PatternError, EffortError."""
        if self._instructions < 0:
            raise EffortError(
                "the regular expressions of all packs together are too large (krmkit.palette.effort.MAX_INSTRUCTIONS)"
            )
        cost = 0 if text in self._seen else _REFUSED
        self._seen.add(text)
        try:
            compiled = pattern.compile(text)
            cost = min(cost, compiled.size)
        finally:
            self._instructions -= cost
        return compiled

    def search(self, pattern: Pattern, text: str) -> bool:
        """Whether the pattern matches anywhere. Raises PatternError, EffortError."""
        self.spend(pattern.cost(len(text)))
        return pattern.search(text) is not None

    def tests(self, number: int) -> None:
        """Pieces of a composite were tried. Raises EffortError."""
        self.spend(number * _TEST)

    def spend(self, steps: int) -> None:
        """Count steps. Raises EffortError."""
        self._steps -= steps
        if self._steps < 0:
            raise EffortError(
                "the formats of all packs together need too many steps (krmkit.palette.effort.MAX_STEPS)"
            )
