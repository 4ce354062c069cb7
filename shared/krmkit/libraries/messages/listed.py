"""Lists of names in messages."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def listed(names: Sequence[str], most: int = 10) -> str:
    """Join the first names, and count the rest: `listed(["a", "b", "c"], 2) == "a, b and 1 more"`."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
