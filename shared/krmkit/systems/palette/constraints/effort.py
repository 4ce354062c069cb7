"""The budget of one run for formats: hostile schemas end in findings, also if many small costs add up."""

from __future__ import annotations

from krmkit.libraries.go.regexp.pattern import Pattern, PatternError
from krmkit.libraries.yaml import effort
from krmkit.libraries.yaml.effort import EffortError

__all__ = ["Effort", "EffortError"]

MAX_TESTS = 1_000_000
"""Pieces of one value that a composite format may try."""

_INSTRUCTION = 6  # steps of effort that an instruction of a pattern costs, when it is compiled
_SEARCHED = 1_000  # steps of a search, at worst, that make a step of effort


class Effort:
    """Charges the effort of the run; outside of a run it is a budget of its own."""

    def __init__(self) -> None:
        self._left = effort.DEFAULT
        self._known: dict[str, Pattern | PatternError] = {}

    def compile(self, text: str) -> Pattern:
        """Compile a pattern; the same one again costs nothing. Raises PatternError, EffortError."""
        known = self._known.get(text)
        if known is None:
            self._charge(0)
            known = self._known[text] = self._new(text)
        if isinstance(known, Exception):
            raise known.with_traceback(None)
        return known

    def _new(self, text: str) -> Pattern | PatternError:
        from krmkit.libraries.go.regexp import pattern  # for the few schemas that have one

        try:
            compiled = pattern.compile(text)
        except pattern.PatternError as error:
            self._left -= error.cost
            return error
        self._left -= compiled.begun
        self._charge(compiled.size * _INSTRUCTION)
        return compiled

    def search(self, pattern: Pattern, text: str) -> bool:
        """Return whether the pattern matches anywhere. Raises PatternError, EffortError."""
        self._charge(pattern.cost(len(text)) // _SEARCHED)
        return pattern.search(text) is not None

    def tests(self, number: int) -> None:
        """Pieces of a composite were tried. Raises EffortError."""
        self._charge(number)

    def _charge(self, steps: int) -> None:
        effort.charge(steps)
        self._left -= steps
        if self._left < 0 and not effort.running():
            raise EffortError(
                f"the formats of all packs take too many steps: more than {effort.DEFAULT:,} of effort"
            )
