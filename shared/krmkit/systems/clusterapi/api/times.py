"""Times and durations as the v1beta1 and v1beta2 types hold them."""

from __future__ import annotations

from krmkit.libraries.go.time.durations import SECOND, parse_duration
from krmkit.libraries.go.time.parse import parse_time

RFC3339 = "2006-01-02T15:04:05Z07:00"
_INT32 = 1 << 32


def check_time(text: str) -> None:
    """Check a metav1.Time, which takes RFC 3339 only. Raises ValueError with Go's words."""
    parse_time(RFC3339, text)


def to_seconds(duration: str) -> int:
    """Return the whole seconds of a duration, as ConvertToSeconds does: cut off towards zero, in 32 bits.

    >>> to_seconds("1m30s"), to_seconds("1500ms")
    (90, 1)
    """
    nanoseconds = parse_duration(duration)
    seconds = abs(nanoseconds) // SECOND * (-1 if nanoseconds < 0 else 1)
    return (seconds + (_INT32 >> 1)) % _INT32 - (_INT32 >> 1)


def go_duration(seconds: int) -> str:
    """Format seconds as Go does. `go_duration(90)` is "1m30s", `go_duration(0)` "0s"."""
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    hours, rest = divmod(seconds, 3600)
    minutes, rest = divmod(rest, 60)
    if hours:
        return f"{sign}{hours}h{minutes}m{rest}s"
    return f"{sign}{minutes}m{rest}s" if minutes else f"{sign}{rest}s"
