"""krmkit.systems.palette.constraints.decimals: numbers compared without rounding."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krmkit.systems.palette.constraints.decimals import parse_decimal

_NUMBERS = st.from_regex(r"\A[+-]?([0-9]{1,6}(\.[0-9]{0,6})?|\.[0-9]{1,6})([eE][+-]?[0-9]{1,2})?\Z")


@given(_NUMBERS, _NUMBERS)
def test_order_is_that_of_the_numbers(left: str, right: str) -> None:
    """Two numbers compare as their exact values do."""
    first, second = parse_decimal(left), parse_decimal(right)
    assert first is not None
    assert second is not None

    assert (first < second) == (Fraction(left) < Fraction(right))
    assert (first <= second) == (Fraction(left) <= Fraction(right))


@pytest.mark.parametrize(
    "text", ["", "+", ".", "1e", "e1", "1.2.3", "0x1", "1_0", " 1", "1 ", "nan", "inf", "--1", "١"]
)
def test_other_forms(text: str) -> None:
    """What is not in decimal form is not a number."""
    assert parse_decimal(text) is None


def test_huge_exponents_are_only_compared() -> None:
    """An exponent of many digits costs nothing."""
    huge, tiny = parse_decimal("1e" + "9" * 1000), parse_decimal("1e-" + "9" * 1000)
    one = parse_decimal("1")
    assert huge is not None
    assert tiny is not None
    assert one is not None

    assert tiny < one < huge
