"""The errors of Go's functions."""

from __future__ import annotations


class GoError(ValueError):
    """A function's error, or its panic, in Go's words. A template ends with `error calling NAME: MESSAGE`."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class GoInputError(GoError):
    """Unreadable input of a function; a function without `must` in its name gives an empty value for it."""
