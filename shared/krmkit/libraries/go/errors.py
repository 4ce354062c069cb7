"""The errors of Go's functions."""

from __future__ import annotations


class GoError(ValueError):
    """The error or panic of a function, in Go's words. A template ends with `error calling NAME: MESSAGE`."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class GoInputError(GoError):
    """A function's unreadable input; a function without `must` in its name returns an empty value."""
