"""Read JSON texts strictly: duplicate keys, NaN and too deep nesting are errors.

The scanner is the C one of the standard library, used directly. `json.loads(text, object_pairs_hook=...)`
would do the same, but importing `json`, and with it `re`, takes 9 ms of CPU time, a third of a small run.
`json` is loaded only to word an error.
"""

from __future__ import annotations

from _json import make_scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_DEPTH = 500
"""Nesting of arrays and objects that is read; deeper is an error."""


class JsonError(ValueError):
    """Not JSON. `line` and `column` count from 1, or are None if unknown."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        place = f"line {line}, column {column}: " if line is not None else ""
        super().__init__(place + message)
        self.message = message
        self.line = line
        self.column = column


def parse(text: str) -> object:
    """Return the data of a JSON text: dict, list, str, int, float, bool, None. Raises JsonError."""
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(text)
    try:
        value, end = _value(text, _skip(text, 0))
    except StopIteration as stop:
        raise _fault(text, stop.value, "Expecting value") from None
    except JsonError:
        raise
    except ValueError as error:
        # The scanner's own json.JSONDecodeError, or an integer with thousands of digits.
        position = getattr(error, "pos", None)
        if position is None:
            raise JsonError("a number has more digits than can be read") from None
        raise _fault(text, position, str(getattr(error, "msg", error))) from None
    end = _skip(text, end)
    if end != len(text):
        raise _error(text, end, "the text goes on after the end of the value")
    return value


def _value(text: str, start: int) -> tuple[object, int]:
    try:
        return _scan(text, start)
    except SystemError:
        # The scanner found a fault, and looked for its class of errors in a module that is not imported yet.
        import json.decoder as _  # noqa: F401  # imported for the scanner

        return _scan(text, start)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\n\r":
        at += 1
    return at


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise JsonError(f'the key "{name}" occurs twice in one object')
            seen.add(name)
    return found


def _constant(name: str) -> object:
    raise JsonError(f"{name} is not a JSON number")


class _Context:
    """The attributes that the C scanner reads from its decoder."""

    strict = True
    object_hook = None
    object_pairs_hook = staticmethod(_object)
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_constant)
    memo: dict[str, str] = {}


# The types of the standard library know only the scanner of a whole json.JSONDecoder.
_context: Any = _Context()
_scan = make_scanner(_context)


def _check_depth(text: str) -> None:
    """Count brackets outside strings, without recursion. Raises JsonError."""
    depth = at = 0
    while at < len(text):
        sign = text[at]
        if sign == '"':
            at = _string_end(text, at + 1)
        elif sign in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise _error(
                    text, at, f"nested deeper than {MAX_DEPTH} levels (krmkit.libraries.json.text.MAX_DEPTH)"
                )
        elif sign in "]}":
            depth -= 1
        at += 1


def _string_end(text: str, at: int) -> int:
    while True:
        quote = text.find('"', at)
        if quote < 0:
            return len(text)
        escapes = quote
        while escapes > at and text[escapes - 1] == "\\":
            escapes -= 1
        if (quote - escapes) % 2 == 0:
            return quote
        at = quote + 1


_HINTS = {
    "Expecting ',' delimiter": "a comma or the closing bracket is expected here",
    "Expecting ':' delimiter": "a colon is expected here, between key and value",
    "Expecting property name enclosed in double quotes": "a key in double quotes is expected here",
    "Expecting value": "a value is expected here",
    "Illegal trailing comma before end of object": "no comma may come before a closing brace",
    "Illegal trailing comma before end of array": "no comma may come before a closing bracket",
    "Unterminated string starting at": "this string is not closed",
    "Invalid control character at": "a string holds a control character; write \\n, \\t or \\u00XX",
    "Invalid \\escape": "no such escape; a backslash is written twice",
}


def _fault(text: str, offset: int, message: str) -> JsonError:
    """Return the error for the scanner's fault, worded as in Python 3.13, which detects trailing commas."""
    kind = {"}": "object", "]": "array"}.get(text[offset : offset + 1])
    before = text[:offset].rstrip(" \t\n\r")
    if kind is not None and before.endswith(","):
        offset = len(before) - 1
        message = f"Illegal trailing comma before end of {kind}"
    return _error(text, offset, _HINTS.get(message.removesuffix(": "), message))


def _error(text: str, offset: int, message: str) -> JsonError:
    before = text[:offset]
    if text[:1] == "\ufeff":
        message = "the text starts with a byte order mark, which JSON does not allow"
    return JsonError(message, before.count("\n") + 1, offset - before.rfind("\n"))
