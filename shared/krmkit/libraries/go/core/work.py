"""The work of functions, counted over one execution, so that a loop of costly calls ends in an error.

A step is some 250 ns. Cheap functions count nothing; functions on long texts or large lists charge for them.
"""

from __future__ import annotations

from krmkit.libraries.go.errors import GoError
from krmkit.libraries.yaml import effort
from krmkit.libraries.yaml.effort import end

__all__ = ["LONG", "MADE", "READ", "begin", "charge", "charge_read", "charge_text", "end"]

READ = 256
"""Characters that are looked at or copied in one step."""
MADE = 32
"""Characters of a new text that cost one step: they stay in memory, too."""
LONG = 1024
"""Shorter texts are not counted."""


def begin(total: int) -> bool:
    """Begin an execution with a budget; return False if an outer execution or run has one already."""
    return effort.begin(total, "Limits.work")


def charge(steps: int) -> None:
    """Take steps from the run's budget, if there is one. Raises GoError if it is used up."""
    try:
        effort.charge(steps)
    except effort.EffortError as error:
        raise GoError(str(error)) from None


def charge_text(text: str) -> str:
    """Charge for a new text."""
    if len(text) > LONG:
        charge(len(text) // MADE)
    return text


def charge_read(text: str) -> None:
    """Charge for reading a text."""
    if len(text) > LONG:
        charge(len(text) // READ)
