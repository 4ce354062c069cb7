"""Integer arithmetic, which wraps at 64 bits, and ranges, which are counted before they are made."""

from __future__ import annotations

from krmkit.libraries.go.core.cast import parse_int, to_float, to_int64, wrap64
from krmkit.libraries.go.core.limits import check_items
from krmkit.libraries.go.core.values import Int64, IntList
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.fmt.printing import sprint


def add(*values: object) -> Int64:
    """Return the sum."""
    return Int64(wrap64(sum(map(to_int64, values))))


def add1(value: object) -> Int64:
    """Add one."""
    return Int64(wrap64(to_int64(value) + 1))


def sub(first: object, second: object) -> Int64:
    """Subtract the second number from the first."""
    return Int64(wrap64(to_int64(first) - to_int64(second)))


def mul(first: object, *values: object) -> Int64:
    """Return the product."""
    product = to_int64(first)
    for value in values:
        product = wrap64(product * to_int64(value))
    return Int64(product)


def div(first: object, second: object) -> Int64:
    """Divide, and cut the quotient toward zero."""
    return Int64(wrap64(_divide(to_int64(first), to_int64(second))[0]))


def mod(first: object, second: object) -> Int64:
    """Return the remainder of the division, with the sign of `first`."""
    return Int64(_divide(to_int64(first), to_int64(second))[1])


def largest(first: object, *values: object) -> Int64:
    """Implement max and biggest."""
    return Int64(max(map(to_int64, (first, *values))))


def smallest(first: object, *values: object) -> Int64:
    """Return the smallest of the values as int64 (min)."""
    return Int64(min(map(to_int64, (first, *values))))


def int64(value: object) -> Int64:
    """Convert a value to an int64; 0 if it is not a number."""
    return Int64(to_int64(value))


def atoi(text: str) -> int:
    """Read a decimal number; 0 for any other text."""
    return parse_int(text, 10) or 0


def to_decimal(value: object) -> Int64:
    """Read octal digits: toDecimal 17 is 15."""
    return Int64(parse_int(sprint(value), 8) or 0)


def largest_float(first: object, *values: object) -> float:
    """Implement maxf; NaN wins, and 0 over -0."""
    return _extreme(first, values, 1.0)


def smallest_float(first: object, *values: object) -> float:
    """Implement minf; NaN wins, and -0 over 0."""
    return _extreme(first, values, -1.0)


def floor(value: object) -> float:
    """Round down to a whole number."""
    return _whole(to_float(value), -1)


def ceil(value: object) -> float:
    """Round up to a whole number."""
    return _whole(to_float(value), 1)


def round_to(value: object, places: int, round_on: float = 0.5, *_: float) -> float:
    """Round to decimal places by powers of ten, as sprig does: 1.005 to 2 is 1; negative halves go down."""
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
    """Count from 0 to `count`, exclusive; downwards if it is negative."""
    return until_step(0, count, -1 if count < 0 else 1)


def until_step(start: int, stop: int, step: int) -> IntList:
    """Count in steps up to `stop`, exclusive; none if the step leads away from it."""
    return IntList(_range(start, stop, step))


def seq(*params: int) -> str:
    """Count like the shell's seq: `end`, `start end` or `start step end`, joined by blanks."""
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
    # len() of the range fails for counts beyond 64 bits.
    check_items((abs(stop - start) + abs(step) - 1) // abs(step))
    return range(start, stop, step)


def _divide(first: int, second: int) -> tuple[int, int]:
    if second == 0:
        raise GoError("runtime error: integer divide by zero")
    quotient = abs(first) // abs(second)
    if (first < 0) != (second < 0):
        quotient = -quotient
    return quotient, first - quotient * second


def _extreme(first: object, values: tuple[object, ...], sign: float) -> float:
    from math import copysign, inf, isnan

    numbers = [to_float(value) for value in (first, *values)]
    if sign * inf in numbers:
        return sign * inf
    wrong = next(filter(isnan, numbers), None)
    # A key of two parts, because 0 equals -0.
    return (
        max(numbers, key=lambda number: (sign * number, sign * copysign(1.0, number)))
        if wrong is None
        else wrong
    )


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
