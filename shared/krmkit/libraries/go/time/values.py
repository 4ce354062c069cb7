"""time.Time, time.Duration, time.Month and time.Weekday as values of templates, with their methods."""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.libraries.go.core.cast import wrap64
from krmkit.libraries.go.core.functions import GoFunction
from krmkit.libraries.go.core.limits import charge
from krmkit.libraries.go.core.values import GoObject, Int64
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.time.civil import Civil, to_days
from krmkit.libraries.go.time.durations import SECOND, format_duration
from krmkit.libraries.go.time.layouts import DAYS, MONTHS, format_time
from krmkit.libraries.go.time.zones import UTC_ZONE, Zone

_YEAR_ONE = -62135596800  # seconds from 1970 back to the zero time, year 1
_PRINTED = "2006-01-02 15:04:05.999999999 -0700 MST"
_RFC3339 = "2006-01-02T15:04:05.999999999Z07:00"


@dataclass(slots=True)
class _Number(GoObject):
    """A named integer type, which is a number but prints its name."""

    value: int

    def __int__(self) -> int:
        return self.value

    def __bool__(self) -> bool:
        return self.value != 0

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.value == other.value

    def __hash__(self) -> int:
        return hash((type(self), self.value))

    def go_equal(self, other: GoObject) -> bool:
        return self == other

    def to_json(self) -> str:
        return str(self.value)


class Duration(_Number):
    """A time.Duration, in nanoseconds."""

    go_type = "time.Duration"
    go_kind = "int64"

    def go_string(self) -> str:
        return format_duration(self.value)


class Month(_Number):
    """A time.Month, 1 to 12."""

    go_type = "time.Month"
    go_kind = "int"

    def go_string(self) -> str:
        return MONTHS[self.value - 1]


class Weekday(_Number):
    """A time.Weekday, 0 (Sunday) to 6."""

    go_type = "time.Weekday"
    go_kind = "int"

    def go_string(self) -> str:
        return DAYS[self.value]


@dataclass(frozen=True, slots=True)
class Time(GoObject):
    """A time.Time: seconds since 1970, nanoseconds, and a zone."""

    unix: int
    nanosecond: int = 0
    zone: Zone = UTC_ZONE
    go_type = "time.Time"
    go_kind = "struct"

    def civil(self) -> Civil:
        offset, name = self.zone.at(self.unix)
        return Civil(self.unix, self.nanosecond, offset, name)

    def format(self, layout: str) -> str:
        """time.Time.Format."""
        charge(len(layout) * 8)
        return format_time(layout, self.civil())

    def add(self, nanoseconds: int) -> Time:
        """time.Time.Add."""
        total = self.unix * SECOND + self.nanosecond + nanoseconds
        return Time(total // SECOND, total % SECOND, self.zone)

    def go_string(self) -> str:
        return self.format(_PRINTED)

    def to_json(self) -> str:
        """Return the time as RFC 3339, in quotes."""
        if not 0 <= self.civil().year <= 9999:
            raise GoError(
                "json: error calling MarshalJSON for type time.Time: year outside of range [0,9999]"
            )
        return f'"{self.format(_RFC3339)}"'

    def instant(self) -> int:
        """Return the nanoseconds since 1970, as an int of any size."""
        return self.unix * SECOND + self.nanosecond

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Time) and self.instant() == other.instant() and self.zone is other.zone

    def __hash__(self) -> int:
        return hash(self.instant())

    def go_equal(self, other: GoObject) -> bool:
        return self == other


ZERO = Time(_YEAR_ONE)
"""time.Time{}, which is what a failed parse leaves."""


def _add_date(when: Time, years: int, months: int, days: int) -> Time:
    now = when.civil()
    clock = now.hour * 3600 + now.minute * 60 + now.second
    seconds = to_days(now.year + years, now.month + months, now.day + days) * 86400 + clock
    # The offset that holds at the new date, by way of the one that holds now.
    guess = seconds - now.offset
    offset, _ = when.zone.at(guess)
    return Time(seconds - offset, when.nanosecond, when.zone)


def _sub(when: Time, other: Time) -> Duration:
    span = when.instant() - other.instant()
    return Duration(max(min(span, (1 << 63) - 1), -(1 << 63)))


def _truncate(when: Time, step: Duration) -> Time:
    rest = _rest(when, step)
    return when.add(-rest)


def _round(when: Time, step: Duration) -> Time:
    if step.value <= 0:
        return when
    rest = _rest(when, step)
    return when.add(-rest) if rest + rest < step.value else when.add(step.value - rest)


def _rest(when: Time, step: Duration) -> int:
    """Return the time since the last whole multiple of `step` after the zero time."""
    return (when.instant() - _YEAR_ONE * SECOND) % step.value if step.value > 0 else 0


def _compare(when: Time, other: Time) -> int:
    return (when.instant() > other.instant()) - (when.instant() < other.instant())


_TIME = ("time",)
_DURATION = ("duration",)

Time.go_methods = {
    "Format": GoFunction(lambda t, layout: t.format(layout), ("string",), result="string"),
    "String": GoFunction(lambda t: t.go_string(), result="string"),
    "Year": GoFunction(lambda t: t.civil().year, result="int"),
    "Month": GoFunction(lambda t: Month(t.civil().month), result="time.Month"),
    "Day": GoFunction(lambda t: t.civil().day, result="int"),
    "Hour": GoFunction(lambda t: t.civil().hour, result="int"),
    "Minute": GoFunction(lambda t: t.civil().minute, result="int"),
    "Second": GoFunction(lambda t: t.civil().second, result="int"),
    "Nanosecond": GoFunction(lambda t: t.nanosecond, result="int"),
    "Weekday": GoFunction(lambda t: Weekday(t.civil().weekday), result="time.Weekday"),
    "YearDay": GoFunction(lambda t: t.civil().yearday, result="int"),
    "Unix": GoFunction(lambda t: Int64(t.unix), result="int64"),
    "UnixMilli": GoFunction(lambda t: Int64(wrap64(t.instant() // 1_000_000)), result="int64"),
    "UnixMicro": GoFunction(lambda t: Int64(wrap64(t.instant() // 1_000)), result="int64"),
    "UnixNano": GoFunction(lambda t: Int64(wrap64(t.instant())), result="int64"),
    "IsZero": GoFunction(lambda t: t.unix == _YEAR_ONE and t.nanosecond == 0, result="bool"),
    "UTC": GoFunction(lambda t: Time(t.unix, t.nanosecond), result="time.Time"),
    "Local": GoFunction(lambda t: Time(t.unix, t.nanosecond), result="time.Time"),
    "Add": GoFunction(lambda t, d: t.add(d.value), _DURATION, result="time.Time"),
    "AddDate": GoFunction(_add_date, ("int", "int", "int"), result="time.Time"),
    "Sub": GoFunction(_sub, _TIME, result="time.Duration"),
    "Truncate": GoFunction(_truncate, _DURATION, result="time.Time"),
    "Round": GoFunction(_round, _DURATION, result="time.Time"),
    "Before": GoFunction(lambda t, o: _compare(t, o) < 0, _TIME, result="bool"),
    "After": GoFunction(lambda t, o: _compare(t, o) > 0, _TIME, result="bool"),
    "Equal": GoFunction(lambda t, o: _compare(t, o) == 0, _TIME, result="bool"),
    "Compare": GoFunction(_compare, _TIME, result="int"),
}
Duration.go_methods = {
    "String": GoFunction(lambda d: d.go_string(), result="string"),
    "Hours": GoFunction(lambda d: d.value / (3600 * SECOND), result="float64"),
    "Minutes": GoFunction(lambda d: d.value / (60 * SECOND), result="float64"),
    "Seconds": GoFunction(lambda d: d.value / SECOND, result="float64"),
    "Milliseconds": GoFunction(lambda d: Int64(_quotient(d.value, 1_000_000)), result="int64"),
    "Microseconds": GoFunction(lambda d: Int64(_quotient(d.value, 1_000)), result="int64"),
    "Nanoseconds": GoFunction(lambda d: Int64(d.value), result="int64"),
    "Abs": GoFunction(lambda d: Duration(min(abs(d.value), (1 << 63) - 1)), result="time.Duration"),
}
Month.go_methods = {"String": GoFunction(lambda m: m.go_string(), result="string")}
Weekday.go_methods = {"String": GoFunction(lambda w: w.go_string(), result="string")}


def _quotient(number: int, by: int) -> int:
    return number // by if number >= 0 else -(-number // by)
