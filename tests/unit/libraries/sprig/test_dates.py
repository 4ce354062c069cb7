"""Dates: layouts, parsing, zones, durations; nothing falls back to the present time."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.core.values import Int64
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.time import zones
from krmkit.libraries.go.time.values import ZERO, Duration, Time
from krmkit.libraries.sprig import call

MOMENT = 1709210096  # Thursday, 29 February 2024, 12:34:56 UTC


def method(value: Time | Duration, name: str, *args: object) -> object:
    """Calls a method as the engine does."""
    return value.go_methods[name].impl(value, *args)


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        pytest.param("2006-01-02T15:04:05Z07:00", "2024-02-29T12:34:56Z", id="RFC 3339"),
        pytest.param("Monday, 2 January 06", "Thursday, 29 February 24", id="names in full"),
        pytest.param("Mon Jan _2 3:04:05PM pm", "Thu Feb 29 12:34:56PM pm", id="names in short"),
        pytest.param("1/2/6 3h4m5s", "2/29/6 12h34m56s", id="single digits"),
        pytest.param("002 __2", "060  60", id="day of the year"),
        pytest.param(
            "Janus Monument _2006", "Janus Monument _2024", id="words that only begin like an element"
        ),
        pytest.param(".000 ,999 .0001 .0a", ".000  .0002 .0a", id="fractions"),
        pytest.param(
            "-07 -0700 -07:00 -070000 -07:00:00", "+00 +0000 +00:00 +000000 +00:00:00", id="offsets"
        ),
        pytest.param("Z07 Z0700 MST", "Z Z UTC", id="zone"),
    ],
)
def test_format(layout: str, expected: str) -> None:
    """date formats seconds since 1970 in UTC."""
    assert call("date", layout, MOMENT) == expected
    assert call("date", layout, Int64(MOMENT)) == expected


def test_format_of_far_times() -> None:
    """Years are not bounded by four digits; those before the year 0 carry a sign."""
    assert call("htmlDate", 10**12) == "33658-09-27"
    assert call("htmlDate", -(10**11)) == "-1199-02-15"
    assert call("htmlDate", ZERO) == "0001-01-01"
    assert call("date", "06", -(10**11)) == "99"


def test_summer_time_of_far_times() -> None:
    """The rules of a zone go on after the year 9999, as in Go."""
    layout = "2006-01-02 15:04 MST"
    assert call("dateInZone", layout, 296181660635, "America/New_York") == "11355-08-16 07:30 EDT"
    assert call("dateInZone", layout, 66563815698600, "America/New_York") == "2111293-05-07 09:10 EDT"


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        pytest.param("Europe/Berlin", "2024-02-29 13:34 CET +01:00", id="east"),
        pytest.param("America/St_Johns", "2024-02-29 09:04 NST -03:30", id="west, half an hour"),
        pytest.param("Local", "2024-02-29 12:34 UTC +00:00", id="the machine's zone plays no part"),
        pytest.param("No/Where", "2024-02-29 12:34 UTC +00:00", id="unknown"),
        pytest.param("../etc/passwd", "2024-02-29 12:34 UTC +00:00", id="no way out of the database"),
    ],
)
def test_zones(zone: str, expected: str) -> None:
    """dateInZone; an unknown zone is UTC."""
    assert call("dateInZone", "2006-01-02 15:04 MST -07:00", MOMENT, zone) == expected
    assert call("htmlDateInZone", MOMENT, zone) == expected[:10]


def test_without_zone_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any tz database a zone is an error with a remedy, not silently UTC."""
    import zoneinfo

    def nothing(name: str) -> object:
        raise zoneinfo.ZoneInfoNotFoundError(name)

    monkeypatch.setattr(zoneinfo, "ZoneInfo", nothing)
    monkeypatch.setattr(zones, "_known", {})

    with pytest.raises(GoError, match="install the package tzdata"):
        call("dateInZone", "15:04", MOMENT, "Asia/Tokyo")


@pytest.mark.parametrize(
    ("layout", "text", "expected"),
    [
        pytest.param("2006-01-02 15:04", "2024-02-29 07:08", "2024-02-29 07:08:00 +0000 UTC", id="plain"),
        pytest.param(
            "Jan _2 06", "feb  9 69", "1969-02-09 00:00:00 +0000 UTC", id="names in any case, short year"
        ),
        pytest.param(
            "15:04:05", "01:02:03.25", "0000-01-01 01:02:03.25 +0000 UTC", id="a fraction of its own"
        ),
        pytest.param("05.000", "07.125", "0000-01-01 00:00:07.125 +0000 UTC", id="a fraction of fixed width"),
        pytest.param("3PM", "12AM", "0000-01-01 00:00:00 +0000 UTC", id="midnight"),
        pytest.param("3pm", "1pm", "0000-01-01 13:00:00 +0000 UTC", id="afternoon"),
        pytest.param("2006-002", "2023-061", "2023-03-02 00:00:00 +0000 UTC", id="day of the year"),
        pytest.param(
            "2006-01-02Z07:00", "2024-01-01+05:30", "2024-01-01 00:00:00 +0530 +0530", id="an offset"
        ),
        pytest.param("2006-01-02 -0700", "2024-01-01 +0000", "2024-01-01 00:00:00 +0000 UTC", id="no offset"),
        pytest.param("2006 MST", "2024 CEST", "2024-01-01 00:00:00 +0000 CEST", id="a name tells no offset"),
        pytest.param("2006 MST -07", "2024 CET +01", "2024-01-01 00:00:00 +0100 CET", id="name and offset"),
        pytest.param("2006 MST", "2024 GMT+2", "2024-01-01 02:00:00 +0200 GMT+2", id="GMT with hours"),
    ],
)
def test_parse(layout: str, text: str, expected: str) -> None:
    """toDate reads by a layout."""
    when = call("toDate", layout, text)

    assert isinstance(when, Time)
    assert when.go_string() == expected


@pytest.mark.parametrize(
    ("layout", "text", "problem"),
    [
        pytest.param("2006-01", "2024-1", 'as "2006-01": cannot parse "1" as "01"', id="one digit for two"),
        pytest.param("2006/01", "2024-01", 'as "2006/01": cannot parse "-01" as "/"', id="other text"),
        pytest.param("2006", "2024 ", ': extra text: " "', id="more behind"),
        pytest.param("01", "13", ": month out of range", id="month"),
        pytest.param("15", "24", ": hour out of range", id="hour"),
        pytest.param("4", "60", ": minute out of range", id="minute"),
        pytest.param("2006-01-02", "2023-02-29", ": day out of range", id="day"),
        pytest.param("2006-002", "2023-366", ": day-of-year out of range", id="day of the year"),
        pytest.param("2006-01 002", "2023-01 040", ": day-of-year does not match month", id="two dates"),
        pytest.param("-07", "+25", ": time zone offset hour out of range", id="offset"),
        pytest.param("MST", "ab", 'as "MST": cannot parse "ab" as "MST"', id="zone"),
        pytest.param(
            "2006", "20é4", 'as "2006": cannot parse "20\\xc3\\xa94" as "2006"', id="bytes in quotes"
        ),
    ],
)
def test_parse_fails(layout: str, text: str, problem: str) -> None:
    """mustToDate says what does not fit; toDate yields the zero time."""
    assert call("toDate", layout, text) == ZERO
    with pytest.raises(GoError) as caught:
        call("mustToDate", layout, text)

    assert caught.value.message.startswith("parsing time ")
    assert caught.value.message.endswith(problem)


@pytest.mark.parametrize(
    ("duration", "expected"),
    [
        pytest.param("36h", "2024-03-02 00:34:56 +0000 UTC", id="over a leap day"),
        pytest.param("-1h30.5m", "2024-02-29 11:04:26 +0000 UTC", id="backwards"),
        pytest.param("1.5ms2us3ns", "2024-02-29 12:34:56.001502003 +0000 UTC", id="small units"),
    ],
)
def test_modify(duration: str, expected: str) -> None:
    """dateModify and mustDateModify move a time."""
    for name in ("dateModify", "mustDateModify"):
        moved = call(name, duration, Time(MOMENT))

        assert isinstance(moved, Time)
        assert moved.go_string() == expected


@pytest.mark.parametrize(
    ("duration", "message"),
    [
        pytest.param("", 'time: invalid duration ""', id="nothing"),
        pytest.param("1h 2m", 'time: unknown unit "h " in duration "1h 2m"', id="blank"),
        pytest.param("5", 'time: missing unit in duration "5"', id="no unit"),
        pytest.param("2d", 'time: unknown unit "d" in duration "2d"', id="days"),
        pytest.param("3000000h", 'time: invalid duration "3000000h"', id="too long"),
    ],
)
def test_bad_durations(duration: str, message: str) -> None:
    """A bad duration leaves the time alone, or fails in the must form."""
    when = Time(MOMENT)

    assert call("dateModify", duration, when) is when
    with pytest.raises(GoError) as caught:
        call("mustDateModify", duration, when)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        pytest.param("duration", "3723", "1h2m3s", id="text"),
        pytest.param("duration", Int64(60), "1m0s", id="int64"),
        pytest.param("duration", 60, "0s", id="int is not looked at"),
        pytest.param("duration", "1e3", "0s", id="no number"),
        pytest.param("duration", "99999999999999999999", "-1s", id="too large wraps, as in Go"),
        pytest.param("durationRound", "61m", "1h", id="minutes to hours"),
        pytest.param("durationRound", "1h", "60m", id="exactly an hour"),
        pytest.param("durationRound", "-50h", "2d", id="no sign"),
        pytest.param("durationRound", "1000h", "1mo", id="months"),
        pytest.param("durationRound", Int64(90_000_000_000), "1m", id="nanoseconds"),
        pytest.param("durationRound", 3.5, "0s", id="anything else"),
        pytest.param("unixEpoch", Time(-1), "-1", id="unixEpoch"),
    ],
)
def test_durations(name: str, value: object, expected: str) -> None:
    """duration counts seconds, durationRound takes the largest unit that is exceeded."""
    assert call(name, value) == expected


@pytest.mark.parametrize(
    ("name", "args"),
    [
        pytest.param("date", ("2006", 1.5), id="date of a float64"),
        pytest.param("htmlDate", ("today",), id="htmlDate of a text"),
        pytest.param("dateInZone", ("2006", None, "UTC"), id="dateInZone of nil"),
        pytest.param("durationRound", (ZERO,), id="durationRound of a time"),
        pytest.param("now", (), id="now"),
        pytest.param("ago", (ZERO,), id="ago"),
    ],
)
def test_no_clock(name: str, args: tuple[object, ...]) -> None:
    """Where sprig would take the current time, the error says what to do."""
    with pytest.raises(GoError, match=r"there is no clock, .*: pass the time in"):
        call(name, *args)


def test_methods_of_times() -> None:
    """The methods of time.Time."""
    when = call("toDate", "2006-01-02 15:04:05 -0700", "2024-01-31 23:00:00 +0200")
    assert isinstance(when, Time)

    assert [method(when, name) for name in ("Year", "Day", "Hour", "Minute", "YearDay")] == [
        2024,
        31,
        23,
        0,
        31,
    ]
    assert str(method(when, "Month").go_string()) == "January"  # type: ignore[attr-defined]  # a Month
    assert str(method(when, "Weekday").go_string()) == "Wednesday"  # type: ignore[attr-defined]  # a Weekday
    assert method(when, "Unix") == 1706734800
    assert method(when, "UnixMilli") == 1706734800000
    assert method(when, "IsZero") is False
    assert method(ZERO, "IsZero") is True
    assert str(method(when, "AddDate", 0, 1, 0).go_string()) == "2024-03-02 23:00:00 +0200 +0200"  # type: ignore[attr-defined]
    assert str(method(when, "UTC").go_string()) == "2024-01-31 21:00:00 +0000 UTC"  # type: ignore[attr-defined]


def test_arithmetic_of_times() -> None:
    """Differences, order, rounding."""
    first, second = Time(MOMENT), Time(MOMENT + 90)
    span = method(second, "Sub", first)
    hour = Duration(3600 * 10**9)

    assert isinstance(span, Duration)
    assert span.go_string() == "1m30s"
    assert method(span, "Minutes") == 1.5
    assert method(first, "Before", second) is True
    assert method(first, "Equal", method(second, "Add", Duration(-90 * 10**9))) is True
    assert method(first, "Truncate", hour) == Time(MOMENT - 34 * 60 - 56)
    assert method(first, "Round", hour) == Time(MOMENT + 25 * 60 + 4)
