"""Cron expressions as robfig/cron's ParseStandard reads them, and their next time.

    parse("*/15 8-17 * * MON-FRI").next(1709315400)   # seconds since 1970, UTC

Five fields, names of months and weekdays, `?`, steps and lists, `@daily` and the like, `@every 90m`,
`CRON_TZ=Asia/Tokyo`. Libraries for Python accept more (weekday 7, `L`, a sixth field) and would miss errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from krmkit.libraries.go.errors import GoError, GoInputError
from krmkit.libraries.go.fmt.numbers import atoi
from krmkit.libraries.go.time.durations import parse_duration
from krmkit.libraries.go.time.zones import UTC_ZONE, Zone, load_zone

_DAY = 86400
_YEARS = 5
_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest and largest number of a field, and its names."""

    low: int
    high: int
    names: dict[str, int]


_MONTHS = {
    name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)
}
_WEEKDAYS = {name: number for number, name in enumerate("sun mon tue wed thu fri sat".split())}
_FIELDS = (
    Bounds(0, 59, {}),
    Bounds(0, 23, {}),
    Bounds(1, 31, {}),
    Bounds(1, 12, _MONTHS),
    Bounds(0, 6, _WEEKDAYS),
)
_DESCRIPTORS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}


@dataclass(frozen=True, slots=True)
class Every:
    """`@every <duration>`: a constant delay of whole seconds."""

    seconds: int

    def next(self, unix: float) -> float | None:
        """Return the first point in time after `unix`."""
        return int(unix) + self.seconds


@dataclass(frozen=True, slots=True)
class CronField:
    """The numbers that a field allows. `*` and `?` without a step do not restrict it."""

    numbers: frozenset[int]
    restricted: bool


@dataclass(frozen=True, slots=True)
class Schedule:
    """The five fields, in a time zone."""

    minute: CronField
    hour: CronField
    day: CronField
    month: CronField
    weekday: CronField
    zone: Zone

    def next(self, unix: float) -> float | None:
        """Return the first time after `unix` (seconds since 1970); None if none is within five years."""
        now = int(unix)
        today = datetime.fromtimestamp(now + self.zone.at(now)[0], UTC).date()
        for offset in range(_YEARS * 366):
            day = today + timedelta(days=offset)
            if self._matches(day):
                found = self._first_on(day, now)
                if found is not None:
                    return found
        return None

    def _matches(self, day: date) -> bool:
        if day.month not in self.month.numbers:
            return False
        by_day = day.day in self.day.numbers
        by_weekday = day.isoweekday() % 7 in self.weekday.numbers
        if self.day.restricted and self.weekday.restricted:
            return by_day or by_weekday
        return by_day and by_weekday

    def _first_on(self, day: date, now: int) -> int | None:
        midnight = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
        for hour in sorted(self.hour.numbers):
            for minute in sorted(self.minute.numbers):
                found = self._instant(midnight + hour * 3600 + minute * 60, now)
                if found is not None:
                    return found
        return None

    def _instant(self, wall: int, now: int) -> int | None:
        """Return the first time after `now` at which the zone's clocks show `wall`, or None."""
        for near in (wall - _DAY, wall + _DAY):
            unix = wall - self.zone.at(near)[0]
            if unix > now and unix + self.zone.at(unix)[0] == wall:
                return unix
        return None


def parse(spec: str) -> Schedule | Every:
    """Return the schedule of a cron expression. Raises GoInputError with robfig/cron's message."""
    if not spec or len(spec) > _LONGEST:
        raise GoInputError(
            "empty spec string" if not spec else f"the spec has more than {_LONGEST} characters"
        )
    zone = UTC_ZONE
    if spec.startswith(("TZ=", "CRON_TZ=")):
        name, _, spec = spec.partition("=")[2].partition(" ")
        zone = _zone(name)
        spec = spec.strip()
    if spec.startswith("@"):
        return _descriptor(spec, zone)
    return _schedule(spec, zone)


def _zone(name: str) -> Zone:
    try:
        zone = load_zone(name)
    except GoError as error:
        raise GoInputError(f"provided bad location {name}: {error}") from None
    if zone is None:
        raise GoInputError(f"provided bad location {name}: unknown time zone {name}")
    return zone


def _descriptor(spec: str, zone: Zone) -> Schedule | Every:
    known = _DESCRIPTORS.get(spec)
    if known is not None:
        return _schedule(known, zone)
    if not spec.startswith("@every "):
        raise GoInputError(f"unrecognized descriptor: {spec}")
    try:
        nanoseconds = parse_duration(spec[len("@every ") :])
    except GoInputError as error:
        raise GoInputError(f"failed to parse duration {spec}: {error}") from None
    return Every(max(1, nanoseconds // 1_000_000_000))


def _schedule(spec: str, zone: Zone) -> Schedule:
    fields = spec.split()
    if len(fields) != len(_FIELDS):
        raise GoInputError(f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]")
    minute, hour, day, month, weekday = map(_field, fields, _FIELDS)
    return Schedule(minute, hour, day, month, weekday, zone)


def _field(text: str, bounds: Bounds) -> CronField:
    numbers: set[int] = set()
    restricted = True
    for part in filter(None, text.split(",")):
        found, every = _range(part, bounds)
        numbers.update(found)
        restricted = restricted and not every
    return CronField(frozenset(numbers), restricted)


def _range(text: str, bounds: Bounds) -> tuple[range, bool]:
    """Return the numbers of `*`, `5`, `1-5`, `*/15`, `10/5` (from 10 on), and True for no restriction."""
    span, *steps = text.split("/")
    ends = span.split("-")
    every = ends[0] in ("*", "?")
    if every:
        start, end = bounds.low, bounds.high
    else:
        start = end = _number(ends[0], bounds.names)
        if len(ends) > 2:
            raise GoInputError(f"too many hyphens: {text}")
        if len(ends) == 2:
            end = _number(ends[1], bounds.names)
    step = 1
    if len(steps) > 1:
        raise GoInputError(f"too many slashes: {text}")
    if steps:
        step = _number(steps[0], {})
        if len(ends) == 1:
            end = bounds.high
        every = every and step <= 1
    if start < bounds.low:
        raise GoInputError(f"beginning of range ({start}) below minimum ({bounds.low}): {text}")
    if end > bounds.high:
        raise GoInputError(f"end of range ({end}) above maximum ({bounds.high}): {text}")
    if start > end:
        raise GoInputError(f"beginning of range ({start}) beyond end of range ({end}): {text}")
    if step == 0:
        raise GoInputError(f"step of range should be a positive number: {text}")
    return range(start, end + 1, step), every


def _number(text: str, names: dict[str, int]) -> int:
    named = names.get(text.lower())
    if named is not None:
        return named
    try:
        number = atoi(text)
    except GoInputError as error:
        raise GoInputError(f"failed to parse int from {text}: {error}") from None
    if number < 0:
        raise GoInputError(f"negative number ({number}) not allowed: {text}")
    return number
