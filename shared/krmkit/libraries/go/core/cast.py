"""Conversions that never fail: spf13/cast 1.10, by which sprig reads numbers from any value."""

from __future__ import annotations

from krmkit.libraries.go.core.values import GoObject

_SIGN = 1 << 63
_MASK = (1 << 64) - 1
_FLOAT_STARTS = frozenset("0123456789.")
_FLOAT_CHARS = frozenset("0123456789.abcdefpx_+-")


def to_int64(value: object) -> int:
    """cast.ToInt64: text by Go's literal syntax (0x10, 010 octal, 1_000), decimals cut, anything else 0."""
    if isinstance(value, int):
        return wrap64(int(value))
    if isinstance(value, float):
        return float_to_int64(value)
    if isinstance(value, str):
        return parse_int(_cut_decimals(value)) or 0
    if isinstance(value, GoObject) and hasattr(value, "__int__"):
        return int(value)  # durations, months, weekdays
    return 0


def to_float(value: object) -> float:
    """cast.ToFloat64."""
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, str):
        number = parse_float(value)
        return 0.0 if number is None else number
    if isinstance(value, GoObject) and hasattr(value, "__int__"):
        return float(int(value))
    return 0.0


def wrap64(number: int) -> int:
    """Wrap a number to a signed 64-bit integer (two's complement)."""
    return number if -_SIGN <= number < _SIGN else ((number + _SIGN) & _MASK) - _SIGN


def float_to_int64(number: float) -> int:
    """int64(f): cut toward zero; out of range gives the smallest number, as on amd64."""
    return int(number) if -9223372036854775808.0 <= number < 9223372036854775808.0 else -_SIGN


def parse_int(text: str, base: int = 0) -> int | None:
    """strconv.ParseInt with 64 bits; None for an error. Base 0 takes prefixes and underscores."""
    number = parse_integer(text, base)
    return number if number is not None and -_SIGN <= number < _SIGN else None


def parse_integer(text: str, base: int = 0) -> int | None:
    """Parse as `parse_int` does, without bounds, but return None for more than 64 digits."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if base == 0:
        lead = digits[:2].lower()
        base = {"0x": 16, "0b": 2, "0o": 8}.get(lead, 8 if digits[:1] == "0" else 10)
        if "_" in digits and not underscores_fit(digits):
            return None
        if lead in ("0x", "0b", "0o"):
            digits = digits[2:]
        digits = digits.replace("_", "")
    allowed = "0123456789abcdef"[:base]
    if not digits or any(char not in allowed for char in digits.lower()):
        return None
    if len(digits.lstrip("0")) > 64:
        return None
    number = int(digits, base)
    return -number if text[0] == "-" else number


def parse_float(text: str) -> float | None:
    """strconv.ParseFloat; None for bad syntax and for numbers out of range."""
    body = (text[1:] if text[:1] in ("+", "-") else text).lower()
    if body in ("inf", "infinity") or text.lower() == "nan":
        return float(text)
    if body[:1] not in _FLOAT_STARTS or any(char not in _FLOAT_CHARS for char in body):
        return None
    if "_" in body and not underscores_fit(body):
        return None
    number = text.replace("_", "")
    try:
        if body.startswith("0x"):
            return float.fromhex(number) if "p" in body else None
        result = float(number)
    except (ValueError, OverflowError):
        return None
    return None if result in (float("inf"), float("-inf")) else result


def underscores_fit(digits: str) -> bool:
    """Return True if every underscore is between digits, or between a base prefix and a digit."""
    import re

    digit = "[0-9a-f]" if digits[:2].lower() == "0x" else "[0-9]"
    # A prefix counts as a digit.
    numeral = re.sub("^0[xbo]", "0", digits.lower())
    return re.search(f"(?<!{digit})_|_(?!{digit})", numeral) is None


def _cut_decimals(text: str) -> str:
    """Return `12` for `12.7`; a text that is not digits with one dot stays as it is."""
    whole, dot, decimals = text.partition(".")
    if not dot:
        return text
    digits = whole[1:] if whole[:1] in ("+", "-") else whole
    if any(not "0" <= char <= "9" for char in digits + decimals):
        return text
    return whole if digits else whole + "0"
