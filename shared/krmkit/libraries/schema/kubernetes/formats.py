"""The string formats that Kubernetes knows, checked as kube-openapi's strfmt does.

Dashes in a name are ignored: `date-time` is `datetime`. Other formats, such as int32, do not restrict a text.
"""

from __future__ import annotations

from collections.abc import Callable

from krmkit.libraries.go.net.addresses import (
    duration_of,
    is_email,
    is_mac,
    parse_cidr,
    parse_ip,
    parse_request_uri,
)
from krmkit.libraries.go.regexp import pattern
from krmkit.libraries.go.time.civil import days_in

_PATTERNS = {
    "bsonobjectid": r"^[0-9a-fA-F]{24}$",
    "hostname": (
        r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)"
        r"|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}"
        r"([a-zA-Z\p{L}]){2,63})$"
    ),
    "uuid": r"(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?[0-9A-F]{4}-?[0-9A-F]{4}-?[0-9A-F]{12}$",
    "uuid3": r"(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?3[0-9A-F]{3}-?[0-9A-F]{4}-?[0-9A-F]{12}$",
    "uuid4": r"(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?4[0-9A-F]{3}-?[89AB][0-9A-F]{3}-?[0-9A-F]{12}$",
    "uuid5": r"(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?5[0-9A-F]{3}-?[89AB][0-9A-F]{3}-?[0-9A-F]{12}$",
    "creditcard": (
        r"^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}"
        r"|(222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}"
        r"|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}"
        r"|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14})$"
    ),
    "ssn": r"^\d{3}[- ]?\d{2}[- ]?\d{4}$",
    "hexcolor": r"^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$",
    "rgbcolor": (
        r"^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,"
        r"\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$"
    ),
    "byte": r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$",
    "k8sshortname": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    "k8slongname": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
}
_TIME = r"^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$"
_LONGEST_LABEL = 63
_LONGEST_NAME = 253


def known_format(name: str) -> bool:
    """Return True if Kubernetes checks the format: True for "date-time", False for "int32"."""
    return normal_format(name) in _FORMATS


def normal_format(name: str) -> str:
    """Return the name without dashes, as in the registry."""
    return name.replace("-", "")


def valid_format(name: str, text: str) -> bool:
    """Return True if a text matches a known format: valid_format("ipv4", "10.0.0.1") is True."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False  # a lone surrogate is not a character
    return _FORMATS[normal_format(name)](text)


def is_date(text: str) -> bool:
    """Return True for an existing day `2006-01-02` (RFC 3339)."""
    parts = text.split("-")
    if [len(part) for part in parts] != [4, 2, 2] or not all(
        part.isascii() and part.isdigit() for part in parts
    ):
        return False
    year, month, day = map(int, parts)
    return 1 <= month <= 12 and 1 <= day <= days_in(month, year)


def is_date_time(text: str) -> bool:
    """Return True for `2014-12-15T19:30:20.000Z`."""
    date, mark, time = text.lower().partition("t")
    if not mark or not is_date(date):
        return False
    match = pattern.compile(_TIME).search(time.split("t")[0])
    if match is None:
        return False
    hours, minutes, seconds = (str(match.group(at)) for at in (1, 2, 3))
    return hours <= "23" and minutes <= "59" and seconds <= "59"


def _matches(name: str) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        return pattern.compile(_PATTERNS[name]).search(text) is not None

    return check


def _is_hostname(text: str) -> bool:
    return (
        _matches("hostname")(text)
        and max(len(part.encode("utf-8", "replace")) for part in text.split(".")) <= _LONGEST_LABEL
    )


def _is_credit_card(text: str) -> bool:
    digits = "".join(sign for sign in text if sign.isascii() and sign.isdigit())
    if not _matches("creditcard")(digits):
        return False
    total = 0
    for position, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + position % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _is_isbn10(text: str) -> bool:
    digits = text.replace("-", "").replace(" ", "")
    if (
        len(digits) != 10
        or not (digits[:9].isascii() and digits[:9].isdigit())
        or digits[9] not in "0123456789X"
    ):
        return False
    values = [10 if digit == "X" else int(digit) for digit in digits]
    return sum((position + 1) * value for position, value in enumerate(values)) % 11 == 0


def _is_isbn13(text: str) -> bool:
    digits = text.replace("-", "").replace(" ", "")
    if len(digits) != 13 or not (digits.isascii() and digits.isdigit()):
        return False
    total = sum(int(digit) * (3 if position % 2 else 1) for position, digit in enumerate(digits[:12]))
    return (10 - total % 10) % 10 == int(digits[12])


_FORMATS: dict[str, Callable[[str], bool]] = {
    **{name: _matches(name) for name in _PATTERNS},
    "hostname": _is_hostname,
    "creditcard": _is_credit_card,
    "isbn": lambda text: _is_isbn10(text) or _is_isbn13(text),
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "ipv4": lambda text: parse_ip(text) is not None and "." in text,
    "ipv6": lambda text: parse_ip(text) is not None and ":" in text,
    "cidr": lambda text: parse_cidr(text) is not None,
    "mac": is_mac,
    "uri": lambda text: parse_request_uri(text) is not None,
    "email": is_email,
    "password": lambda _: True,
    "date": is_date,
    "datetime": is_date_time,
    "duration": lambda text: duration_of(text) is not None,
    "k8sshortname": lambda text: len(text) <= _LONGEST_LABEL and _matches("k8sshortname")(text),
    "k8slongname": lambda text: len(text) <= _LONGEST_NAME and _matches("k8slongname")(text),
}
