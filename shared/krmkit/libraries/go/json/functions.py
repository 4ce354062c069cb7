"""JSON as Go's encoding/json writes and reads it: sorted keys, HTML signs escaped, numbers as float64."""

from __future__ import annotations

from collections.abc import Callable

from krmkit.libraries.go.core.limits import CountingWalk, charge
from krmkit.libraries.go.core.values import GoObject, is_nil_list, sorted_keys
from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.yaml.scalars import exponential, positional, shortest

_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ALWAYS = frozenset(_SHORT) | frozenset(map(chr, range(0x20))) | frozenset("\u2028\u2029\ufffd")
_HTML = frozenset("<>&")
_VALUE = 7  # steps that a value costs beside being visited


def to_json(value: object) -> str:
    """toJson: "" for a value without JSON."""
    return _or_empty(must_to_json, value)


def to_pretty_json(value: object) -> str:
    """toPrettyJson: indented by two blanks."""
    return _or_empty(must_to_pretty_json, value)


def must_to_json(value: object) -> str:
    """mustToJson."""
    return _Writer(pretty=False, html=True).write(value)


def must_to_pretty_json(value: object) -> str:
    """mustToPrettyJson."""
    return _Writer(pretty=True, html=True).write(value)


def must_to_raw_json(value: object) -> str:
    """mustToRawJson, which keeps < > &. Also toRawJson, which fails for a value without JSON too."""
    return _Writer(pretty=False, html=False).write(value)


def from_json(text: str) -> object:
    """fromJson: nil for invalid JSON."""
    try:
        return must_from_json(text)
    except GoInputError:
        return None


def must_from_json(text: str) -> object:
    """mustFromJson."""
    from krmkit.libraries.go.json.read import read_json

    return read_json(text)


def json_float(number: float) -> str:
    """Write a float64 as encoding/json does. Raises GoInputError for NaN and infinities."""
    if number != number or number in (float("inf"), float("-inf")):
        shown = "NaN" if number != number else "-Inf" if number < 0 else "+Inf"
        raise GoInputError(f"json: unsupported value: {shown}")
    if number == 0:
        return "-0" if str(number)[0] == "-" else "0"
    sign = "-" if number < 0 else ""
    digits, exponent = shortest(abs(number))
    if -7 < exponent < 21:
        return sign + positional(digits, exponent)
    return sign + exponential(digits, exponent, 1)


def _or_empty(write: Callable[[object], str], value: object) -> str:
    try:
        return write(value)
    except GoInputError:
        return ""


class _Writer:
    def __init__(self, *, pretty: bool, html: bool) -> None:
        self._newline = "\n" if pretty else ""
        self._escaped = _ALWAYS | _HTML if html else _ALWAYS
        self._walk = CountingWalk()

    def write(self, value: object) -> str:
        out: list[str] = []
        self._value(out, value, 0)
        return "".join(out)

    def _value(self, out: list[str], value: object, depth: int) -> None:
        self._walk.visit(depth)
        charge(_VALUE)
        if value is None or is_nil_list(value):
            out.append("null")
        elif isinstance(value, bool):
            out.append("true" if value else "false")
        elif isinstance(value, str):
            out.append(self._string(value))
        elif isinstance(value, int):
            out.append(str(int(value)))
        elif isinstance(value, float):
            charge(_VALUE)
            out.append(json_float(value))
        elif isinstance(value, list):
            self._members(out, "[]", [("", item) for item in value], depth)
        elif isinstance(value, dict):
            colon = ": " if self._newline else ":"
            pairs = [(self._string(key) + colon, value[key]) for key in sorted_keys(value)]
            self._members(out, "{}", pairs, depth)
        elif isinstance(value, GoObject) and hasattr(value, "to_json"):
            out.append(str(value.to_json()))
        else:
            out.append("{}")

    def _members(self, out: list[str], brackets: str, members: list[tuple[str, object]], depth: int) -> None:
        if not members:
            out.append(brackets)
            return
        indent = self._newline + "  " * (depth + 1) if self._newline else ""
        out.append(brackets[0])
        for index, (prefix, item) in enumerate(members):
            out.append(("," if index else "") + indent + prefix)
            self._value(out, item, depth + 1)
        out.append((self._newline + "  " * depth if self._newline else "") + brackets[1])

    def _string(self, text: str) -> str:
        if text.isascii() and text.isalnum():
            return f'"{text}"'
        charge(len(text))
        return f'"{"".join(self._char(char) for char in text)}"'

    def _char(self, char: str) -> str:
        if "\ud800" <= char <= "\udfff":
            return "\\ufffd"  # a byte that is not a character
        if char not in self._escaped or char == "\ufffd":
            return char
        return _SHORT.get(char) or f"\\u{ord(char):04x}"
