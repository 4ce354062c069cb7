"""Limits of function calls in a template: costs are charged first, so a hostile template ends in an error.

All calls of one execution share its budget of steps, `Limits.work` of krmkit.libraries.gotemplate.
"""

from __future__ import annotations

from krmkit.libraries.go.core.work import LONG, MADE, charge
from krmkit.libraries.go.errors import GoError

__all__ = ["MAX_DEPTH", "MAX_ITEMS", "MAX_LENGTH", "CountingWalk", "charge", "charge_arguments", "charge_result",
           "check_items", "check_length"]  # fmt: skip

MAX_LENGTH = 16 * 1024 * 1024
"""Characters of a text that repeat, indent, join and the like may make; assign a larger one to raise it."""
MAX_ITEMS = 1_000_000
"""Items of a list that until, untilStep, seq and the like may make; assign a larger number to raise it."""
MAX_DEPTH = 150
"""Nesting of values that merge, deepCopy, toJson and the like follow; assign a larger number to raise it."""


_PIECE = 256  # characters that are copied in one step
_COPIED = 16  # items, likewise


def charge_arguments(args: tuple[object, ...]) -> None:
    """Charge for reading the arguments once."""
    work = 0
    for value in args:
        if isinstance(value, str):
            work += len(value) // _PIECE
        elif isinstance(value, (list, dict)):
            work += len(value) // _COPIED
    if work:
        charge(work)


def charge_result(result: object) -> object:
    """Charge for a long text by its bytes, so that a template cannot collect texts without limit.

    Raises GoError for a text that is too long.
    """
    if type(result) is str and len(result) > LONG:
        check_length(len(result))
        charge(result.__sizeof__() // MADE)
    return result


def check_length(length: int) -> None:
    """Charge for a text of this length. Raises GoError if it is too long."""
    if length > MAX_LENGTH:
        raise GoError(
            f"the result would have {length:,} characters, more than {MAX_LENGTH:,} (krmkit.libraries.go.core.limits.MAX_LENGTH)"
        )
    charge(length // _PIECE)


def check_items(count: int) -> None:
    """Charge for a list of this many items. Raises GoError if they are too many."""
    if count > MAX_ITEMS:
        raise GoError(
            f"the result would have {count:,} items, more than {MAX_ITEMS:,} (krmkit.libraries.go.core.limits.MAX_ITEMS)"
        )
    charge(count)


class CountingWalk:
    """Count the values that a walk through lists and dicts visits, a shared value at each visit."""

    __slots__ = ("_visited",)

    def __init__(self) -> None:
        self._visited = 0

    def visit(self, depth: int) -> None:
        """Count one value. Raises GoError for too many values or too deep a value."""
        self._visited += 1
        charge(1)
        if self._visited > MAX_ITEMS:
            raise GoError(
                f"the value has more than {MAX_ITEMS:,} values inside (krmkit.libraries.go.core.limits.MAX_ITEMS)"
            )
        if depth > MAX_DEPTH:
            raise GoError(
                f"the value is nested more than {MAX_DEPTH} deep, or contains itself "
                "(krmkit.libraries.go.core.limits.MAX_DEPTH)"
            )
