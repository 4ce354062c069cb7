"""Numbers in other bases and floats in hexadecimal."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.fmt.numerals import format_number, hex_text


@pytest.mark.parametrize(
    ("number", "base", "text"), [(0, 2, "0"), (10, 2, "1010"), (8, 8, "10"), (255, 16, "ff"), (7, 10, "7")]
)
def test_bases(number: int, base: int, text: str) -> None:
    """Digits without a prefix."""
    assert format_number(number, base) == text


@pytest.mark.parametrize(
    ("number", "precision", "text"),
    [
        (1.0, -1, "0x1p+00"), (-0.5, -1, "-0x1p-01"), (0.0, 2, "0x0.00p+00"), (-0.0, -1, "-0x0p+00"),
        (1.75, 0, "0x1p+01"), (1.5, 0, "0x1p+01"), (1.999, 3, "0x1.ffcp+00"), (5e-324, -1, "0x1p-1074"), (1e300, 1, "0x1.8p+996"),
        (1.0, 15, "0x1.000000000000000p+00"),
    ],
)  # fmt: skip
def test_hexadecimal(number: float, precision: int, text: str) -> None:
    """Normalised, rounded half to even."""
    assert hex_text(number, "x", precision) == text


def test_binary_exponent() -> None:
    """The mantissa as a whole number."""
    assert hex_text(-1.0, "b", -1) == "-4503599627370496p-52"
    assert hex_text(0.0, "b", -1) == "0p-1074"
