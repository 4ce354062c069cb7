"""krmkit.libraries.kube.quantity: Kubernetes quantities in exact nano units."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.kube import quantity
from krmkit.libraries.kube.quantity import GIGABYTE, LARGEST, MEBIBYTE, MILLICORE, NANO


@pytest.mark.parametrize(
    ("text", "nano"),
    [
        pytest.param("2", 2 * NANO, id="whole"),
        pytest.param("500m", 500 * MILLICORE, id="milli"),
        pytest.param("0.25", 250 * MILLICORE, id="decimal"),
        pytest.param("5.", 5 * NANO, id="point-at-the-end"),
        pytest.param(".5", 500 * MILLICORE, id="point-first"),
        pytest.param("1Gi", NANO * 2**30, id="binary"),
        pytest.param("0.5Gi", NANO * 2**29, id="binary-fraction"),
        pytest.param("1G", GIGABYTE, id="decimal-suffix"),
        pytest.param("1e9", GIGABYTE, id="exponent"),
        pytest.param("1E", NANO * 10**18, id="exa-is-no-exponent"),
        pytest.param("1E3", NANO * 1000, id="capital-exponent"),
        pytest.param("5e-3", 5 * MILLICORE, id="negative-exponent"),
        pytest.param("+1.5Mi", NANO * 3 * 2**19, id="sign"),
        pytest.param("-1", -NANO, id="negative"),
        pytest.param("0.1n", 1, id="finer-than-nano-rounds-up"),
        pytest.param("1e-999999999", 1, id="tiny-exponent"),
        pytest.param("0e99999", 0, id="zero-with-exponent"),
        pytest.param("9223372036854775807", LARGEST, id="largest"),
    ],
)
def test_parse(text: str, nano: int) -> None:
    """A quantity is read as Kubernetes reads it, exactly."""
    assert quantity.parse(text) == nano


@pytest.mark.parametrize(
    ("text", "teaches"),
    [
        pytest.param("", "starts with a number", id="empty"),
        pytest.param("m", "starts with a number", id="suffix-only"),
        pytest.param(" 1", "starts with a number", id="leading-blank"),
        pytest.param("1 ", "blanks", id="trailing-blank"),
        pytest.param("1GB", "write G", id="bytes"),
        pytest.param("1gib", "write Gi", id="binary-bytes"),
        pytest.param("1K", "write k", id="capital-kilo"),
        pytest.param("1e", "whole number", id="exponent-without-digits"),
        pytest.param("1e1.5", "whole number", id="fractional-exponent"),
        pytest.param("0x10", "not known", id="hexadecimal"),
        pytest.param("1_000", "not known", id="underscore"),
        pytest.param("١", "starts with a number", id="other-digits"),
        pytest.param("8Ei", "2^63-1", id="too-large"),
        pytest.param("1e999999999", "2^63-1", id="huge-exponent"),
        pytest.param("1" * 101, "101 characters", id="too-long"),
    ],
)
def test_errors_teach(text: str, teaches: str) -> None:
    """What is not a quantity is refused, with what would be right."""
    with pytest.raises(GoInputError) as caught:
        quantity.parse(text)

    assert teaches in str(caught.value)


@pytest.mark.parametrize(
    ("number", "nano"),
    [
        pytest.param(4, 4 * NANO, id="int"),
        pytest.param(0.4, 400 * MILLICORE, id="float-by-its-shortest-form"),
        pytest.param(1e-7, 100, id="float-with-exponent"),
    ],
)
def test_from_number(number: float, nano: int) -> None:
    """Numbers of a config are exact in the form in which they were written."""
    assert quantity.from_number(number) == nano


@pytest.mark.parametrize("number", [float("inf"), float("nan"), 2**63])
def test_from_number_refuses(number: float) -> None:
    """Numbers that no quantity can hold are errors."""
    with pytest.raises(GoInputError):
        quantity.from_number(number)


@pytest.mark.parametrize(
    ("nano", "unit", "up", "shown"),
    [
        pytest.param(1500 * MILLICORE, MILLICORE, False, "1500", id="whole"),
        pytest.param(10**18, MEBIBYTE, False, "953.674", id="cut-off"),
        pytest.param(10**18, MEBIBYTE, True, "953.675", id="rounded-up"),
        pytest.param(MILLICORE // 2, MILLICORE, True, "0.5", id="short-fraction"),
        pytest.param(0, MILLICORE, True, "0", id="zero"),
        pytest.param(-1500 * MILLICORE, MILLICORE, False, "-1500", id="negative"),
    ],
)
def test_in_unit(nano: int, unit: int, up: bool, shown: str) -> None:
    """A total is shown in the unit asked for, never nearer to the other side than it is."""
    assert quantity.in_unit(nano, unit, up) == shown
