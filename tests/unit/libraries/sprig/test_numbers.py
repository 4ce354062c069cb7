"""Arithmetic on anything: cast's reading of numbers, wrapping integers, decimal floats, counted ranges."""

from __future__ import annotations

from math import copysign, isnan

import pytest

from krmkit.libraries.go.core.values import Int64, IntList
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.sprig import call

INF = float("inf")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("0x1F", 31, id="hexadecimal"),
        pytest.param("-0b101", -5, id="binary"),
        pytest.param("0o17", 15, id="octal"),
        pytest.param("017", 15, id="octal by a leading zero"),
        pytest.param("09", 0, id="no octal digit"),
        pytest.param("1_2", 12, id="underscore"),
        pytest.param("1__2", 0, id="two underscores"),
        pytest.param("_1", 0, id="leading underscore"),
        pytest.param("0_7", 7, id="underscore behind the prefix"),
        pytest.param("3.99", 3, id="decimals are cut"),
        pytest.param("-.5", 0, id="no digits before the dot"),
        pytest.param("1.5e3", 0, id="exponents are not read"),
        pytest.param("9223372036854775807", 9223372036854775807, id="largest"),
        pytest.param("9223372036854775808", 0, id="too large"),
        pytest.param(" 1", 0, id="blank"),
        pytest.param("٣", 0, id="digit of another script"),
        pytest.param(True, 1, id="bool"),
        pytest.param(None, 0, id="nil"),
        pytest.param([1], 0, id="list"),
        pytest.param(-2.9, -2, id="float"),
        pytest.param(1e30, -9223372036854775808, id="float out of range"),
        pytest.param(float("nan"), -9223372036854775808, id="not a number"),
    ],
)
def test_int64(value: object, expected: int) -> None:
    """int64 never fails; what is not a number is 0."""
    number = call("int64", value)

    assert number == expected
    assert type(number) is Int64


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("2.5e-3", 0.0025, id="exponent"),
        pytest.param("0x1p-2", 0.25, id="hexadecimal"),
        pytest.param("0x12", 0.0, id="hexadecimal without an exponent"),
        pytest.param("1_000.5", 1000.5, id="underscore"),
        pytest.param("1._5", 0.0, id="underscore at the dot"),
        pytest.param("+Infinity", INF, id="infinity"),
        pytest.param("-nan", 0.0, id="NaN has no sign"),
        pytest.param("1e999", 0.0, id="out of range"),
        pytest.param("1.5\n", 0.0, id="line feed"),
        pytest.param(".", 0.0, id="dot alone"),
    ],
)
def test_float64(text: str, expected: float) -> None:
    """float64 reads what strconv.ParseFloat reads."""
    assert call("float64", text) == expected


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        pytest.param("add", (1, "2", 3.9), 6, id="add"),
        pytest.param("add", (9223372036854775807, 2), -9223372036854775807, id="add wraps"),
        pytest.param("sub", ("10", 0.5), 10, id="sub"),
        pytest.param("mul", (1 << 62, 4), 0, id="mul wraps"),
        pytest.param("div", (-9, 2), -4, id="div cuts toward zero"),
        pytest.param("div", (-9223372036854775808, -1), -9223372036854775808, id="div wraps"),
        pytest.param("mod", (-9, 4), -1, id="mod has the sign of the first"),
        pytest.param("add1", ("41",), 42, id="add1"),
        pytest.param("max", (3, "7", 5.5), 7, id="max"),
        pytest.param("min", (3, "-7", 5.5), -7, id="min"),
        pytest.param("int", ("12.9",), 12, id="int"),
        pytest.param("atoi", ("0x10",), 0, id="atoi knows decimals only"),
        pytest.param("toDecimal", ("644",), 420, id="toDecimal"),
        pytest.param("toDecimal", ("0o644",), 0, id="toDecimal without a prefix"),
        pytest.param("addf", (0.1, 0.2, "1"), 1.3, id="addf is decimal"),
        pytest.param("add1f", (0.1,), 1.1, id="add1f"),
        pytest.param("subf", (0.3, 0.1), 0.2, id="subf"),
        pytest.param("mulf", (0.1, 0.1, 0.1), 0.001, id="mulf"),
        pytest.param("mulf", (1e300, 1e300), INF, id="mulf overflows at the end only"),
        pytest.param("mulf", (1e300, 1e300, 1e-300), 1e300, id="mulf is exact in between"),
        pytest.param("divf", (2, 3, 1), 0.6666666666666667, id="divf rounds at 16 places"),
        pytest.param("divf", (-1, 6), -0.1666666666666667, id="divf rounds away from zero"),
        pytest.param("divf", (1e-20, 3), 0.0, id="divf has nothing left behind 16 places"),
        pytest.param("maxf", (1, "2.5", 2), 2.5, id="maxf"),
        pytest.param("minf", (1, 0.5), 0.5, id="minf"),
        pytest.param("floor", ("-0.5",), -1.0, id="floor"),
        pytest.param("ceil", (1.01,), 2.0, id="ceil"),
        pytest.param("ceil", (INF,), INF, id="ceil of infinity"),
        pytest.param("round", (2.675, 2), 2.68, id="round multiplies first"),
        pytest.param("round", (-1.5, 0), -2.0, id="round of a negative half"),
        pytest.param("round", (1.29, 1, 0.95), 1.2, id="round with its own threshold"),
        pytest.param("round", (1234.0, -2), 1200.0, id="round before the dot"),
        pytest.param("until", (-2,), [0, -1], id="until downwards"),
        pytest.param("untilStep", (10, 4, -3), [10, 7], id="untilStep"),
        pytest.param("untilStep", (0, 5, -1), [], id="untilStep that leads away"),
        pytest.param("untilStep", (0, 10, 10**18), [0], id="untilStep with a huge step"),
        pytest.param("seq", (3,), "1 2 3", id="seq to an end"),
        pytest.param("seq", (-1,), "1 0 -1", id="seq downwards"),
        pytest.param("seq", (7, 5), "7 6 5", id="seq from start to end"),
        pytest.param("seq", (1, 4, 10), "1 5 9", id="seq with a step"),
        pytest.param("seq", (10, 1, 5), "", id="seq with a wrong step"),
        pytest.param("seq", (1, 2, 3, 4), "", id="seq with too much"),
    ],
)
def test_result(name: str, args: tuple[object, ...], expected: object) -> None:
    """Each function computes as sprig does."""
    assert call(name, *args) == expected


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        pytest.param("div", (1, "x"), "runtime error: integer divide by zero", id="div"),
        pytest.param("mod", (1, 0), "runtime error: integer divide by zero", id="mod"),
        pytest.param("divf", (1, 0.0), "decimal division by 0", id="divf"),
        pytest.param("addf", (float("nan"),), "Cannot create a Decimal from NaN", id="NaN is no decimal"),
        pytest.param("mulf", (1, -INF), "Cannot create a Decimal from -Inf", id="nor is infinity"),
    ],
)
def test_failure(name: str, args: tuple[object, ...], message: str) -> None:
    """What panics in Go fails with its message."""
    with pytest.raises(GoError) as caught:
        call(name, *args)

    assert caught.value.message == message


def test_extremes_of_zero_and_nan() -> None:
    """maxf and minf follow Go's math.Max and math.Min for signed zeros, NaN and infinities."""
    nan = float("nan")

    assert copysign(1, float(str(call("maxf", -0.0, 0.0)))) == 1
    assert copysign(1, float(str(call("minf", 0.0, -0.0)))) == -1
    assert isnan(float(str(call("maxf", 1.0, nan))))
    assert call("maxf", nan, INF) == INF
    assert call("minf", -INF, nan) == -INF


def test_types_of_results() -> None:
    """Sums are int64, int is int, ranges are []int."""
    assert type(call("add", 1)) is Int64
    assert type(call("int", Int64(1))) is int
    assert type(call("until", 1)) is IntList


@pytest.mark.parametrize(
    ("name", "args"),
    [
        pytest.param("until", (10**12,), id="until"),
        pytest.param("untilStep", (0, -(10**9), -1), id="untilStep"),
        pytest.param("seq", (1, 1, 9 * 10**18), id="seq"),
    ],
)
def test_long_ranges_are_refused(name: str, args: tuple[object, ...]) -> None:
    """A range beyond the limit is an error that names the limit."""
    with pytest.raises(GoError, match="MAX_ITEMS"):
        call(name, *args)
