"""krmkit.landscaper.cron: expressions, and the next time."""

from __future__ import annotations

import pytest

from krmkit.landscaper.cron import CronError, parse
from krmkit.landscaper.timestamps import format_time, parse_time


@pytest.mark.parametrize(
    ("spec", "start", "due"),
    [
        ("*/20 * * * *", "2026-01-01T00:05:00Z", "2026-01-01T00:20:00Z"),
        ("0 6 * * MON-FRI", "2026-05-01T06:00:00Z", "2026-05-04T06:00:00Z"),
        ("0 0 13 * FRI", "2026-02-01T00:00:00Z", "2026-02-06T00:00:00Z"),
        ("30 2/10 * * *", "2026-02-01T03:00:00Z", "2026-02-01T12:30:00Z"),
        ("0 0 29 FEB ?", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z"),
        ("@weekly", "2026-05-01T00:00:00Z", "2026-05-03T00:00:00Z"),
        ("@every 45m", "2026-05-01T00:00:30Z", "2026-05-01T00:45:30Z"),
        ("TZ=Europe/Berlin 0 6 * * *", "2026-07-01T00:00:00Z", "2026-07-01T04:00:00Z"),
    ],
)
def test_next(spec: str, start: str, due: str) -> None:
    """Lists, ranges, steps, names, descriptors and time zones; two restricted day fields are alternatives."""
    unix = parse_time(start)
    assert unix is not None

    found = parse(spec).next(unix)

    assert found is not None
    assert format_time(found) == due


def test_a_day_that_never_comes() -> None:
    """The thirtieth of February is looked for in five years, and not found."""
    assert parse("0 0 30 2 *").next(0) is None


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "empty spec string"),
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("61 * * * *", "end of range (61) above maximum (59): 61"),
        ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("1/2/3 * * * *", "too many slashes: 1/2/3"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("@often", "unrecognized descriptor: @often"),
        ("@every soon", 'failed to parse duration @every soon: time: invalid duration "soon"'),
        ("TZ=Nowhere/Land * * * * *", "provided bad location Nowhere/Land: unknown time zone Nowhere/Land"),
    ],
)
def test_errors(spec: str, message: str) -> None:
    """The messages are those of the controller's library."""
    with pytest.raises(CronError) as caught:
        parse(spec)

    assert str(caught.value) == message
