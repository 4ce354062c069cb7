"""Whole numbers and percentages as Go reads them: strconv.Atoi, and apimachinery's IntOrString."""

from __future__ import annotations

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.printing import quote

_INT64 = 1 << 63
_LONGEST = 40  # digits beyond these are out of range unless they are zeros


def atoi(text: str) -> int:
    """strconv.Atoi: an optional sign and decimal digits, within 64 bits. Raises GoInputError.

    >>> atoi("+07")
    7
    """
    value = whole(text)
    if value is None:
        raise GoInputError(f"strconv.Atoi: parsing {quote(text)}: invalid syntax")
    if not -_INT64 <= value < _INT64:
        raise GoInputError(f"strconv.Atoi: parsing {quote(text)}: value out of range")
    return value


def whole(text: str) -> int | None:
    """Parse an optional sign and decimal digits; None for other texts.

    More than 40 significant digits are not parsed: the result is some number that int64 cannot hold.
    """
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits.isascii() or not digits.isdecimal():
        return None
    significant = digits.lstrip("0")
    value = int(significant or "0") if len(significant) <= _LONGEST else _INT64 + 1
    return -value if text[0] == "-" else value


def check_int_or_percent(value: int | str) -> str:
    """Return the error of intstr.GetScaledValueFromIntOrPercent, or "".

    >>> check_int_or_percent("50%"), check_int_or_percent(2)
    ('', '')
    """
    if isinstance(value, int):
        return ""
    if not value.endswith("%"):
        return "invalid value for IntOrString: invalid type: string is not a percentage"
    try:
        atoi(value[:-1])
    except GoInputError as error:
        return f"invalid value for IntOrString: invalid value {quote(value)}: {error}"
    return ""
