"""Texts of violations (`krmkit.libraries.schema.violations`). Runs with a valid config do not load this."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from krmkit.libraries.messages.nearest import did_you_mean, proposal, proposing
from krmkit.libraries.schema.openapi import Schema
from krmkit.libraries.schema.walk import kind_of

NAMES = {
    "object": "a map",
    "array": "a list",
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
}
_READ: dict[str, Callable[[str], object]] = {"integer": int, "number": float, "boolean": "true".__eq__}
_LONGEST_SHOWN = 64  # characters of a value in a message


def text(rule: str, schema: Schema, value: Any, *facts: Any) -> tuple[str, object]:
    """Return a violation's message, and the value if it is a scalar that may be shown.

    Rules are those of `SchemaWalk.report`, and `type`.
    """
    if rule == "unknown":
        return f'unknown field "{value}"' + did_you_mean(value, schema.properties), None
    if rule == "required":
        known = schema.properties.get(value)
        return f"is required: {_wanted(known) if known is not None else 'a value'}", None
    if rule == "size":
        return _size(value, *facts), None
    shown = value if isinstance(value, str | int | float) and schema.format != "password" else None
    if rule == "type":
        return f"must be {_wanted(schema)}, not {describe(value)}" + _quotes(schema.type, value), shown
    if rule == "enum":
        allowed = [item for item in schema.enum if isinstance(item, str)]
        hint = proposal(shown, allowed) if isinstance(shown, str) else ""
        return f"must be {_wanted(schema)}{_instead(shown)}" + hint, shown
    if rule == "pattern":
        return f"must match the pattern {facts[0]}", shown
    bound, exclusive, side = facts
    if side > 0:
        return f"must be {'more than' if exclusive else 'at least'} {bound}", shown
    return f"must be {'less than' if exclusive else 'at most'} {bound}", shown


def describe(data: object) -> str:
    """Return the kind of a value, for messages."""
    if data is None:
        return "empty (null)"
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, float) and data - data != 0.0:
        return "not-a-number" if str(data) == "nan" else "an infinite number"
    return NAMES[kind_of(data)]


def _size(value: str | list[object], limit: int, side: int) -> str:
    if side > 0 and not value:
        return "must not be empty"
    unit = "characters" if isinstance(value, str) else "entries"
    return f"must have {'at least' if side > 0 else 'at most'} {limit} {unit}, not {len(value)}"


def _quotes(wanted: str, value: object) -> str:
    if value is None:
        return "; leave the key out to say nothing"
    if wanted == "string" and isinstance(value, int | float):
        return proposing("; put it in quotes", value, str(value))
    if isinstance(value, str) and wanted in {"integer", "number", "boolean"} and _reads_as(value, wanted):
        return proposing("; without quotes", value, _READ[wanted](value))
    return ""


def _instead(shown: object) -> str:
    """Return `, not "smal"` for a short value that may be shown, else ""."""
    if isinstance(shown, str):
        return f', not "{shown}"' if len(shown) <= _LONGEST_SHOWN else ""
    if isinstance(shown, int | float):
        return f", not {describe(shown) if isinstance(shown, bool) else shown}"
    return ""


def _reads_as(text: str, kind: str) -> bool:
    if kind == "boolean":
        return text in {"true", "false"}
    digits = text[1:] if text[:1] in {"-", "+"} else text
    if kind == "number":
        digits = digits.replace(".", "", 1)
    return digits.isascii() and digits.isdigit()


def _wanted(schema: Schema) -> str:
    if schema.int_or_string:
        return "an integer or a string"
    if schema.enum:
        return "one of " + ", ".join(map(str, schema.enum))
    return NAMES.get(schema.type, "a value")
