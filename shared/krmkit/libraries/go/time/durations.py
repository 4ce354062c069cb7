"""Go's time.Duration: parsing `1h30m`, printing `1h30m0s`, in integer nanoseconds."""

from __future__ import annotations

from krmkit.libraries.go.errors import GoInputError

SECOND = 1_000_000_000
_UNITS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": SECOND,
    "m": 60 * SECOND,
    "h": 3600 * SECOND,
}
MAX_LENGTH = 1000
"""Longest text that is read as a duration; assign a larger number to raise it."""
_LIMIT = 1 << 63


def parse_duration(text: str) -> int:
    """time.ParseDuration. Raises GoInputError."""
    rest = text[1:] if text[:1] in ("-", "+") else text
    negative = text[:1] == "-"
    if rest == "0":
        return 0
    if not rest or len(rest) > MAX_LENGTH:
        raise _invalid(text)
    total = 0
    while rest:
        whole, rest = _digits(rest)
        fraction = ""
        if rest.startswith("."):
            fraction, rest = _digits(rest[1:])
        if not whole and not fraction or len(whole.lstrip("0")) > 19:
            raise _invalid(text)
        end = next((at for at, char in enumerate(rest) if char == "." or "0" <= char <= "9"), len(rest))
        name, rest = rest[:end], rest[end:]
        if not name:
            raise GoInputError(f"time: missing unit in duration {quote(text)}")
        unit = _UNITS.get(name)
        if unit is None:
            raise GoInputError(f"time: unknown unit {quote(name)} in duration {quote(text)}")
        total += int(whole or "0") * unit
        # Eighteen digits are more than a float64 can tell apart, and what Go keeps.
        fraction = fraction[:18]
        if int(fraction or "0"):
            total += int(float(int(fraction)) * (float(unit) / float(10 ** len(fraction))))
        if total > _LIMIT:
            raise _invalid(text)
    if negative:
        return -total
    if total == _LIMIT:
        raise _invalid(text)
    return total


def _invalid(text: str) -> GoInputError:
    return GoInputError(f"time: invalid duration {quote(text)}")


def format_duration(nanoseconds: int) -> str:
    """time.Duration.String."""
    if nanoseconds == 0:
        return "0s"
    sign = "-" if nanoseconds < 0 else ""
    value = abs(nanoseconds)
    if value < SECOND:
        for unit, size in (("ns", 1), ("µs", 1_000), ("ms", 1_000_000)):
            if value < size * 1000:
                return f"{sign}{_decimal(value, size)}{unit}"
    minutes, rest = divmod(value, 60 * SECOND)
    text = f"{_decimal(rest, SECOND)}s"
    if minutes:
        hours, minutes = divmod(minutes, 60)
        text = f"{minutes}m{text}"
        if hours:
            text = f"{hours}h{text}"
    return sign + text


def quote(text: str) -> str:
    """Quote as Go's time package does: bytes outside printable ASCII as \\xNN."""
    out = []
    for char in text:
        if char in '"\\':
            out.append("\\" + char)
        elif " " <= char < "\x7f":
            out.append(char)
        else:
            out.extend(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))
    return f'"{"".join(out)}"'


def _digits(text: str) -> tuple[str, str]:
    end = next((at for at, char in enumerate(text) if not "0" <= char <= "9"), len(text))
    return text[:end], text[end:]


def _decimal(value: int, size: int) -> str:
    whole, rest = divmod(value, size)
    digits = str(rest).zfill(len(str(size)) - 1).rstrip("0") if rest else ""
    return f"{whole}.{digits}" if digits else str(whole)
