"""Check formats of JSON schemas as gojsonschema does where the Python library differs."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import cache
from typing import TYPE_CHECKING

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.net.url import Url

if TYPE_CHECKING:
    import jsonschema_rs

_CLOCK = r"([01]?[0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])([.,][0-9]+)?"
_ZONE = r"(Z|[+-]([01][0-9]|2[0-4]):[0-5][0-9])"
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})\Z")
_TIME = re.compile(rf"{_CLOCK}{_ZONE}?\Z")
_MOMENT = re.compile(rf"([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})T{_CLOCK}{_ZONE}\Z")
_UUID = re.compile(r"(?i:[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12})\Z")


def is_date(text: str) -> bool:
    """Return whether Go's time.Parse reads the text as 2006-01-02."""
    found = _DATE.match(text)
    if found is None:
        return False
    year, month, day = map(int, found.groups())
    try:
        date(year or 4, month, day)  # Go has a year 0, a leap year
    except ValueError:
        return False
    return True


def is_time(text: str) -> bool:
    """Return whether Go's time.Parse reads the text as 15:04:05, with or without a zone."""
    return _TIME.match(text) is not None


def is_date_time(text: str) -> bool:
    """Return whether Go's time.Parse reads the text as RFC 3339, as a date, or as a time."""
    found = _MOMENT.match(text)
    return is_date(found[1]) if found is not None else is_date(text) or is_time(text)


def is_uuid(text: str) -> bool:
    """Return whether the text has the form of a UUID."""
    return _UUID.match(text) is not None


def is_uri(text: str) -> bool:
    """Return whether Go's url.Parse reads the text with a scheme. Characters outside ASCII are allowed."""
    url = _url(text)
    return url is not None and bool(url.scheme)


def is_reference(text: str) -> bool:
    """Return whether Go's url.Parse reads the text as a URL or a relative reference."""
    return _url(text) is not None


def _url(text: str) -> Url | None:
    try:
        return None if "\\" in text else Url.parse(text)
    except GoInputError:
        return None


def _any(text: str) -> bool:
    return True


FORMATS: dict[str, Callable[[str], bool]] = {
    "date": is_date,
    "date-time": is_date_time,
    "idn-hostname": _any,
    "iri": is_uri,
    "iri-reference": is_reference,
    "time": is_time,
    "uri": is_uri,
    "uri-reference": is_reference,
    "uuid": is_uuid,
}
"""The formats that gojsonschema reads otherwise than the library."""


def has_format(name: str, text: str) -> bool:
    """Return whether a text has the format `name`."""
    own = FORMATS.get(name)
    return own(text) if own is not None else _library(name).is_valid(text)


@cache
def _library(name: str) -> jsonschema_rs.Validator:
    import jsonschema_rs

    return jsonschema_rs.Draft7Validator({"format": name}, validate_formats=True)
