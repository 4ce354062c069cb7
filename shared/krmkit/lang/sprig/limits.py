"""What a single call may make. Counted before anything is made, so that a hostile template ends in an error."""

from __future__ import annotations

from krmkit.lang.gotemplate.functions import GoCallError

MAX_LENGTH = 16 * 1024 * 1024
"""Characters of a text that repeat, indent, join and the like may make; assign a larger number to raise it."""
MAX_ITEMS = 1_000_000
"""Items of a list that until, untilStep, seq and the like may make; assign a larger number to raise it."""
MAX_DEPTH = 150
"""Nesting of values that merge, deepCopy, toJson and the like follow; assign a larger number to raise it."""


def check_length(length: int) -> None:
    """Raises GoCallError for a text that would be too long."""
    if length > MAX_LENGTH:
        raise GoCallError(
            f"the result would have {length:,} characters, more than {MAX_LENGTH:,} (krmkit.lang.sprig.limits.MAX_LENGTH)"
        )


def check_items(count: int) -> None:
    """Raises GoCallError for a list that would be too long."""
    if count > MAX_ITEMS:
        raise GoCallError(
            f"the result would have {count:,} items, more than {MAX_ITEMS:,} (krmkit.lang.sprig.limits.MAX_ITEMS)"
        )


class Walk:
    """Counts the values that a walk through lists and dicts visits; shared ones count each time they are met."""

    __slots__ = ("_visited",)

    def __init__(self) -> None:
        self._visited = 0

    def visit(self, depth: int) -> None:
        """Raises GoCallError when there are too many values, or too deep ones."""
        self._visited += 1
        check_items(self._visited)
        if depth > MAX_DEPTH:
            raise GoCallError(
                f"the value is nested more than {MAX_DEPTH} deep, or contains itself "
                "(krmkit.lang.sprig.limits.MAX_DEPTH)"
            )
