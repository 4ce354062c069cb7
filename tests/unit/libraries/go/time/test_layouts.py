"""krmkit.libraries.go.time: times by Go's layouts, read and written."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.time.civil import Civil, days_in
from krmkit.libraries.go.time.layouts import format_time
from krmkit.libraries.go.time.parse import parse_time

RFC = "2006-01-02T15:04:05Z07:00"


@pytest.mark.parametrize(
    ("layout", "value", "utc", "offset", "zone"),
    [
        (RFC, "2024-02-29T12:30:15Z", "2024-02-29T12:30:15", 0, "UTC"),
        (RFC, "2024-02-29T12:30:15+02:30", "2024-02-29T10:00:15", 9000, ""),
        (RFC, "2024-02-29T12:30:15-02:30", "2024-02-29T15:00:15", -9000, ""),
        (RFC, "2024-02-29T12:30:15+00:00", "2024-02-29T12:30:15", 0, "UTC"),
        ("2006-01-02 -0700", "2024-01-01 -0130", "2024-01-01T01:30:00", -5400, ""),
        ("2006-01-02 -07", "2024-01-01 +01", "2023-12-31T23:00:00", 3600, ""),
        ("2006-01-02 -07:00:00", "2024-01-01 +01:00:30", "2023-12-31T22:59:30", 3630, ""),
        ("Mon Jan _2 15:04:05 MST 2006", "Fri Mar  1 08:05:09 CET 2024", "2024-03-01T08:05:09", 0, "CET"),
        ("2006 MST", "2024 GMT+3", "2024-01-01T00:00:00", 10800, "GMT+3"),
        ("Monday, 02-Jan-06 3:04PM", "Friday, 01-Mar-68 12:04AM", "2068-03-01T00:04:00", 0, "UTC"),
        ("Monday, 02-Jan-06 3:04PM", "Saturday, 01-Mar-69 12:04PM", "1969-03-01T12:04:00", 0, "UTC"),
        ("2 January 2006 3:4pm", "9 september 2024 1:5pm", "2024-09-09T13:05:00", 0, "UTC"),
        ("2006-002", "2023-001", "2023-01-01T00:00:00", 0, "UTC"),
        ("2006-002", "2023-031", "2023-01-31T00:00:00", 0, "UTC"),
        ("2006-002", "2023-059", "2023-02-28T00:00:00", 0, "UTC"),
        ("2006-01-02 002", "2024-02-29 060", "2024-02-29T00:00:00", 0, "UTC"),
        ("2006-01-02 002", "2024-12-31 366", "2024-12-31T00:00:00", 0, "UTC"),
        ("2006-002", "2024-059", "2024-02-28T00:00:00", 0, "UTC"),
        ("2006-002", "2024-060", "2024-02-29T00:00:00", 0, "UTC"),
        ("2006-002", "2024-061", "2024-03-01T00:00:00", 0, "UTC"),
        ("2006-002", "2023-060", "2023-03-01T00:00:00", 0, "UTC"),
        ("2006-002", "2023-365", "2023-12-31T00:00:00", 0, "UTC"),
        ("2006-002", "2024-366", "2024-12-31T00:00:00", 0, "UTC"),
    ],
)  # fmt: skip
def test_read(layout: str, value: str, utc: str, offset: int, zone: str) -> None:
    """Only GMT of the names of zones can have an offset, and the clock shows UTC all the same."""
    found = parse_time(layout, value)

    assert (found.offset, found.zone) == (offset, zone)
    assert datetime.fromtimestamp(found.unix, UTC) == datetime.fromisoformat(f"{utc}+00:00")


def test_no_year() -> None:
    """It is the year 0, which is before all that Python knows."""
    assert parse_time("15:04", "07:08").unix == -62167219200 + 7 * 3600 + 8 * 60


@pytest.mark.parametrize(
    ("layout", "value", "nanoseconds"),
    [
        ("5", "7", 0),
        ("5", "7.5", 500_000_000),
        ("5.000", "7.123", 123_000_000),
        ("5,999", "7,000000001", 1),
        ("5.999", "7", 0),
        ("5", "7.1234567891", 123_456_789),
    ],
)
def test_fractions(layout: str, value: str, nanoseconds: int) -> None:
    """They are read where the layout has none, too."""
    assert parse_time(layout, value).nanosecond == nanoseconds


@pytest.mark.parametrize(
    ("layout", "value", "message"),
    [
        ("2006-01-02", "2023-02-29", 'parsing time "2023-02-29": day out of range'),
        ("2006-01-02", "2100-02-29", 'parsing time "2100-02-29": day out of range'),
        ("2006-01-02", "2023-04-31", "day out of range"),
        ("2006-01-02", "2023-04-00", "day out of range"),
        ("2006-01-02", "2023-13-01", "month out of range"),
        ("2006-01-02", "2023-00-01", "month out of range"),
        ("2006-01-02", "2023-1-01", 'as "2006-01-02": cannot parse "1-01" as "01"'),
        ("2006-01-02", "2023-01-01x", 'extra text: "x"'),
        ("2006-01-02", "2023/01-01", 'cannot parse "/01-01" as "-"'),
        ("2006-002", "2023-366", "day-of-year out of range"),
        ("2006-002", "2024-000", "day-of-year out of range"),
        ("2006-002", "2024-367", "day-of-year out of range"),
        ("2006-01-02 002", "2024-03-01 060", "day-of-year does not match month"),
        ("2006-002", "2023-000", "day-of-year out of range"),
        ("2006-01 002", "2023-03 032", "day-of-year does not match month"),
        ("2006-02 002", "2023-03 032", "day-of-year does not match day"),
        ("15:04", "24:00", "hour out of range"),
        ("3PM", "13PM", "hour out of range"),
        ("15:04", "23:60", "minute out of range"),
        ("05", "60", "second out of range"),
        ("-07:00", "+25:00", "time zone offset hour out of range"),
        ("-07:00", "+01:61", "time zone offset minute out of range"),
        ("-07:00", "+01-00", 'cannot parse "+01-00" as "-07:00"'),
        ("-0700", "00100", 'cannot parse "00100" as "-0700"'),
        ("Jan", "Juk", 'cannot parse "Juk" as "Jan"'),
        ("PM", "pm", 'cannot parse "pm" as "PM"'),
        ("MST", "Mst", 'cannot parse "Mst" as "MST"'),
        ("MST", "ABCDE", 'cannot parse "ABCDE" as "MST"'),
    ],
)
def test_what_is_no_time(layout: str, value: str, message: str) -> None:
    """With Go's words."""
    with pytest.raises(GoInputError) as caught:
        parse_time(layout, value)

    assert message in str(caught.value)


def test_the_days_of_a_month() -> None:
    """A leap year is one of four, of whole centuries one of four again."""
    assert [days_in(month, 2023) for month in range(1, 13)] == [
        31,
        28,
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ]
    assert [days_in(2, year) for year in (1900, 2000, 2024, 2025, 2100)] == [28, 29, 29, 28, 28]


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        ("Mon Jan _2 15:04:05 2006", "Fri Mar  1 15:04:09 2024"),
        ("Monday January 2 3:4:5pm 06", "Friday March 1 3:4:9pm 24"),
        ("01/02 03:04:05PM", "03/01 03:04:09PM"),
        ("002 __2", "061  61"),
        (".000 .999 ,000000 .9", ".120 .12 ,120000 .1"),
        ("-07 -0700 -07:00 -07:00:00 Z07:00", "-03 -0330 -03:30 -03:30:00 -03:30"),
        ("MST Janus Monument 2006x _2006", "X Janus Monument 2024x _2024"),
    ],
)
def test_written(layout: str, text: str) -> None:
    """Every element, and text that only looks like one."""
    moment = int(datetime(2024, 3, 1, 15, 4, 9, tzinfo=UTC).timestamp())

    assert format_time(layout, Civil(moment + 12600, 120_000_000, -12600, "X")) == text
