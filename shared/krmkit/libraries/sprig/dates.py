"""Dates: formatting, parsing and moving times. Functions of the current time fail."""

from __future__ import annotations

from krmkit.libraries.go.core.cast import wrap64
from krmkit.libraries.go.core.limits import charge
from krmkit.libraries.go.core.values import Int32, Int64, type_of
from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.numbers import whole
from krmkit.libraries.go.time.durations import SECOND, format_duration, parse_duration
from krmkit.libraries.go.time.parse import parse_time
from krmkit.libraries.go.time.values import ZERO, Time
from krmkit.libraries.go.time.zones import UTC_ZONE, FixedZone, load_zone
from krmkit.libraries.sprig.refused import no_clock

_HOUR = 3600 * SECOND
_ROUNDS = ((365 * 24 * _HOUR, "y"), (30 * 24 * _HOUR, "mo"), (24 * _HOUR, "d"), (_HOUR, "h"), (60 * SECOND, "m"),
           (SECOND, "s"))  # fmt: skip


def date(layout: str, when: object) -> str:
    """Format a time in UTC; sprig uses the machine's zone, on which a run must not depend."""
    return date_in_zone(layout, when, "UTC")


def html_date(when: object) -> str:
    """Format a time as 2006-01-02 in UTC."""
    return date_in_zone("2006-01-02", when, "UTC")


def html_date_in_zone(when: object, zone: str) -> str:
    """Format a time as 2006-01-02 in a zone."""
    return date_in_zone("2006-01-02", when, zone)


def date_in_zone(layout: str, when: object, zone: str) -> str:
    """Format a time, or seconds since 1970 (int, int64), in a zone; an unknown zone is UTC."""
    if isinstance(when, Time):
        moment = when
    elif type(when) in (int, Int64, Int32) and isinstance(when, int):
        moment = Time(int(when))
    else:
        # Sprig formats the present time here, and so does a float64, which all numbers from JSON are.
        raise no_clock(
            f"a value of type {type_of(when)} is not a date, and sprig would take the current time"
        )
    place = load_zone(zone)
    return Time(moment.unix, moment.nanosecond, place or UTC_ZONE).format(layout)


def date_modify(duration: str, when: Time) -> Time:
    """Move a date by a duration; an invalid duration leaves it unchanged (dateModify, date_modify)."""
    try:
        return must_date_modify(duration, when)
    except GoInputError:
        return when


def must_date_modify(duration: str, when: Time) -> Time:
    """Move a date by a duration (mustDateModify, must_date_modify)."""
    return when.add(parse_duration(duration))


def to_date(layout: str, text: str) -> Time:
    """Parse a date; the zero time if the text does not match the layout (toDate)."""
    try:
        return must_to_date(layout, text)
    except GoInputError:
        return ZERO


def must_to_date(layout: str, text: str) -> Time:
    """Parse a date (mustToDate)."""
    charge(2 * (len(layout) + len(text)))
    parsed = parse_time(layout, text)
    zone = UTC_ZONE if (parsed.offset, parsed.zone) == (0, "UTC") else FixedZone(parsed.offset, parsed.zone)
    return Time(parsed.unix, parsed.nanosecond, zone)


def unix_epoch(when: Time) -> str:
    """Return the seconds since 1970, as text."""
    return str(when.unix)


def duration(seconds: object) -> str:
    """Write seconds, given as text or int64, as 1h30m0s; other values give 0s."""
    number = int(seconds) if isinstance(seconds, Int64) else 0
    if isinstance(seconds, str):
        # strconv.ParseInt gives the nearest limit beside its error, which sprig ignores.
        number = max(min(whole(seconds) or 0, (1 << 63) - 1), -(1 << 63))
    return format_duration(wrap64(number * SECOND))


def duration_round(value: object) -> str:
    """Round a duration (text or int64 nanoseconds) to the largest unit that it exceeds."""
    if isinstance(value, Time):
        raise no_clock("durationRound of a time is the time that has passed since")
    span = 0
    if isinstance(value, str):
        charge(len(value))
        try:
            span = parse_duration(value)
        except GoInputError:
            pass
    elif isinstance(value, Int64):
        span = int(value)
    span = abs(span)
    return next((f"{span // size}{unit}" for size, unit in _ROUNDS if span > size), "0s")
