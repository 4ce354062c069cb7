"""The effort of a run, counted: aliases, templates, patterns, schemas and CEL share one budget.

A step is some 250 ns of work, so that the default of `--limit effort` is less than a second. No clock is
read: equal input ends equally on every machine. Cheap work counts nothing.
"""

from __future__ import annotations

from _thread import _local

from krmkit.libraries.yaml.limits import DEFAULT_LIMITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

DEFAULT = DEFAULT_LIMITS.effort
"""Steps that a run may take by default."""


class EffortError(ValueError):
    """The run has exceeded its effort; the message names the limit."""


class _Meter(_local):
    """For each thread: the steps left, or None outside of a run, and the run's total."""

    left: int | None = None
    total = 0
    hint = ""


_meter = _Meter()


def begin(total: int = DEFAULT, hint: str = "raise it with --limit effort=N") -> bool:
    """Begin a run with a budget; return False if an outer run has one already.

    `hint` tells how to raise it. Example: `outermost = begin(1_000)`, then the work, then `if outermost:
    end()`.
    """
    if _meter.left is not None:
        return False
    _meter.left = _meter.total = total
    _meter.hint = hint
    return True


def end() -> None:
    """End the run for which `begin` was True."""
    _meter.left = None


def left() -> int | None:
    """Return the remaining steps, at least 0; None outside of a run."""
    return None if _meter.left is None else max(_meter.left, 0)


def take(steps: int) -> None:
    """Take steps for finished work: the budget may fall below zero, and the next `charge` raises."""
    if _meter.left is not None:
        _meter.left -= steps


def counted(work: Callable[[], T]) -> tuple[T, int]:
    """Return the result of `work` and its steps, measured with a separate budget."""
    before = left() or 0
    result = work()
    return result, before - (left() or 0)


def used_up() -> str:
    """Return the message for an exhausted budget."""
    return f"the run needs more than {_meter.total:,} steps of effort ({_meter.hint})"


def is_over() -> bool:
    """Return True if the run exceeded its budget."""
    return _meter.left is not None and _meter.left < 0


def running() -> bool:
    """Return True inside a run."""
    return _meter.left is not None


def charge(steps: int) -> None:
    """Take steps from the budget, if there is one. Raises EffortError if it is exhausted."""
    left = _meter.left
    if left is None:
        return
    _meter.left = left - steps
    if left < steps:
        raise EffortError(used_up())
