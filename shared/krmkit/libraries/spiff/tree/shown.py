"""Values on one line, as messages show them."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.go.fmt.printing import quote, sprint

LONGEST = 40


def short(value: Any) -> str:
    """Write a value on one line, shortened for a message: `[1, {a: "b"}]`."""
    out: list[str] = []
    _write(value, out, 2_000)
    return "".join(out)


def _write(value: Any, out: list[str], budget: int) -> int:
    """Append a value's text, and return the remaining budget; without budget, append end marks only."""
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
    """Write a scalar as Go's %v does, but quote strings."""
    if type(value) is str:
        return quote(value)
    return sprint(value) if value is None or type(value) in (bool, float) else str(value)


def shorten(text: str) -> str:
    """Cut the middle out of a text of more than forty characters."""
    return text if len(text) <= LONGEST else text[:17] + " ... " + text[-17:]
