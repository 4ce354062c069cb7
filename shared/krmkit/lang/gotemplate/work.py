"""The work of functions, counted together over one execution, so that a loop of costly calls ends in an error.

A step is some 250 ns. Functions that take the time of a call anyway count nothing; those that go through long texts or
large lists charge for that.
"""

from __future__ import annotations

from _thread import _local

from krmkit.lang.gotemplate.functions import GoCallError

READ = 256
"""Characters that are looked at or copied in one step."""
MADE = 32
"""Characters of a new text that cost one step: they stay in memory, too."""
LONG = 1024
"""Shorter texts are not counted."""


class _Meter(_local):
    """Per thread: the steps left, or None outside of an execution; and how many there were."""

    left: int | None = None
    total = 0


_meter = _Meter()


def begin(total: int) -> bool:
    """An execution begins, and its functions draw on one budget. False inside another one: it goes on with that one's."""
    if _meter.left is not None:
        return False
    _meter.left = _meter.total = total
    return True


def end() -> None:
    """The execution for which begin() was True is over."""
    _meter.left = None


def charge(steps: int) -> None:
    """Takes steps from the budget, if there is one. Raises GoCallError when it is used up."""
    left = _meter.left
    if left is None:
        return
    _meter.left = left - steps
    if left < steps:
        raise GoCallError(
            f"the functions of the template take more than {_meter.total:,} steps (Limits.work)"
        )


def charge_text(text: str) -> str:
    """The same for a text that was made."""
    if len(text) > LONG:
        charge(len(text) // MADE)
    return text


def charge_read(text: str) -> None:
    """The same for a text that is gone through."""
    if len(text) > LONG:
        charge(len(text) // READ)
