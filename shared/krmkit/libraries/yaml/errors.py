"""Errors about a YAML text: what is wrong and where."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HOLDS_ITSELF = "an alias is inside the value of its own anchor, so the value would contain itself"


class YamlError(ValueError):
    """The text is not the expected YAML. `line` and `column` count from 1, or are None.

    `resource`: the label of the resource that the message names, or "".
    """

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.resource = ""

    def __str__(self) -> str:
        if self.line is None:
            return self.message
        if self.column is None:
            return f"line {self.line}: {self.message}"
        return f"line {self.line}, column {self.column}: {self.message}"


class LimitError(YamlError):
    """An input that exceeds the limit named `limit` of `--limit`."""

    def __init__(
        self, message: str, line: int | None = None, column: int | None = None, limit: str = ""
    ) -> None:
        super().__init__(message, line, column)
        self.limit = limit

    @classmethod
    def of(
        cls, limit: str, value: int, what: str, line: int | None = None, column: int | None = None
    ) -> LimitError:
        """Return the error for `what` (a noun phrase) over the limit named `limit`, which is `value`."""
        return cls(
            f"{what} is over the limit of {value} (raise it with --limit {limit}=N)", line, column, limit
        )


def line_column(text: str, offset: int) -> tuple[int, int]:
    """Return line and column of an offset, both from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


_HINTS = {
    "found character that cannot start any token": "a tab, `@`, `` ` `` or `%` cannot start a value; quote it, and indent with blanks",
    "mapping values are not allowed in this context": "there is a `: ` where no key can be; check the indentation, or quote the text",
    "did not find expected key": "check the indentation of this line against its siblings",
    "could not find expected ':'": "a key needs a colon and a blank after it",
    "did not find expected ',' or '}'": "a flow mapping is not closed",
    "did not find expected ',' or ']'": "a flow sequence is not closed",
    "found unexpected end of stream": "a quote is not closed",
}


_DEEPEST = 1000  # levels of nesting that libyaml 0.2.6 and newer read


def translate(error: Any, text: str, depth: int) -> YamlError:
    """Return a libyaml error as a YamlError with a helpful text. `depth`: the limit of nesting."""
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        problem = str(error.problem)
        if "maximum nesting depth" in problem:
            place = mark.line + 1, mark.column + 1
            if depth <= _DEEPEST:
                return LimitError.of("depth", depth, "the nesting", *place)
            ceiling = (
                f"the nesting is over {_DEEPEST} levels, more than this libyaml reads; no --limit raises that"
            )
            return LimitError(ceiling, *place, "depth")
        hint = _HINTS.get(problem)
        return YamlError(f"{problem} ({hint})" if hint else problem, mark.line + 1, mark.column + 1)
    reason = getattr(error, "reason", None)
    if reason is not None:
        character = error.character
        shown = f"U+{character:04X}" if isinstance(character, int) else repr(character)
        # The position counts bytes.
        prefix = text.encode("utf-8", "replace")[: error.position].decode("utf-8", "replace")
        return YamlError(f"{reason} ({shown})", *line_column(prefix, len(prefix)))
    return YamlError(str(error) or "the text is not YAML")
