"""The elements of a time layout: each parses its part of a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.numbers import whole
from krmkit.libraries.go.time.civil import days_before, days_in, is_leap, to_days
from krmkit.libraries.go.time.layouts import DAYS, MONTHS, next_element


@dataclass(frozen=True, slots=True)
class ParsedTime:
    """Seconds since 1970 (UTC), nanoseconds, and the zone: offset in seconds, name (may be empty)."""

    unix: int
    nanosecond: int
    offset: int
    zone: str


class TimeFields:
    """The fields parsed so far."""

    def __init__(self) -> None:
        self.year = 0
        self.month = self.day = self.yearday = -1
        self.hour = self.minute = self.second = self.nanosecond = 0
        self.half = ""
        self.utc = False
        self.offset: int | None = None
        self.zone = ""

    def settle(self) -> str:
        """Complete the date; return the problem, or "" for a valid date."""
        if self.half == "PM" and self.hour < 12:
            self.hour += 12
        elif self.half == "AM" and self.hour == 12:
            self.hour = 0
        if self.yearday >= 0:
            problem = self._from_yearday()
            if problem:
                return problem
        self.month = 1 if self.month < 0 else self.month
        self.day = 1 if self.day < 0 else self.day
        if self.day < 1 or self.day > days_in(self.month, self.year):
            return "day out of range"
        return ""

    def _from_yearday(self) -> str:
        yearday, month, day = self.yearday, 0, 0
        if is_leap(self.year):
            if yearday == 31 + 29:
                month, day = 2, 29
            elif yearday > 31 + 29:
                yearday -= 1
        if yearday < 1 or yearday > 365:
            return "day-of-year out of range"
        if month == 0:
            month = (yearday - 1) // 31 + 1
            if days_before(month + 1) < yearday:
                month += 1
            day = yearday - days_before(month)
        if self.month >= 0 and self.month != month:
            return "day-of-year does not match month"
        if self.day >= 0 and self.day != day:
            return "day-of-year does not match day"
        self.month, self.day = month, day
        return ""

    def result(self) -> ParsedTime:
        unix = (
            to_days(self.year, self.month, self.day) * 86400
            + self.hour * 3600
            + self.minute * 60
            + self.second
        )
        if self.utc or (self.offset is None and not self.zone):
            return ParsedTime(unix, self.nanosecond, 0, "UTC")
        if self.offset is not None:
            name = "UTC" if self.offset == 0 and not self.zone else self.zone
            return ParsedTime(unix - self.offset, self.nanosecond, self.offset, name)
        # A bare name has no offset; only GMT may carry one, and the clock time is taken as UTC all the same.
        hours = int(self.zone[3:]) if self.zone[:3] == "GMT" and len(self.zone) > 3 else 0
        return ParsedTime(unix, self.nanosecond, hours * 3600, self.zone)


def read_element(element: str, value: str, behind: str, fields: TimeFields) -> str:
    """Parse one element; return the rest of the value.

    Raises GoInputError, without a message if the text does not fit the element.
    """
    if element[0] in "-Z":
        return _read_offset(element, value, fields)
    if element[0] in ".,":
        return _read_fraction(element, value, fields)
    if element in ("5", "05"):
        return _read_second(element, value, behind, fields)
    reader = _READERS.get(element)
    return value if reader is None else reader(element, value, fields)


def _read_year(element: str, value: str, fields: TimeFields) -> str:
    if element == "06":
        if len(value) < 2:
            raise GoInputError("")
        year = _atoi(value[:2])
        fields.year = year + (1900 if year >= 69 else 2000)
        return value[2:]
    if len(value) < 4 or not _digit(value[0]):
        raise GoInputError("")
    fields.year = _atoi(value[:4])
    return value[4:]


def _read_month(element: str, value: str, fields: TimeFields) -> str:
    if element in ("1", "01"):
        fields.month, value = _number(value, fixed=element == "01")
        if not 1 <= fields.month <= 12:
            raise GoInputError("month out of range")
        return value
    names = MONTHS if element == "January" else tuple(name[:3] for name in MONTHS)
    fields.month, value = _lookup(names, value)
    fields.month += 1
    return value


def _read_weekday(element: str, value: str, fields: TimeFields) -> str:
    return _lookup(DAYS if element == "Monday" else tuple(name[:3] for name in DAYS), value)[1]


def _read_day(element: str, value: str, fields: TimeFields) -> str:
    if element == "_2":
        value = value.removeprefix(" ")
    fields.day, value = _number(value, fixed=element == "02")
    return value


def _read_yearday(element: str, value: str, fields: TimeFields) -> str:
    if element == "__2":
        value = value.removeprefix(" ").removeprefix(" ")
    digits = len(value[:3]) - len(value[:3].lstrip("0123456789"))
    if digits == 0 or (element == "002" and digits != 3):
        raise GoInputError("")
    fields.yearday = int(value[:digits])
    return value[digits:]


_CLOCK = {
    "15": ("hour", 23),
    "3": ("hour", 12),
    "03": ("hour", 12),
    "4": ("minute", 59),
    "04": ("minute", 59),
}


def _read_clock(element: str, value: str, fields: TimeFields) -> str:
    name, most = _CLOCK[element]
    number, value = _number(value, fixed=element in ("03", "04"))
    if number > most:
        raise GoInputError(f"{name} out of range")
    setattr(fields, name, number)
    return value


def _read_half(element: str, value: str, fields: TimeFields) -> str:
    if value[:2] not in (("AM", "PM") if element == "PM" else ("am", "pm")):
        raise GoInputError("")
    fields.half = value[:2].upper()
    return value[2:]


def _read_zone(element: str, value: str, fields: TimeFields) -> str:
    if value.startswith("UTC"):
        fields.utc = True
        return value[3:]
    length = _zone_length(value)
    if not length:
        raise GoInputError("")
    fields.zone = value[:length]
    return value[length:]


_READERS: dict[str, Callable[[str, str, TimeFields], str]] = {
    **dict.fromkeys(("2006", "06"), _read_year),
    **dict.fromkeys(("January", "Jan", "1", "01"), _read_month),
    **dict.fromkeys(("Monday", "Mon"), _read_weekday),
    **dict.fromkeys(("2", "02", "_2"), _read_day),
    **dict.fromkeys(("__2", "002"), _read_yearday),
    **dict.fromkeys(_CLOCK, _read_clock),
    **dict.fromkeys(("PM", "pm"), _read_half),
    "MST": _read_zone,
}
"""The reader of each element of a layout; each returns the rest of the value."""


def _read_second(element: str, value: str, behind: str, fields: TimeFields) -> str:
    fields.second, value = _number(value, fixed=element == "05")
    if fields.second >= 60:
        raise GoInputError("second out of range")
    # A fraction is read even where the layout has none.
    return value if next_element(behind)[1][:1] in (".", ",") else _read_digits(value, fields)


def _read_fraction(element: str, value: str, fields: TimeFields) -> str:
    if element[1] == "0":
        if len(value) < len(element):
            raise GoInputError("")
        fields.nanosecond = _nanoseconds(value[: len(element)])
        return value[len(element) :]
    return _read_digits(value, fields)


def _read_digits(value: str, fields: TimeFields) -> str:
    if len(value) < 2 or value[0] not in ".," or not _digit(value[1]):
        return value
    end = 1
    while end < len(value) and _digit(value[end]):
        end += 1
    fields.nanosecond = _nanoseconds(value[:end])
    return value[end:]


def _read_offset(element: str, value: str, fields: TimeFields) -> str:
    if element[0] == "Z" and value.startswith("Z"):
        fields.utc = True
        return value[1:]
    size = len(element)
    if len(value) < size:
        raise GoInputError("")
    part, rest = value[:size], value[size:]
    if ":" in element:
        if any(part[at] != ":" for at in (3, 6) if at < size):
            raise GoInputError("")
        part = part.replace(":", "")
    hours, minutes, seconds = (_pair(part[at : at + 2]) for at in (1, 3, 5))
    for number, bound, name in ((hours, 24, "hour"), (minutes, 60, "minute"), (seconds, 60, "second")):
        if number > bound:
            raise GoInputError(f"time zone offset {name} out of range")
    if part[0] not in "+-":
        raise GoInputError("")
    total = (hours * 60 + minutes) * 60 + seconds
    fields.offset = -total if part[0] == "-" else total
    return rest


def _pair(text: str) -> int:
    if not text:
        return 0
    if len(text) != 2 or not (_digit(text[0]) and _digit(text[1])):
        raise GoInputError("")
    return int(text)


def _zone_length(value: str) -> int:
    """Return the length of the time zone abbreviation at the start of the value, or 0."""
    if len(value) < 3:
        return 0
    if value[:4] in ("ChST", "MeST"):
        return 4
    if value[:3] == "GMT":
        return 3 + _signed_hours(value[3:])
    if value[0] in "+-":
        return _signed_hours(value)
    capitals = 0
    while capitals < 6 and "A" <= value[capitals : capitals + 1] <= "Z":
        capitals += 1
    if capitals == 3 or (capitals == 4 and (value[3] == "T" or value[:4] == "WITA")):
        return capitals
    return 5 if capitals == 5 and value[4] == "T" else 0


def _signed_hours(value: str) -> int:
    end = 1
    while value[:1] in ("+", "-") and end < len(value) and _digit(value[end]):
        end += 1
    return end if end > 1 and end < 12 and int(value[1:end]) <= 23 else 0


def _lookup(names: tuple[str, ...], value: str) -> tuple[int, str]:
    for index, name in enumerate(names):
        if value[: len(name)].lower() == name.lower():
            return index, value[len(name) :]
    raise GoInputError("")


def _number(value: str, *, fixed: bool) -> tuple[int, str]:
    if not _digit(value[:1]):
        raise GoInputError("")
    if not _digit(value[1:2]):
        if fixed:
            raise GoInputError("")
        return int(value[0]), value[1:]
    return int(value[:2]), value[2:]


def _nanoseconds(text: str) -> int:
    if text[0] not in ".,":
        raise GoInputError("")
    digits = text[1:10]
    if _atoi(digits) < 0:
        raise GoInputError("fractional second out of range")
    return int(digits.ljust(9, "0"))


def _atoi(text: str) -> int:
    number = whole(text)
    if number is None:
        raise GoInputError("")
    return number


def _digit(char: str) -> bool:
    return "0" <= char <= "9"
