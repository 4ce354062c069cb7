"""The limits of a run. Exceeding one is an EffortError, as for all languages."""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.libraries.yaml.effort import EffortError


@dataclass(slots=True, eq=False)
class SpiffLimits:
    """The limits of a run, all counted.

    - `passes`: over one document. `steps`: evaluations of nodes.
    - `depth`: nested calls and templates. `nodes`: made by evaluations.
    - `held`: nodes of all values; `[a, a]` counts a's nodes twice. `output`: characters of the result.
    """

    passes: int = 400
    steps: int = 2_000_000
    depth: int = 200
    nodes: int = 2_000_000
    held: int = 2_000_000
    output: int = 64 * 1024 * 1024


DEFAULT_LIMITS = SpiffLimits()


def exceeded(what: str, limit: int) -> EffortError:
    """Return the error for a limit; `what` is the counted thing."""
    return EffortError(f"the template needs more than {limit} {what}; it may never end")
