"""krmkit.libraries.go.fmt.numbers: Atoi and IntOrString."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.numbers import atoi, check_int_or_percent


@pytest.mark.parametrize(
    ("text", "value"),
    [("0", 0), ("+07", 7), ("-3", -3), ("9223372036854775807", 2**63 - 1), ("0" * 5000 + "1", 1)],
)
def test_atoi(text: str, value: int) -> None:
    """Decimal digits with an optional sign are a number."""
    assert atoi(text) == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "invalid syntax"),
        ("+", "invalid syntax"),
        ("1_0", "invalid syntax"),
        ("0x1", "invalid syntax"),
        ("١", "invalid syntax"),
        (" 1", "invalid syntax"),
        ("9223372036854775808", "value out of range"),
        ("9" * 5000, "value out of range"),
    ],
)
def test_no_number(text: str, problem: str) -> None:
    """Anything else is an error in Go's words."""
    with pytest.raises(GoInputError, match=problem):
        atoi(text)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (3, ""),
        ("40%", ""),
        ("abc", "invalid value for IntOrString: invalid type: string is not a percentage"),
        (
            "x%",
            'invalid value for IntOrString: invalid value "x%": strconv.Atoi: parsing "x": invalid syntax',
        ),
    ],
)
def test_int_or_percent(value: int | str, problem: str) -> None:
    """A number, or a text that is a percentage."""
    assert check_int_or_percent(value) == problem
