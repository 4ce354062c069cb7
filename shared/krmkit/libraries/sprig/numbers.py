"""Arithmetic: integers wrap at 64 bits, the *f functions compute with decimals, ranges are counted before made."""

from __future__ import annotations

from collections.abc import Callable

from krmkit.libraries.go.core.cast import parse_int, to_float, to_int64, wrap64
from krmkit.libraries.go.core.limits import check_items
from krmkit.libraries.go.core.values import Int64, IntList
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.fmt.printing import sprint

_DIVISION_PLACES = 16


def add(*values: object) -> Int64:
    """The sum of all."""
    return Int64(wrap64(sum(map(to_int64, values))))


def add1(value: object) -> Int64:
    """One more."""
    return Int64(wrap64(to_int64(value) + 1))


def sub(first: object, second: object) -> Int64:
    """first - second."""
    return Int64(wrap64(to_int64(first) - to_int64(second)))


def mul(first: object, *values: object) -> Int64:
    """The product of all."""
    product = to_int64(first)
    for value in values:
        product = wrap64(product * to_int64(value))
    return Int64(product)


def div(first: object, second: object) -> Int64:
    """first / second, cut toward zero."""
    return Int64(wrap64(_divide(to_int64(first), to_int64(second))[0]))


def mod(first: object, second: object) -> Int64:
    """The remainder of the division; its sign is that of `first`."""
    return Int64(_divide(to_int64(first), to_int64(second))[1])


def largest(first: object, *values: object) -> Int64:
    """max, biggest."""
    return Int64(max(map(to_int64, (first, *values))))


def smallest(first: object, *values: object) -> Int64:
    """min."""
    return Int64(min(map(to_int64, (first, *values))))


def to_int(value: object) -> int:
    """int."""
    return to_int64(value)


def int64(value: object) -> Int64:
    """int64."""
    return Int64(to_int64(value))


def atoi(text: str) -> int:
    """A plain decimal number, 0 for anything else."""
    return parse_int(text, 10) or 0


def to_decimal(value: object) -> Int64:
    """The number whose octal digits are given."""
    return Int64(parse_int(sprint(value), 8) or 0)


def add_float(*values: object) -> float:
    """addf."""
    return _fold(0.0, values, _plus)


def add1_float(value: object) -> float:
    """add1f."""
    return _fold(value, (1,), _plus)


def sub_float(first: object, *values: object) -> float:
    """subf."""
    return _fold(first, values, lambda a, b: _plus(a, (-b[0], b[1])))


def mul_float(first: object, *values: object) -> float:
    """mulf."""
    return _fold(first, values, lambda a, b: (a[0] * b[0], a[1] + b[1]))


def div_float(first: object, *values: object) -> float:
    """divf, each quotient rounded to 16 decimal places."""
    return _fold(first, values, _quotient)


def largest_float(first: object, *values: object) -> float:
    """maxf; NaN wins, and 0 over -0."""
    return _extreme(first, values, 1.0)


def smallest_float(first: object, *values: object) -> float:
    """minf; NaN wins, and -0 over 0."""
    return _extreme(first, values, -1.0)


def floor(value: object) -> float:
    """The largest whole number that is not above."""
    return _whole(to_float(value), -1)


def ceil(value: object) -> float:
    """The smallest whole number that is not below."""
    return _whole(to_float(value), 1)


def round_to(value: object, places: int, round_on: float = 0.5, *_: float) -> float:
    """Rounded to decimal places by powers of ten: 1.005 to 2 is 1, negative halves go down."""
    from math import isinf, isnan, modf

    number = to_float(value)
    power = _power_of_ten(places)
    digit = power * number
    if isnan(digit):
        return digit
    fraction = 0.0 if isinf(digit) else modf(digit)[0]
    rounded = _whole(digit, 1 if fraction >= round_on else -1)
    if power == 0.0:
        return float("nan") if rounded == 0.0 else rounded * float("inf")
    return rounded / power


def until(count: int) -> IntList:
    """0, 1, ... up to but without count; downwards when count is negative."""
    return until_step(0, count, -1 if count < 0 else 1)


def until_step(start: int, stop: int, step: int) -> IntList:
    """From start in steps up to but without stop; empty when the step leads away."""
    return IntList(_range(start, stop, step))


def seq(*params: int) -> str:
    """Like the shell's seq: `end`, `start end` or `start step end`, joined by blanks."""
    if len(params) == 1:
        start, end, step = 1, params[0], 1 if params[0] >= 1 else -1
    elif len(params) == 2:
        start, end = params
        step = 1 if end >= start else -1
    elif len(params) == 3:
        start, step, end = params
        if end < start and step > 0:
            return ""
    else:
        return ""
    stop = end + (1 if end >= start else -1)
    return " ".join(map(str, _range(start, stop, step)))


def _range(start: int, stop: int, step: int) -> range:
    if step >= 0 if stop < start else step <= 0:
        return range(0)
    numbers = range(start, stop, step)
    # A step may be so large that len() has no word for the count.
    check_items((abs(stop - start) + abs(step) - 1) // abs(step))
    return numbers


def _divide(first: int, second: int) -> tuple[int, int]:
    if second == 0:
        raise GoError("runtime error: integer divide by zero")
    quotient = abs(first) // abs(second)
    if (first < 0) != (second < 0):
        quotient = -quotient
    return quotient, first - quotient * second


# A decimal is (coefficient, exponent): coefficient * 10**exponent.


def _fold(
    first: object,
    values: tuple[object, ...],
    operation: Callable[[tuple[int, int], tuple[int, int]], tuple[int, int]],
) -> float:
    result = _decimal(first)
    for value in values:
        result = operation(result, _decimal(value))
    return _to_float(*result)


def _decimal(value: object) -> tuple[int, int]:
    """The shortest decimal that reads back as the same float."""
    number = to_float(value)
    text = repr(number)
    if text[-1] in "nf":
        sign = "-Inf" if number < 0 else "+Inf"
        raise GoError(f"Cannot create a Decimal from {'NaN' if number != number else sign}")
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    if fraction == "0":
        fraction = ""
    return int(whole + fraction), int(exponent or "0") - len(fraction)


def _plus(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    exponent = min(a[1], b[1])
    return a[0] * 10 ** (a[1] - exponent) + b[0] * 10 ** (b[1] - exponent), exponent


def _quotient(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """Half away from zero at the last of the 16 places."""
    if b[0] == 0:
        raise GoError("decimal division by 0")
    shift = a[1] - b[1] + _DIVISION_PLACES
    above = abs(a[0]) * 10 ** max(shift, 0)
    below = abs(b[0]) * 10 ** max(-shift, 0)
    result = (2 * above + below) // (2 * below)
    return (-result if (a[0] < 0) != (b[0] < 0) else result), -_DIVISION_PLACES


def _to_float(coefficient: int, exponent: int) -> float:
    try:
        if exponent >= 0:
            return float(coefficient * int(10**exponent))
        return coefficient / int(10**-exponent)
    except OverflowError:
        return float("-inf") if coefficient < 0 else float("inf")


def _extreme(first: object, values: tuple[object, ...], sign: float) -> float:
    from math import copysign, inf, isnan

    best = to_float(first)
    for value in values:
        number = to_float(value)
        if number == sign * inf or best == sign * inf:
            best = sign * inf
        elif isnan(number) or isnan(best):
            best = float("nan")
        elif number == best:
            best = number if copysign(1.0, number) == sign else best
        elif (number - best) * sign > 0:
            best = number
    return best


def _whole(number: float, direction: int) -> float:
    from math import ceil as up
    from math import copysign, isfinite
    from math import floor as down

    if not isfinite(number):
        return number
    return copysign(float(up(number) if direction > 0 else down(number)), number)


def _power_of_ten(places: int) -> float:
    if places > 308:
        return float("inf")
    return 0.0 if places < -323 else float(f"1e{places}")
