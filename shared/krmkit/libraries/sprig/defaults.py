"""Defaults: what counts as empty, and choosing between values. `fail` ends the template."""

from __future__ import annotations

from krmkit.libraries.go.errors import GoError


def default(fallback: object, *given: object) -> object:
    """The given value, or the fallback when it is empty or not given."""
    return fallback if not given or empty(given[0]) else given[0]


def empty(value: object) -> bool:
    """nil, false, 0, and text, lists and maps of length 0; structs and pointers are never empty."""
    return not value


def coalesce(*values: object) -> object:
    """The first value that is not empty, or nil."""
    return next((value for value in values if not empty(value)), None)


def all_given(*values: object) -> bool:
    """all: whether no value is empty."""
    return not any(map(empty, values))


def any_given(*values: object) -> bool:
    """any: whether some value is not empty."""
    return not all(map(empty, values))


def ternary(yes: object, no: object, test: bool) -> object:
    """The first value when the test is true, else the second."""
    return yes if test else no


def fail(message: str) -> str:
    """Ends the template with the message."""
    raise GoError(message)
