"""Errors about a YAML text: what is wrong and where."""

from __future__ import annotations

HOLDS_ITSELF = "an alias stands inside of the value of its own anchor, which would hold itself without end"


class YamlError(ValueError):
    """The text is not the YAML that was expected. `line` and `column` count from 1, or are None."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column

    def __str__(self) -> str:
        if self.line is None:
            return self.message
        if self.column is None:
            return f"line {self.line}: {self.message}"
        return f"line {self.line}, column {self.column}: {self.message}"


class LimitError(YamlError):
    """An input is larger, deeper or more repetitive than a limit allows. `limit` names it, as in `--limit`."""

    def __init__(
        self, message: str, line: int | None = None, column: int | None = None, limit: str = ""
    ) -> None:
        super().__init__(message, line, column)
        self.limit = limit

    @classmethod
    def of(
        cls, limit: str, value: int, what: str, line: int | None = None, column: int | None = None
    ) -> LimitError:
        """`what` (a noun phrase) is over the limit named `limit`, whose value is `value`."""
        return cls(
            f"{what} is over the limit of {value} (raise it with --limit {limit}=N)", line, column, limit
        )


def line_column(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
