"""The error of a template, worded as Go words it."""

from __future__ import annotations


class TemplateError(Exception):
    """A template that cannot be parsed, or whose execution failed.

    message: Go's text: `template: NAME:LINE: ...` when parsing,
        `template: NAME:LINE:COLUMN: executing "TEMPLATE" at <CONTEXT>: ...` when executing.
    phase: "parse" or "exec".
    line: counts from 1; column: as Go counts it, in bytes from 0. None where the place is not known.
    partial: what had been written before execution failed. Hosts discard it.
    """

    def __init__(
        self,
        message: str,
        phase: str = "exec",
        line: int | None = None,
        column: int | None = None,
        partial: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.phase = phase
        self.line = line
        self.column = column
        self.partial = partial
