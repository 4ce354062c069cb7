"""The description of a config's field as text: its type, its meaning and the fields below it."""

from __future__ import annotations

import json
from textwrap import wrap
from typing import Any

from krmkit.fn.definition import FunctionDefinition
from krmkit.fn.help import text_for
from krmkit.krm.errors import Refused
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import mapping


def explained(definition: FunctionDefinition, steps: list[str]) -> str:
    """Return the description of a field as text. Raises Refused with the nearest name."""
    schema: dict[str, Any] = json.loads(text_for(definition, "schema"))
    node, path = schema, definition.kind
    required = False
    for step in steps:
        name = step.partition("[")[0]
        node = _elements(node)
        below = mapping(node, "properties")
        if name in below:
            required = name in (node.get("required") or [])
            node = below[name]
        elif isinstance(node.get("additionalProperties"), dict):
            node, required = node["additionalProperties"], False
        else:
            raise Refused(f'{path} has no field "{name}"{did_you_mean(name, below)}')
        path += f".{name}"
    lines = [f"{path}  {_type(node)}{'  (required)' if required else ''}"]
    if not steps and definition.folder:
        lines.append(f"function: {definition.name}")
    if node.get("description"):
        lines += ["", *_wrapped(str(node["description"]), "")]
    for word in ("default", "enum", "pattern", "minimum", "maximum"):
        if word in node:
            lines.append(f"{word}: {json.dumps(node[word], ensure_ascii=False)}")
    inner = _elements(node)
    below = mapping(inner, "properties")
    if below:
        lines += ["", "Fields:"]
        for name, field in below.items():
            mark = "  (required)" if name in (inner.get("required") or []) else ""
            lines.append(f"  {name}  {_type(field)}{mark}")
            lines += _wrapped(str(field.get("description") or ""), "      ")
    return "\n".join(lines) + "\n"


def _elements(node: dict[str, Any]) -> dict[str, Any]:
    while isinstance(node.get("items"), dict):
        node = node["items"]
    return node


def _type(node: dict[str, Any]) -> str:
    """Return `string`, `list of object`, `map of string`."""
    if isinstance(node.get("items"), dict):
        return f"list of {_type(node['items'])}"
    if isinstance(node.get("additionalProperties"), dict):
        return f"map of {_type(node['additionalProperties'])}"
    said = node.get("type") or "any"
    return " or ".join(said) if isinstance(said, list) else str(said)


def _wrapped(text: str, indent: str) -> list[str]:
    return wrap(text, 79, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
