"""Values on one line, as messages show them."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.go.fmt.printing import format_float, quote

LONGEST = 40


def short(value: Any) -> str:
    """A value on one line: `[1, {a: "b"}]`. Only as much is written as a message can show."""
    out: list[str] = []
    _write(value, out, 2_000)
    return "".join(out)


def _write(value: Any, out: list[str], budget: int) -> int:
    """Append the text of a value; what is left of the budget. Beyond it nothing is written but the end marks."""
    kind = type(value)
    if kind is list:
        out.append("[")
        for index, entry in enumerate(value):
            if budget <= 0:
                break
            if index:
                out.append(", ")
            budget = _write(entry.value, out, budget - 2)
        out.append("]")
    elif kind is dict:
        out.append("{")
        for index, key in enumerate(sorted(value)):
            if budget <= 0:
                break
            out.append((", " if index else "") + key + ": ")
            budget = _write(value[key].value, out, budget - len(key) - 4)
        out.append("}")
    else:
        text = scalar_text(value)
        out.append(text)
        budget -= len(text)
    return budget


def scalar_text(value: Any) -> str:
    """A scalar as Go's %v prints it, strings in quotes."""
    if value is None:
        return "<nil>"
    if type(value) is str:
        return quote(value)
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is float:
        return format_float(value)
    return str(value)


def shorten(text: str) -> str:
    """The text, with its middle left out where it is longer than forty characters."""
    return text if len(text) <= LONGEST else text[:17] + " ... " + text[-17:]
