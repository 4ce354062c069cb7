"""The functions addf to divf, which compute with exact decimals as shopspring/decimal does."""

from __future__ import annotations

from collections.abc import Callable
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from functools import reduce
from math import isfinite

from krmkit.libraries.go.core.cast import to_float
from krmkit.libraries.go.errors import GoError

_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
_PLACES = 16


def add_float(*values: object) -> float:
    """Add numbers exactly, and round only the sum to a float (addf)."""
    return _fold(_EXACT.add, 0.0, *values)


def add1_float(value: object) -> float:
    """Add 1 to a number (add1f)."""
    return _fold(_EXACT.add, value, 1)


def sub_float(first: object, *values: object) -> float:
    """Subtract the other numbers from the first, and round only the result to a float (subf)."""
    return _fold(_EXACT.subtract, first, *values)


def mul_float(first: object, *values: object) -> float:
    """Multiply numbers exactly, and round only the product to a float (mulf)."""
    return _fold(_EXACT.multiply, first, *values)


def div_float(first: object, *values: object) -> float:
    """Implement divf, with each quotient rounded to 16 decimal places."""
    return _fold(_quotient, first, *values)


def _fold(operation: Callable[[Decimal, Decimal], Decimal], *values: object) -> float:
    total = reduce(operation, map(_decimal, values))
    return float(total) if total else 0.0  # a zero has no sign there


def _decimal(value: object) -> Decimal:
    number = to_float(value)
    if not isfinite(number):
        sign = "-Inf" if number < 0 else "+Inf"
        raise GoError(f"Cannot create a Decimal from {'NaN' if number != number else sign}")
    return Decimal(repr(number))


def _quotient(one: Decimal, other: Decimal) -> Decimal:
    if not other:
        raise GoError("decimal division by 0")
    whole, rest = _EXACT.divmod(_EXACT.scaleb(one, _PLACES), other)
    if 2 * abs(rest) >= abs(other):  # halves go away from zero
        whole = _EXACT.add(whole, 1 if one.is_signed() == other.is_signed() else -1)
    return _EXACT.scaleb(whole, -_PLACES)
