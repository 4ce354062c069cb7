"""The shape of costs: twice the input must cost less than three times the work, counted and never timed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

MOST = 3.0
"""What twice the input may cost. A square costs four times as much."""

Make = Callable[[int], Callable[[], object]]
"""Prepares an input of a size, and returns the work to be counted."""


def count(work: Callable[[], object]) -> int:
    """Return how many lines of Python run and how many C functions are called while `work` runs.

    Example: `count(lambda: sum(n for n in range(100)))` is about 100. Work inside of one C call is not seen.
    """
    steps = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        return trace

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal steps
        steps += event == "c_call"

    before = sys.gettrace(), sys.getprofile()
    sys.settrace(trace)
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.settrace(before[0])
        sys.setprofile(before[1])
    return steps


def places(work: Callable[[], object]) -> dict[str, int]:
    """Return the lines run per function, the most first: what to look at when a shape is wrong."""
    found: dict[CodeType, int] = {}

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            found[frame.f_code] = found.get(frame.f_code, 0) + 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    ordered = sorted(found.items(), key=lambda item: -item[1])
    return {f"{code.co_filename}:{code.co_firstlineno} {code.co_name}": lines for code, lines in ordered}


def check_shape(make: Make, size: int = 100, most: float = MOST) -> None:
    """Assert that the work of `make(2 * size)` costs less than `most` times the work of `make(size)`."""
    make(size)()  # imports and tables that are made once
    small, large = make(size), make(2 * size)
    once, twice = count(small), count(large)
    if twice >= most * once:
        again, more = places(make(size)), places(make(2 * size))
        grown = [
            f"{again.get(place, 0):>8} -> {lines:>8}  {place}"
            for place, lines in more.items()
            if lines >= most * again.get(place, 0)
        ]
        raise AssertionError(
            f"size {size} takes {once} steps, twice that takes {twice} ({twice / once:.1f} x, at most {most});"
            " lines that grow faster:\n" + "\n".join(grown[:8])
        )
