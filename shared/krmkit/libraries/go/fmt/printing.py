"""How Go's fmt prints values with %v, and the formats of numbers and strings that printf builds on.

Text is counted while it is made: GoError ends a value that prints too long, or that contains itself.
"""

from __future__ import annotations

from krmkit.libraries.go.core.values import ABSENT, GoObject, encode, sorted_keys
from krmkit.libraries.go.core.work import charge, charge_text
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.yaml.scalars import exponential, shortest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_LENGTH = 16 * 1024 * 1024
"""Characters of one value's text, or of one call of print or printf; assign a larger number to raise it."""
MAX_DEPTH = 150
"""Nesting of lists and maps in a value that is printed; assign a larger number to raise it."""

_LARGEST = 1.7976931348623157e308
_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
}


class Budget:
    """Characters that may still be written; `take` raises GoError below zero."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MAX_LENGTH

    def take(self, text: str) -> str:
        self.left -= len(text)
        if self.left < 0:
            raise too_long()
        return text


def too_long() -> GoError:
    """Return the error for a text longer than MAX_LENGTH."""
    return GoError(
        f"the text would have more than {MAX_LENGTH:,} characters (krmkit.libraries.go.fmt.printing.MAX_LENGTH)"
    )


def too_deep() -> GoError:
    """Return the error for a value nested deeper than MAX_DEPTH."""
    return GoError(
        f"the value is nested more than {MAX_DEPTH} deep, or contains itself"
        " (krmkit.libraries.go.fmt.printing.MAX_DEPTH)"
    )


def go_print_value(value: object) -> str:
    """%v: floats as 1e+06, lists as [1 a <nil>], maps as map[a:1 b:2] with sorted keys, nil as <nil>."""
    kind = type(value)
    if kind is str:
        return value  # type: ignore[return-value]  # kind says it is a text
    if kind is float:
        return format_float(value)  # type: ignore[arg-type]  # kind says it is a float
    if kind is int:
        return str(value)
    if kind is bool:
        return "true" if value else "false"
    if value is None or value is ABSENT:
        return "<nil>"
    if isinstance(value, (list, dict)):
        out: list[str] = []
        _write(value, out, Budget(), 0)
        return "".join(out)
    if isinstance(value, GoObject):
        return value.go_string()
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, complex):
        imaginary = format_float(value.imag)
        return f"({format_float(value.real)}{'' if imaginary[0] in '+-' else '+'}{imaginary}i)"
    return f"<{type(value).__name__}>"


def _write(value: list[object] | dict[str, object], out: list[str], budget: Budget, depth: int) -> None:
    if depth >= MAX_DEPTH:
        raise too_deep()
    charge(2 + 2 * len(value))
    if isinstance(value, dict):
        out.append(budget.take("map["))
        before = ""
        for key in sorted_keys(value):
            out.append(budget.take(f"{before}{key}:"))
            _write_item(value[key], out, budget, depth)
            before = " "
    else:
        out.append(budget.take("["))
        for at, item in enumerate(value):
            if at:
                out.append(budget.take(" "))
            _write_item(item, out, budget, depth)
    out.append("]")


def _write_item(item: object, out: list[str], budget: Budget, depth: int) -> None:
    if isinstance(item, (list, dict)):
        _write(item, out, budget, depth + 1)
    else:
        out.append(budget.take(go_print_value(item)))


def sprint(*values: object) -> str:
    """fmt.Sprint: a blank between two operands when neither is a string."""
    if len(values) == 1:
        return charge_text(go_print_value(values[0]))
    out: list[str] = []
    budget = Budget()
    string_before = True
    for value in values:
        is_string = isinstance(value, str)
        if not is_string and not string_before:
            out.append(" ")
        out.append(budget.take(go_print_value(value)))
        string_before = is_string
    return charge_text("".join(out))


def sprintln(*values: object) -> str:
    """fmt.Sprintln: blanks between all operands, and a line feed."""
    budget = Budget()
    return charge_text(" ".join([budget.take(go_print_value(value)) for value in values]) + "\n")


def format_float(number: float) -> str:
    """Format a float64 as %v does: the shortest digits, with an exponent below -4 and from 6 on.

    100000 is `100000`, 1000000 is `1e+06`, 0.00001 is `1e-05`; infinities are `+Inf` and `-Inf`.
    """
    if -1e6 < number < 1e6:
        if number.is_integer():
            text = str(int(number))
            return "-0" if text == "0" and str(number)[0] == "-" else text
        text = repr(number)
        if "e" not in text:
            return text
    if not -_LARGEST <= number <= _LARGEST:
        return "+Inf" if number > 0 else "-Inf" if number < 0 else "NaN"
    return ("-" if number < 0 else "") + exponential(*shortest(abs(number)))


def quote(text: str, ascii_only: bool = False) -> str:
    """strconv.Quote, what %q prints: Go escapes for whatever does not print, \\x for stray bytes."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{escape(text, chr(34), ascii_only)}"'


def escape(text: Iterable[str], mark: str, ascii_only: bool = False) -> str:
    """Escape the inside of a quoted string or, with mark "'", of a quoted rune."""
    out = []
    for char in text:
        if char == mark:
            out.append("\\" + char)
        elif char in _ESCAPES:
            out.append(_ESCAPES[char])
        elif char < "\x7f" and char >= " ":
            out.append(char)
        elif "\udc80" <= char <= "\udcff":
            out.append(f"\\x{ord(char) - 0xDC00:02x}")
        elif "\ud800" <= char <= "\udfff":
            out.append("\\ufffd" if ascii_only else "\ufffd")
        elif not ascii_only and char.isprintable():
            out.append(char)
        elif char < " " or char == "\x7f":
            out.append(f"\\x{ord(char):02x}")
        elif char > "\uffff":
            out.append(f"\\U{ord(char):08x}")
        else:
            out.append(f"\\u{ord(char):04x}")
    return "".join(out)


def can_backquote(text: str) -> bool:
    """strconv.CanBackquote: one line, no control characters but tabs, no backquotes, no invalid bytes."""
    return not any(
        char in "`\x7f\ufeff" or (char < " " and char != "\t") or "\ud800" <= char <= "\udfff"
        for char in text
    )


def byte_length(text: str) -> int:
    """len(s) in Go."""
    return len(text) if text.isascii() else len(encode(text))
