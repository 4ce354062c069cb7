"""The limits of a run, and the error of a run that exceeds them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class SpiffLimits:
    """The limits of a run; each is counted.

    passes: of the fixpoint over one document. steps: evaluations of nodes. depth: calls and templates inside each other.
    nodes: of what is made. held: nodes of all values, one that `[a, a]` holds twice counted twice. output: characters of
    the result.
    """

    passes: int = 400
    steps: int = 2_000_000
    depth: int = 200
    nodes: int = 2_000_000
    held: int = 2_000_000
    output: int = 64 * 1024 * 1024


DEFAULT_LIMITS = SpiffLimits()


class SpiffLimitError(Exception):
    """A count ran out; `what` names it."""

    def __init__(self, what: str, limit: int) -> None:
        super().__init__(f"the template needs more than {limit} {what}; it may never end")

    @classmethod
    def of(cls, message: str) -> SpiffLimitError:
        """The error for a limit that is counted elsewhere."""
        error = cls("", 0)
        error.args = (message,)
        return error
