"""What a plain scalar means: by Go's yaml.v3 (`go_resolve`), and by the YAML 1.2 core schema (`core_resolve`).

No library at hand answers as Go does (`yes` text, `0777` octal, `08` a float, `1_000` an int, dates timestamps), so the
rules stand here. They run once per scalar of what is read as data, hence the dispatch on the first character.
"""

from __future__ import annotations

_WORDS: dict[str, tuple[str, object]] = {"": ("null", None), "~": ("null", None), "<<": ("merge", "<<")}
for _word, _found in (
    ("true", ("bool", True)),
    ("false", ("bool", False)),
    ("null", ("null", None)),
):
    for _form in (_word, _word.capitalize(), _word.upper()):
        _WORDS[_form] = _found  # type: ignore[assignment]  # a tuple of the right shape
for _sign, _number in (("", float("inf")), ("+", float("inf")), ("-", float("-inf"))):
    for _form in (".inf", ".Inf", ".INF"):
        _WORDS[_sign + _form] = ("float", _number)
for _form in (".nan", ".NaN", ".NAN"):
    _WORDS[_form] = ("float", float("nan"))

_CORE_WORDS = {text: found for text, found in _WORDS.items() if found[0] != "merge"}
_NUMBER_STARTS = frozenset("0123456789+-.")
_DIGITS = frozenset("0123456789")
_BASES = {"x": (16, frozenset("0123456789abcdefABCDEF")), "o": (8, frozenset("01234567")), "b": (2, frozenset("01"))}


def go_resolve(text: str) -> tuple[str, object]:
    """(tag, value) of a plain scalar as gopkg.in/yaml.v3 resolves it.

    Tags: null, bool, int, float, str, timestamp (the value stays text), merge.
    """
    found = _WORDS.get(text)
    if found is not None:
        return found
    first = text[0]
    if first not in _NUMBER_STARTS:
        return "str", text
    if first == ".":
        number = _float(text)
        return ("str", text) if number is None else ("float", number)
    if text[4:5] == "-" and is_timestamp(text):
        return "timestamp", text
    plain = text.replace("_", "") if "_" in text else text
    integer = _go_int(plain)
    if integer is not None:
        return "int", integer
    number = _float(plain)
    return ("str", text) if number is None else ("float", number)


def core_resolve(text: str) -> tuple[str, object]:
    """(tag, value) of a plain scalar under the YAML 1.2 core schema: `yes`, `0b1`, `1_000` and dates are text."""
    found = _CORE_WORDS.get(text)
    if found is not None:
        return found
    first = text[0]
    if first not in _NUMBER_STARTS:
        return "str", text
    digits = text[1:] if first in "+-" else text
    if digits.isdigit() and digits.isascii():
        return "int", int(text) if len(digits) < 4000 else float(text)
    if text[:2] in ("0x", "0o"):
        base, allowed = _BASES[text[1]]
        body = text[2:]
        if body and allowed.issuperset(body):
            return "int", int(body, base)
    number = _float(text)
    return ("str", text) if number is None else ("float", number)


def _go_int(text: str) -> int | None:
    """strconv.ParseInt(text, 0, 64), then ParseUint: signs, prefixes of any case, a leading 0 for octal."""
    sign = text[:1]
    body = text[1:] if sign in ("+", "-") else text
    if not body:
        return None
    base = 10
    allowed = _DIGITS
    if body[0] == "0" and len(body) > 1:
        known = _BASES.get(body[1].lower())
        if known is not None:
            base, allowed = known
            body = body[2:]
        else:
            base, allowed = 8, _BASES["o"][1]
            body = body[1:]
    if not body or len(body) > 64 or not allowed.issuperset(body):
        return None
    value = int(body, base)
    if sign == "-":
        return -value if value <= 1 << 63 else None
    # ParseUint, the second try, takes no sign.
    return value if value < (1 << 63 if sign else 1 << 64) else None


def _float(text: str) -> float | None:
    """A decimal float with digits before or after the point; None for other forms and for overflow."""
    position = 1 if text[0] in "+-" else 0
    length = len(text)
    start = position
    while position < length and text[position] in _DIGITS:
        position += 1
    digits = position - start
    if position < length and text[position] == ".":
        position += 1
        start = position
        while position < length and text[position] in _DIGITS:
            position += 1
        digits += position - start
    if not digits:
        return None
    if position < length and text[position] in "eE":
        position += 1
        if position < length and text[position] in "+-":
            position += 1
        start = position
        while position < length and text[position] in _DIGITS:
            position += 1
        if position == start:
            return None
    if position != length:
        return None
    value = float(text)
    return None if value in (float("inf"), float("-inf")) else value


def is_timestamp(text: str) -> bool:
    """Whether yaml.v3 reads the text as a time: `2006-1-2`, with `T`, `t` or a blank before `15:4:5[.9]`.

    With `T` or `t` a zone (`Z` or `+07:00`) must follow, with a blank none may.
    """
    year, month, rest = text[:4], text[5:], ""
    if not (year.isascii() and year.isdigit()):
        return False
    month, dash, rest = month.partition("-")
    if not dash or not _short(month):
        return False
    size = 2 if rest[1:2].isdigit() else 1
    day, rest = rest[:size], rest[size:]
    if not (_short(day) and 1 <= int(month) <= 12 and 1 <= int(day) <= _days(int(year), int(month))):
        return False
    if not rest:
        return True
    separator, clock = rest[0], rest[1:]
    if separator in "Tt":
        zone = clock.find("Z")
        if zone >= 0:
            return zone == len(clock) - 1 and _is_clock(clock[:zone])
        zone = max(clock.find("+"), clock.find("-"))
        return zone > 0 and _is_zone(clock[zone + 1 :]) and _is_clock(clock[:zone])
    return separator == " " and _is_clock(clock)


def _short(text: str) -> bool:
    return len(text) in (1, 2) and text.isascii() and text.isdigit()


def _is_clock(text: str) -> bool:
    parts = text.split(":")
    if len(parts) != 3:
        return False
    second, point, fraction = parts[2].replace(",", ".").partition(".")
    if point and not (fraction.isascii() and fraction.isdigit()):
        return False
    if not (_short(parts[0]) and _short(parts[1]) and _short(second)):
        return False
    return int(parts[0]) < 24 and int(parts[1]) < 60 and int(second) < 60


def _is_zone(text: str) -> bool:
    hours, colon, minutes = text.partition(":")
    if not (colon and len(hours) == len(minutes) == 2 and _short(hours) and _short(minutes)):
        return False
    return int(hours) <= 24 and int(minutes) <= 60


def _days(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31
