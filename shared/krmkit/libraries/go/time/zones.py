"""Time zones by name, from the tz database of the system or of the package tzdata."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from krmkit.libraries.go.errors import GoError

# The seconds that Python's datetime can hold, a day off each end. Weekdays and rules repeat after 400 years.
_FIRST, _LAST = -62135510400, 253402214400
_CYCLE = 146097 * 86400

_known: dict[str, Zone | None] = {}


class Zone:
    """A time zone of the tz database."""

    def __init__(self, name: str, info: ZoneInfo | None) -> None:
        self.name = name
        self._info = info

    def at(self, unix: int) -> tuple[int, str]:
        """Return the seconds east of UTC and the abbreviation at `unix` seconds since 1970."""
        if self._info is None:
            return 0, "UTC"
        from datetime import UTC, datetime, timedelta

        within = max(unix, _FIRST) if unix <= _LAST else _LAST - (_LAST - unix) % _CYCLE
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=within)
        local = moment.astimezone(self._info)
        offset = local.utcoffset() or timedelta()
        return int(offset.total_seconds()), local.tzname() or ""


class FixedZone(Zone):
    """A constant offset, as in a parsed time; the abbreviation may be empty."""

    def __init__(self, offset: int, name: str) -> None:
        super().__init__(name, None)
        self._offset = offset

    def at(self, unix: int) -> tuple[int, str]:
        return self._offset, self.name


UTC_ZONE = Zone("UTC", None)


def load_zone(name: str) -> Zone | None:
    """time.LoadLocation: None for an unknown name. `Local` is UTC, so that runs do not depend on the machine.

    Raises GoError if there is no tz database.
    """
    if name in ("", "UTC", "Local"):
        return UTC_ZONE
    if name not in _known:
        if len(_known) >= 1024:
            _known.clear()
        _known[name] = _load(name)
    return _known[name]


def _load(name: str) -> Zone | None:
    if ".." in name or name[0] in "/\\" or "\0" in name:
        return None
    from zoneinfo import ZoneInfo

    try:
        return Zone(name, ZoneInfo(name))
    except (LookupError, ValueError, OSError):
        pass
    try:
        ZoneInfo("Etc/GMT-1")
    except (LookupError, ValueError, OSError):
        raise GoError(
            f"no time zone data for {name!r}: install the package tzdata (pip install tzdata) or the system's zoneinfo"
        ) from None
    return None
