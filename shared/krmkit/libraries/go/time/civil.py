"""Calendar arithmetic in the proleptic Gregorian calendar, for every year that Go's time can hold."""

from __future__ import annotations

_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365)


class Civil:
    """Date and time of day; weekday 0 is Sunday, yearday starts at 1."""

    def __init__(self, unix: int, nanosecond: int, offset: int, zone: str) -> None:
        days, seconds = divmod(unix + offset, 86400)
        self.year, self.month, self.day = from_days(days)
        self.hour, seconds = divmod(seconds, 3600)
        self.minute, self.second = divmod(seconds, 60)
        self.nanosecond = nanosecond
        self.weekday = (days + 4) % 7
        self.yearday = days - to_days(self.year, 1, 1) + 1
        self.offset = offset
        self.zone = zone


def is_leap(year: int) -> bool:
    """Return True if the year has a 29th of February."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in(month: int, year: int) -> int:
    """Return the number of days in a month."""
    return 29 if month == 2 and is_leap(year) else _BEFORE[month] - _BEFORE[month - 1]


def days_before(month: int) -> int:
    """Return the days of a common year before a month (1 to 13)."""
    return _BEFORE[month - 1]


def to_days(year: int, month: int, day: int) -> int:
    """Return the days since 1970-01-01; month and day may overflow, as in Go's time.Date."""
    years, month = divmod(month - 1, 12)
    year += years
    before = year - 1
    leap = 1 if month >= 2 and is_leap(year) else 0
    return before * 365 + before // 4 - before // 100 + before // 400 + _BEFORE[month] + leap + day - 719163


def from_days(days: int) -> tuple[int, int, int]:
    """Return (year, month, day) for the days since 1970-01-01."""
    era, day = divmod(days + 719468, 146097)
    year_of_era = (day - day // 1460 + day // 36524 - day // 146096) // 365
    day -= 365 * year_of_era + year_of_era // 4 - year_of_era // 100
    shifted = (5 * day + 2) // 153  # months counted from March
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year_of_era + era * 400 + (month <= 2), month, day - (153 * shifted + 2) // 5 + 1
