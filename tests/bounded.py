"""A bound for work that might never end: a test of a limit must fail where the limit is gone, and not run for ever."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

MOST = 30.0
"""Seconds of this process's own processor time that a unit test may take: many times what the slowest needs."""


@contextmanager
def bounded(most: float = MOST) -> Iterator[None]:
    """Fail the test whose work takes more than `most` seconds of processor time; waiting and other processes do not count."""

    def stop(number: int, frame: FrameType | None) -> None:
        pytest.fail(f"took more than {most:g} seconds of processor time: it may never end")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
