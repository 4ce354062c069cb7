"""Waiting for what another process or thread does: tests wait for the condition itself, never for a time that may be too short."""

from __future__ import annotations

import time
from collections.abc import Callable

MOST = 120.0
"""Seconds after which a condition counts as never true: many times what the slowest loaded machine needs."""


def until(condition: Callable[[], bool], said: Callable[[], str] = str, most: float = MOST) -> None:
    """Return as soon as the condition is true; after `most` seconds the test fails with what `said` returns.

    until(lambda: path.exists())
    """
    end = time.monotonic() + most
    while not condition():
        assert time.monotonic() < end, f"not true after {most:g} seconds {said()}"
        time.sleep(0.02)
