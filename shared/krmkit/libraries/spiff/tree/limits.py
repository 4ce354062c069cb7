"""The limits of a run, and the error of a run that exceeds them: an EffortError, as for the effort of all languages."""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.libraries.yaml.effort import EffortError


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


def exceeded(what: str, limit: int) -> EffortError:
    """Return the error for a count that ran out; `what` names it."""
    return EffortError(f"the template needs more than {limit} {what}; it may never end")
