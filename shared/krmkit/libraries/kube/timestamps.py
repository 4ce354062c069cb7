"""Points in time as Kubernetes writes them (RFC 3339), as seconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime


def unix_seconds(text: str) -> float | None:
    """Return the seconds of `2020-05-01T08:00:00Z` or of a time with an offset; None for other texts."""
    if len(text) > 40 or "T" not in text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.timestamp() if moment.tzinfo is not None else None


def format_time(unix: float) -> str:
    """Return a time in UTC, in whole seconds: `2020-05-01T08:00:00Z`."""
    return datetime.fromtimestamp(int(unix), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
