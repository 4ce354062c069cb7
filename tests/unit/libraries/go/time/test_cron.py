"""krmkit.libraries.go.time.cron: expressions, and the next time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from krmkit.libraries.go.errors import GoError, GoInputError
from krmkit.libraries.go.time import cron
from krmkit.libraries.go.time.cron import parse


@pytest.mark.parametrize(
    ("spec", "start", "due"),
    [
        ("*/20 * * * *", "2026-01-01T00:05:00Z", "2026-01-01T00:20:00Z"),
        ("0 6 * * MON-FRI", "2026-05-01T06:00:00Z", "2026-05-04T06:00:00Z"),
        ("0 0 13 * FRI", "2026-02-01T00:00:00Z", "2026-02-06T00:00:00Z"),
        ("30 2/10 * * *", "2026-02-01T03:00:00Z", "2026-02-01T12:30:00Z"),
        ("0 0 29 FEB ?", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z"),
        ("0,30 8 1,15 JAN,jul *", "2026-01-15T08:30:00Z", "2026-07-01T08:00:00Z"),
        ("0 0 */10 * *", "2026-01-22T00:00:00Z", "2026-01-31T00:00:00Z"),
        ("0 0 */1 * MON", "2026-01-01T00:00:00Z", "2026-01-05T00:00:00Z"),
        ("0 0 1 * ?", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"),
        ("0 0 * * SUN", "2026-05-01T00:00:00Z", "2026-05-03T00:00:00Z"),
        ("59 23 31 12 *", "2025-12-31T23:59:00Z", "2026-12-31T23:59:00Z"),
        ("0 0 10 * FRI", "2026-02-07T00:00:00Z", "2026-02-10T00:00:00Z"),
        ("TZ=Europe/Berlin 30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"),
        ("@yearly", "2026-05-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ("@annually", "2026-05-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ("@monthly", "2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z"),
        ("@daily", "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z"),
        ("@midnight", "2026-05-01T12:00:00Z", "2026-05-02T00:00:00Z"),
        ("@hourly", "2026-05-01T12:59:59Z", "2026-05-01T13:00:00Z"),
        ("@every 1ms", "2026-05-01T00:00:00Z", "2026-05-01T00:00:01Z"),
        ("@every 90s", "2026-05-01T00:00:00Z", "2026-05-01T00:01:30Z"),
        ("CRON_TZ=Asia/Tokyo 0 6 * * *", "2026-07-01T00:00:00Z", "2026-07-01T21:00:00Z"),
        ("TZ=Europe/Berlin  30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-30T00:30:00Z"),
        ("@weekly", "2026-05-01T00:00:00Z", "2026-05-03T00:00:00Z"),
        ("@every 45m", "2026-05-01T00:00:30Z", "2026-05-01T00:45:30Z"),
        ("TZ=Europe/Berlin 0 6 * * *", "2026-07-01T00:00:00Z", "2026-07-01T04:00:00Z"),
    ],
)
def test_next(spec: str, start: str, due: str) -> None:
    """Lists, ranges, steps, names, descriptors and time zones; two restricted day fields are alternatives."""
    found = parse(spec).next(int(datetime.fromisoformat(start).timestamp()))

    assert found is not None
    assert datetime.fromtimestamp(found, UTC) == datetime.fromisoformat(due)


def test_no_zones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a computer has no time zones, a zone other than UTC is an error that says it."""

    def load(name: str) -> None:
        raise GoError("there is no time zone database")

    monkeypatch.setattr(cron, "load_zone", load)

    with pytest.raises(GoInputError) as caught:
        parse("TZ=Europe/Berlin * * * * *")

    assert str(caught.value) == "provided bad location Europe/Berlin: there is no time zone database"


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
        ("a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'),
        ("* * * * 1-x", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'),
        ("*/-5 * * * *", "negative number (-5) not allowed: -5"),
        ("* * * * 7", "end of range (7) above maximum (6): 7"),
        ("* 24 * * *", "end of range (24) above maximum (23): 24"),
        ("* * 32 * *", "end of range (32) above maximum (31): 32"),
        ("* * * 13 *", "end of range (13) above maximum (12): 13"),
        ("* * * 0 *", "beginning of range (0) below minimum (1): 0"),
        ("0 " + "0," * 500 + " * * *", "the spec has more than 1000 characters"),
        ("TZ=Nowhere/Land * * * * *", "provided bad location Nowhere/Land: unknown time zone Nowhere/Land"),
    ],
)
def test_errors(spec: str, message: str) -> None:
    """The messages are those of the controller's library."""
    with pytest.raises(GoInputError) as caught:
        parse(spec)

    assert str(caught.value) == message
