"""The counter of costs finds a square and lets a straight line pass."""

from __future__ import annotations

import pytest

from tests.costs import check_shape, count


def _straight(size: int) -> object:
    return sum(number * 2 for number in range(size))


def _square(size: int) -> object:
    return [other for number in range(size) for other in range(number) if other == number - 1]


def test_count_is_the_same_every_time() -> None:
    """Two runs of the same work take the same number of steps."""
    assert count(lambda: _straight(100)) == count(lambda: _straight(100)) > 100


def test_a_straight_line_passes() -> None:
    """Twice the items cost twice the work."""
    check_shape(lambda size: lambda: _straight(size), 200)


def test_a_square_fails_and_is_named() -> None:
    """The message names the function whose lines grow too fast."""
    with pytest.raises(AssertionError, match=r"_square|listcomp"):
        check_shape(lambda size: lambda: _square(size), 50)
