"""time.Parse: parse a time by a layout, with Go's errors."""

from __future__ import annotations

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.time.durations import quote
from krmkit.libraries.go.time.elements import ParsedTime, TimeFields, read_element
from krmkit.libraries.go.time.layouts import next_element

MAX_LENGTH = 4096
"""Longest layout and value together that are looked at; assign a larger number to raise it."""


def parse_time(layout: str, value: str) -> ParsedTime:
    """time.ParseInLocation with UTC as the location. Raises GoInputError."""
    if len(layout) + len(value) > MAX_LENGTH:
        raise GoInputError(f"parsing time: layout and value have more than {MAX_LENGTH:,} characters")
    fields = TimeFields()
    rest_layout, rest = layout, value
    while True:
        prefix, element, behind = next_element(rest_layout)
        rest, fits = _skip(rest, prefix)
        if not fits:
            raise _cannot(layout, value, rest, prefix)
        if not element:
            if rest:
                raise GoInputError(f"parsing time {quote(value)}: extra text: {quote(rest)}")
            break
        try:
            rest = read_element(element, rest, behind, fields)
        except GoInputError as error:
            if error.message:
                raise GoInputError(f"parsing time {quote(value)}: {error}") from None
            raise _cannot(layout, value, rest, element) from None
        rest_layout = behind
    problem = fields.settle()
    if problem:
        raise GoInputError(f"parsing time {quote(value)}: {problem}")
    return fields.result()


def _cannot(layout: str, value: str, rest: str, element: str) -> GoInputError:
    return GoInputError(
        f"parsing time {quote(value)} as {quote(layout)}: cannot parse {quote(rest)} as {quote(element)}"
    )


def _skip(value: str, prefix: str) -> tuple[str, bool]:
    """Skip literal text of the layout; blanks match any number of blanks, also none at the end."""
    while prefix:
        if prefix[0] == " ":
            if value and value[0] != " ":
                return value, False
            prefix, value = prefix.lstrip(" "), value.lstrip(" ")
            continue
        if value[:1] != prefix[0]:
            return value, False
        prefix, value = prefix[1:], value[1:]
    return value, True
