"""The error of a template, in Go's words."""

from __future__ import annotations


class TemplateError(Exception):
    """An error of parsing or executing a template.

    message: Go's text: `template: NAME:LINE: ...` when parsing,
        `template: NAME:LINE:COLUMN: executing "TEMPLATE" at <CONTEXT>: ...` when executing.
    phase: "parse" or "exec".
    line: from 1; column: in bytes from 0, as in Go. Both are None if the place is not known.
    partial: the text written before execution failed. Hosts discard it.
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
