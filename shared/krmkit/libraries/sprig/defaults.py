"""Defaults: choosing between values, and `fail`."""

from __future__ import annotations

from krmkit.libraries.go.errors import GoError


def default(fallback: object, *given: object) -> object:
    """Return the given value, or the fallback if it is empty or not given."""
    return fallback if not given or empty(given[0]) else given[0]


def empty(value: object) -> bool:
    """Return True for nil, false, 0, and text, lists and maps of length 0, never for structs and pointers."""
    return not value


def coalesce(*values: object) -> object:
    """Return the first value that is not empty, or nil."""
    return next((value for value in values if not empty(value)), None)


def all_given(*values: object) -> bool:
    """Return True if no value is empty (all)."""
    return not any(map(empty, values))


def any_given(*values: object) -> bool:
    """Return True if some value is not empty (any)."""
    return not all(map(empty, values))


def ternary(yes: object, no: object, test: bool) -> object:
    """Return the first value if the test is true, else the second."""
    return yes if test else no


def fail(message: str) -> str:
    """End the template with the message."""
    raise GoError(message)
