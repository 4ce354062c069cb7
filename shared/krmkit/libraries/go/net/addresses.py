"""Addresses, URIs, mail and durations as Go reads them (net, net/url, net/mail, kube-openapi's strfmt)."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.net.url import Url
from krmkit.libraries.go.regexp import pattern
from krmkit.libraries.go.time.durations import SECOND, parse_duration

_PAIRS = (6, 8, 20)  # bytes of a hardware address
_GROUPS = (3, 4, 10)  # the same in groups of two bytes
_ATOM = r"[a-zA-Z0-9!#$%&'*+/=?^_`{|}~\x{80}-\x{10FFFF}-]+"
_ADDRESS = (
    rf'(?:{_ATOM}(?:\.{_ATOM})*|"(?:[^"\\\r\n]|\\.)*")'
    rf"@(?:{_ATOM}(?:\.{_ATOM})*|\[(?:[0-9.]+|IPv6:[0-9a-fA-F:.]+)\])"
)
_MAIL = rf'^\s*(?:{_ADDRESS}|(?:[^<>"@,:;]|"(?:[^"\\]|\\.)*")*<{_ADDRESS}>)\s*$'
_SCALA = r"(\d+)\s*([A-Za-zµ]+)"
_HOUR = 3600 * SECOND
# Nanoseconds, the units in full, and the beginning of a long one.
_UNITS = (
    (1, ("ns", "nano")),
    (1_000, ("us", "µs", "micro")),
    (1_000_000, ("ms", "milli")),
    (SECOND, ("s", "sec")),
    (60 * SECOND, ("m", "min")),
    (_HOUR, ("h", "hr", "hour")),
    (24 * _HOUR, ("d", "day")),
    (168 * _HOUR, ("w", "wk", "week")),
)


def parse_ip(text: str) -> IPv4Address | IPv6Address | None:
    """net.ParseIP: an address without leading zeros and without a zone, such as "10.0.0.1"; else None."""
    from ipaddress import ip_address

    if "%" in text or not text.isascii():
        return None
    try:
        return ip_address(text)
    except ValueError:
        return None


def parse_cidr(text: str) -> IPv4Network | IPv6Network | None:
    """net.ParseCIDR: `10.0.0.0/8`; bits after the prefix are cut off. None for anything else."""
    from ipaddress import ip_network

    address, slash, length = text.partition("/")
    if not slash or not (length.isascii() and length.isdigit()) or parse_ip(address) is None:
        return None
    if len(length) > 1 and length[0] == "0":
        return None
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def is_mac(text: str) -> bool:
    """net.ParseMAC: `00:00:5e:00:53:01`, `00-00-...` or `0000.5e00.5301`."""
    for sign, digits, sizes in ((":", 2, _PAIRS), ("-", 2, _PAIRS), (".", 4, _GROUPS)):
        parts = text.split(sign)
        if len(parts) in sizes and all(
            len(part) == digits and all(digit in "0123456789abcdefABCDEF" for digit in part) for part in parts
        ):
            return True
    return False


def parse_request_uri(text: str) -> Url | None:
    """url.ParseRequestURI: an absolute URI or an absolute path, else None. A `#` has no meaning in it."""
    try:
        url = Url.parse(text.replace("#", "%23"))
    except GoInputError:
        return None
    return url if url.scheme or text.startswith("/") or text == "*" else None


def is_email(text: str) -> bool:
    """mail.ParseAddress: `ann@example.com` or `Ann <ann@example.com>`."""
    return pattern.compile(_MAIL).search(text) is not None


def duration_of(text: str) -> int | None:
    """strfmt.ParseDuration in nanoseconds: Go's `1h30m`, or words as in `3 days 4 hours`; else None."""
    try:
        return parse_duration(text)
    except GoInputError:
        pass
    total: int | None = None
    for match in pattern.compile(_SCALA).find_all(text):
        unit = str(match.group(2)).lower()
        for nanoseconds, names in _UNITS:
            if unit in names or unit.startswith(names[-1]):
                total = (total or 0) + int(str(match.group(1))) * nanoseconds
    return total
