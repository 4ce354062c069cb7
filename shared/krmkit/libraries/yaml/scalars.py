"""The values of scalars: the rules of Go's yaml.v3 (kpt, kustomize, kubectl) and of YAML 1.2's core schema.

A resolver takes the text of a plain scalar and returns `(tag, value)`. Tags: null, bool, int, float, str,
merge, timestamp; a timestamp's value is its text, because KRM data has no dates. Quotes and explicit tags
take precedence (`krmkit.libraries.yaml.data`).

Go's rules differ from both YAML 1.1 and 1.2: `yes` and `1:30` are text, `0777` and `0o777` are 511, `1_000`
is 1000, `08` is the float 8, and an integer beyond 64 bits is a float.
"""

from __future__ import annotations

_INFINITY = float("inf")
_NAN = float("nan")
_MAX_INT = 2**64 - 1
_MIN_INT = -(2**63)
# Plain scalars that mean null.
NULLS = ("", "~", "null", "Null", "NULL")

_CONSTANTS: dict[str, tuple[str, object]] = {
    **dict.fromkeys(NULLS, ("null", None)),
    **dict.fromkeys(("true", "True", "TRUE"), ("bool", True)),
    **dict.fromkeys(("false", "False", "FALSE"), ("bool", False)),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), ("float", _INFINITY)),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), ("float", -_INFINITY)),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), ("float", _NAN)),
}
_GO_CONSTANTS = {**_CONSTANTS, "<<": ("merge", "<<")}
_NUMERIC_START = frozenset("+-.0123456789")
_DIGITS = {2: frozenset("01"), 8: frozenset("01234567"), 10: frozenset("0123456789")}
_DIGITS[16] = _DIGITS[10] | frozenset("abcdefABCDEF")
_TIMESTAMP = (
    r"(\d{4})-(\d\d?)-(\d\d?)"
    r"(?:(?:( +)|[Tt])(\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?(?(4)|(?:Z|[+-](\d\d):(\d\d))))?"
)
_PREFIXES = {"b": 2, "B": 2, "o": 8, "O": 8, "x": 16, "X": 16}


def go_resolve(text: str) -> tuple[str, object]:
    """Return tag and value of a plain scalar as Go's yaml.v3 decodes it."""
    found = _GO_CONSTANTS.get(text)
    if found is not None:
        return found
    if text[0] not in _NUMERIC_START:
        return "str", text
    return _go_number(text)


_OLD_BOOLEANS: dict[str, tuple[str, object]] = {
    **dict.fromkeys("y Y yes Yes YES on On ON".split(), ("bool", True)),
    **dict.fromkeys("n N no No NO off Off OFF".split(), ("bool", False)),
}


def go2_resolve(text: str) -> tuple[str, object]:
    """Return tag and value by Go's yaml.v2 (sigs.k8s.io/yaml): `yes` and `on` are booleans."""
    return _OLD_BOOLEANS.get(text) or go_resolve(text)


def core_resolve(text: str) -> tuple[str, object]:
    """Return tag and value of a plain scalar under the YAML 1.2 core schema."""
    found = _CONSTANTS.get(text)
    if found is not None:
        return found
    if text[0] not in _NUMERIC_START:
        return "str", text
    if text[0] == "0" and len(text) > 2 and text[1] in "ox":
        base = 8 if text[1] == "o" else 16
        digits = text[2:]
        return ("int", int(digits, base)) if _DIGITS[base].issuperset(digits) else ("str", text)
    digits = text[1:] if text[0] in "+-" else text
    # Python refuses to convert more than 4,300 digits.
    if digits and _DIGITS[10].issuperset(digits) and len(digits) <= 4300:
        return "int", int(text)
    if is_decimal_float(text):
        return "float", float(text)
    return "str", text


def _go_number(text: str) -> tuple[str, object]:
    if text[0] == ".":
        # Go hands these to strconv.ParseFloat as they are, which allows an underscore between two digits.
        plain = text if "_" not in text else _without_separators(text)
        return _float_or_text(plain, text)
    # The common case in real lists: a short decimal.
    if text.isdigit() and text.isascii() and len(text) < 19 and (text[0] != "0" or text == "0"):
        return "int", int(text)
    if text[4:5] == "-" and is_timestamp(text):
        return "timestamp", text
    plain = text.replace("_", "")
    if not plain.isascii():
        return "str", text
    value = _go_int(plain)
    if value is not None:
        return "int", value
    return _float_or_text(plain, text)


def _float_or_text(plain: str, text: str) -> tuple[str, object]:
    if is_decimal_float(plain):
        value = float(plain)
        # Beyond the range of float64 strconv reports an error, and the scalar stays text.
        if value not in (_INFINITY, -_INFINITY):
            return "float", value
    return "str", text


def _go_int(plain: str) -> int | None:
    """Read an integer as strconv.ParseInt and ParseUint with base 0 do, and in yaml.v3's other forms."""
    sign = plain[0] if plain[0] in "+-" else ""
    digits = plain[len(sign) :]
    base = 10
    if len(digits) > 1 and digits[0] == "0":
        prefixed = _PREFIXES.get(digits[1]) if len(digits) > 2 else None
        base = prefixed or 8
        digits = digits[2:] if prefixed else digits[1:]
    value = _in_range(sign, digits, base)
    if value is None and sign != "+" and plain[len(sign) : len(sign) + 2] in ("0b", "0o"):
        # yaml.v3 parses the text after `0b` and `0o` once more, and so accepts a second sign.
        rest = plain[len(sign) + 2 :]
        if rest[:1] in ("+", "-") and not sign:
            value = _in_range(rest[0], rest[1:], 2 if plain[1] == "b" else 8)
    return value


def _in_range(sign: str, digits: str, base: int) -> int | None:
    if not digits or not _DIGITS[base].issuperset(digits):
        return None
    digits = digits.lstrip("0") or "0"
    if len(digits) > 64:
        return None
    value = int(sign + digits, base)
    # ParseUint, which reaches further, takes no sign.
    return value if _MIN_INT <= value <= (_MAX_INT if not sign else 2**63 - 1) else None


def is_decimal_float(text: str) -> bool:
    """Return True for `[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?`."""
    if text[0] in "+-":
        text = text[1:]
    digits = _DIGITS[10]
    mantissa, mark, exponent = text.replace("E", "e").partition("e")
    if mark:
        if exponent[:1] in ("+", "-"):
            exponent = exponent[1:]
        if not exponent or not digits.issuperset(exponent):
            return False
    whole, _, fraction = mantissa.partition(".")
    if not digits.issuperset(whole) or not digits.issuperset(fraction):
        return False
    return bool(whole) or bool(fraction)


def _without_separators(text: str) -> str:
    parts = text.split("_")
    digits = _DIGITS[10]
    for index in range(1, len(parts)):
        if parts[index - 1][-1:] not in digits or parts[index][:1] not in digits:
            return text
    return "".join(parts)


def shortest(number: float) -> tuple[str, int]:
    """Return the fewest digits that parse to a finite number >= 0, and the first one's power of ten."""
    mantissa, _, power = repr(number).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    bare = digits.lstrip("0")
    exponent = int(power or "0") + len(whole) - 1 - (len(digits) - len(bare))
    return (bare.rstrip("0"), exponent) if bare else ("0", 0)


def positional(digits: str, exponent: int) -> str:
    """Write digits without an exponent: ("15", 2) is 150, ("15", -2) is 0.015."""
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    whole = digits[: exponent + 1].ljust(exponent + 1, "0")
    fraction = digits[exponent + 1 :]
    return f"{whole}.{fraction}" if fraction else whole


def exponential(digits: str, exponent: int, least: int = 2) -> str:
    """Write digits with an exponent of at least two digits, or of `least`: ("15", 6) is 1.5e+06."""
    point = "." if len(digits) > 1 else ""
    return f"{digits[0]}{point}{digits[1:]}e{'-' if exponent < 0 else '+'}{abs(exponent):0{least}d}"


def is_timestamp(text: str) -> bool:
    """Return True if yaml.v3 takes the text for a date, or for a date and a time of day.

    Forms: `2001-1-2`; `2001-1-2 15:4:5.9`; `2001-1-2T15:4:5.9Z` with T or t and Z or an offset such as
    +01:00.
    """
    import re  # few texts begin like one

    found = re.fullmatch(_TIMESTAMP, text, re.ASCII)
    if found is None:
        return False
    year, month, day, *rest = (int(number or 0) for number in found.group(1, 2, 3, 5, 6, 7, 8, 9))
    is_time = all(number <= most for number, most in zip(rest, (23, 59, 59, 24, 60), strict=True))
    return 1 <= month <= 12 and 1 <= day <= _days(year, month) and is_time


def _days(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31
