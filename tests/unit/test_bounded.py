"""tests.bounded: work that never ends is a failure of its test."""

from __future__ import annotations

import pytest

from tests.bounded import bounded


def endless() -> None:
    while True:
        pass


def test_endless_work_fails() -> None:
    """A loop without an end is stopped, and says why."""
    with pytest.raises(pytest.fail.Exception, match="it may never end"), bounded(0.05):
        endless()
