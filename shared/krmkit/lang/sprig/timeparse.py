"""Parsing a time by a layout of Go's (time.Parse), with its errors."""

from __future__ import annotations

from krmkit.lang.sprig.civil import days_before, days_in, is_leap, to_days
from krmkit.lang.sprig.durations import quote
from krmkit.lang.sprig.layouts import DAYS, MONTHS, next_element

MAX_LENGTH = 4096
"""Longest layout and value together that are looked at; assign a larger number to raise it."""


class TimeParseError(ValueError):
    """The value does not fit the layout; the message is Go's own."""


class _BadError(Exception):
    """The text at hand is not what the element asks for."""


class _RangeError(Exception):
    """A number is outside of what the element allows; the argument names it."""


class ParsedTime:
    """Seconds since 1970 (UTC), nanoseconds, and the zone: offset in seconds with a name that may be empty."""

    __slots__ = ("nanosecond", "offset", "unix", "zone")

    def __init__(self, unix: int, nanosecond: int, offset: int, zone: str) -> None:
        self.unix = unix
        self.nanosecond = nanosecond
        self.offset = offset
        self.zone = zone


def parse_time(layout: str, value: str) -> ParsedTime:
    """time.ParseInLocation with UTC as the location. Raises TimeParseError."""
    if len(layout) + len(value) > MAX_LENGTH:
        raise TimeParseError(f"parsing time: layout and value have more than {MAX_LENGTH:,} characters")
    fields = _Fields()
    rest_layout, rest = layout, value
    while True:
        prefix, element, behind = next_element(rest_layout)
        rest, fits = _skip(rest, prefix)
        if not fits:
            raise _cannot(layout, value, rest, prefix)
        if not element:
            if rest:
                raise TimeParseError(f"parsing time {quote(value)}: extra text: {quote(rest)}")
            break
        try:
            rest = _read(element, rest, behind, fields)
        except _RangeError as error:
            raise TimeParseError(f"parsing time {quote(value)}: {error} out of range") from None
        except _BadError:
            raise _cannot(layout, value, rest, element) from None
        rest_layout = behind
    problem = fields.settle()
    if problem:
        raise TimeParseError(f"parsing time {quote(value)}: {problem}")
    return fields.result()


class _Fields:
    """What has been read so far."""

    __slots__ = ("day", "half", "hour", "minute", "month", "nanosecond", "offset", "second", "utc", "year", "yearday",
                 "zone")  # fmt: skip

    def __init__(self) -> None:
        self.year = 0
        self.month = self.day = self.yearday = -1
        self.hour = self.minute = self.second = self.nanosecond = 0
        self.half = ""
        self.utc = False
        self.offset: int | None = None
        self.zone = ""

    def settle(self) -> str:
        """Completes the date; the answer is a problem, or "" when the date exists."""
        if self.half == "PM" and self.hour < 12:
            self.hour += 12
        elif self.half == "AM" and self.hour == 12:
            self.hour = 0
        if self.yearday >= 0:
            problem = self._from_yearday()
            if problem:
                return problem
        self.month = max(self.month, 1) if self.month < 0 else self.month
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
        # A bare name tells no offset; only GMT may carry one, and the clock time is taken as UTC all the same.
        hours = int(self.zone[3:]) if self.zone[:3] == "GMT" and len(self.zone) > 3 else 0
        return ParsedTime(unix, self.nanosecond, hours * 3600, self.zone)


def _cannot(layout: str, value: str, rest: str, element: str) -> TimeParseError:
    return TimeParseError(
        f"parsing time {quote(value)} as {quote(layout)}: cannot parse {quote(rest)} as {quote(element)}"
    )


def _skip(value: str, prefix: str) -> tuple[str, bool]:
    """Steps over plain text of the layout; a run of blanks fits any run of blanks, also none at the end."""
    while prefix:
        if prefix[0] == " ":
            if value and value[0] != " ":
                return value, False
            prefix, value = prefix.lstrip(" "), value.lstrip(" ")
            continue
        if value[:1] != prefix[0]:
            return value, False
        prefix, value = prefix[1:], value[1:]
    return value, True


def _read(element: str, value: str, behind: str, fields: _Fields) -> str:
    """Reads one element; the answer is the rest of the value."""
    if element[0] in "-Z":
        return _read_offset(element, value, fields)
    if element[0] in ".,":
        return _read_fraction(element, value, fields)
    match element:
        case "2006":
            if len(value) < 4 or not _digit(value[0]):
                raise _BadError
            fields.year = _atoi(value[:4])
            return value[4:]
        case "06":
            if len(value) < 2:
                raise _BadError
            year = _atoi(value[:2])
            fields.year = year + (1900 if year >= 69 else 2000)
            return value[2:]
        case "January":
            fields.month, value = _lookup(MONTHS, value)
            fields.month += 1
        case "Jan":
            fields.month, value = _lookup(tuple(name[:3] for name in MONTHS), value)
            fields.month += 1
        case "Monday":
            _, value = _lookup(DAYS, value)
        case "Mon":
            _, value = _lookup(tuple(name[:3] for name in DAYS), value)
        case "1" | "01":
            fields.month, value = _number(value, fixed=element == "01")
            if not 1 <= fields.month <= 12:
                raise _RangeError("month")
        case "2" | "02" | "_2":
            if element == "_2":
                value = value.removeprefix(" ")
            fields.day, value = _number(value, fixed=element == "02")
        case "__2" | "002":
            if element == "__2":
                value = value.removeprefix(" ").removeprefix(" ")
            digits = len(value[:3]) - len(value[:3].lstrip("0123456789"))
            if digits == 0 or (element == "002" and digits != 3):
                raise _BadError
            fields.yearday, value = int(value[:digits]), value[digits:]
        case "15":
            fields.hour, value = _number(value, fixed=False)
            if fields.hour >= 24:
                raise _RangeError("hour")
        case "3" | "03":
            fields.hour, value = _number(value, fixed=element == "03")
            if fields.hour > 12:
                raise _RangeError("hour")
        case "4" | "04":
            fields.minute, value = _number(value, fixed=element == "04")
            if fields.minute >= 60:
                raise _RangeError("minute")
        case "5" | "05":
            return _read_second(element, value, behind, fields)
        case "PM" | "pm":
            wanted = ("AM", "PM") if element == "PM" else ("am", "pm")
            if value[:2] not in wanted:
                raise _BadError
            fields.half, value = value[:2].upper(), value[2:]
        case "MST":
            if value.startswith("UTC"):
                fields.utc = True
                return value[3:]
            length = _zone_length(value)
            if not length:
                raise _BadError
            fields.zone, value = value[:length], value[length:]
    return value


def _read_second(element: str, value: str, behind: str, fields: _Fields) -> str:
    fields.second, value = _number(value, fixed=element == "05")
    if fields.second >= 60:
        raise _RangeError("second")
    # A fraction is read even where the layout has none.
    if len(value) >= 2 and value[0] in ".," and _digit(value[1]):
        following = next_element(behind)[1]
        if following[:1] not in (".", ","):
            end = 1
            while end < len(value) and _digit(value[end]):
                end += 1
            fields.nanosecond = _nanoseconds(value[:end])
            return value[end:]
    return value


def _read_fraction(element: str, value: str, fields: _Fields) -> str:
    if element[1] == "0":
        if len(value) < len(element):
            raise _BadError
        fields.nanosecond = _nanoseconds(value[: len(element)])
        return value[len(element) :]
    if len(value) < 2 or value[0] not in ".," or not _digit(value[1]):
        return value
    end = 1
    while end < len(value) and _digit(value[end]):
        end += 1
    fields.nanosecond = _nanoseconds(value[:end])
    return value[end:]


def _read_offset(element: str, value: str, fields: _Fields) -> str:
    if element[0] == "Z" and value.startswith("Z"):
        fields.utc = True
        return value[1:]
    size = len(element)
    if len(value) < size:
        raise _BadError
    part, rest = value[:size], value[size:]
    if ":" in element:
        if any(part[at] != ":" for at in (3, 6) if at < size):
            raise _BadError
        part = part.replace(":", "")
    hours, minutes, seconds = (_pair(part[at : at + 2]) for at in (1, 3, 5))
    for number, bound, name in ((hours, 24, "hour"), (minutes, 60, "minute"), (seconds, 60, "second")):
        if number > bound:
            raise _RangeError(f"time zone offset {name}")
    if part[0] not in "+-":
        raise _BadError
    total = (hours * 60 + minutes) * 60 + seconds
    fields.offset = -total if part[0] == "-" else total
    return rest


def _pair(text: str) -> int:
    if not text:
        return 0
    if len(text) != 2 or not (_digit(text[0]) and _digit(text[1])):
        raise _BadError
    return int(text)


def _zone_length(value: str) -> int:
    """The length of a time zone abbreviation at the start of the value; 0 when there is none."""
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
    raise _BadError


def _number(value: str, *, fixed: bool) -> tuple[int, str]:
    if not _digit(value[:1]):
        raise _BadError
    if not _digit(value[1:2]):
        if fixed:
            raise _BadError
        return int(value[0]), value[1:]
    return int(value[:2]), value[2:]


def _nanoseconds(text: str) -> int:
    if text[0] not in ".,":
        raise _BadError
    digits = text[1:10]
    if _atoi(digits) < 0:
        raise _RangeError("fractional second")
    return int(digits.ljust(9, "0"))


def _atoi(text: str) -> int:
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits or not all(_digit(char) for char in digits):
        raise _BadError
    return -int(digits) if text[0] == "-" else int(digits)


def _digit(char: str) -> bool:
    return "0" <= char <= "9"
