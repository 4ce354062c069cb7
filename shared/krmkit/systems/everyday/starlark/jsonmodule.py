"""The module `encoding/json.star`: encode and indent, as go.starlark.net writes JSON. Source: its lib/json."""

from __future__ import annotations

from krmkit.libraries.go.fmt.printing import format_float
from krmkit.libraries.go.json.functions import must_to_json

_BLANK = " \t\r\n"


def encode(value: object) -> str:
    """Starlark data as JSON, keys sorted: `{"a":2,"z":1}`. Raises ValueError for what has no JSON."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise ValueError(f"json.encode: dict has {type(key).__name__} key, want string")
        return "{" + ",".join(f"{_quoted(key)}:{encode(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(encode, value)) + "]"
    raise ValueError(f"json.encode: cannot encode {type(value).__name__} as JSON")


def _quoted(text: str) -> str:
    if all(" " <= sign < "\x7f" for sign in text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return must_to_json(text)  # Go's encoder, which also escapes < > &


def _number(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError(f"json.encode: cannot encode non-finite float {value}")
    text = format_float(value)
    return text if "." in text or "e" in text else f"{text}.0"


def indent(text: str, prefix: str = "", indent: str = "\t") -> str:
    """A JSON text with a line for each value, as Go's json.Indent writes it. Raises ValueError for other texts."""
    import json

    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"json.indent: {error}") from None
    written: list[str] = []
    depth, is_fresh, position = 0, False, 0
    while position < len(text):
        sign = text[position]
        position += 1
        if sign in _BLANK:
            continue
        if is_fresh and sign not in "]}":
            is_fresh, depth = False, depth + 1
            written.append(f"\n{prefix}{indent * depth}")
        if sign == '"':
            end = position
            while text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            written.append(text[position - 1 : end + 1])
            position = end + 1
        elif sign in "{[":
            is_fresh = True
            written.append(sign)
        elif sign in "}]":
            if not is_fresh:
                depth -= 1
                written.append(f"\n{prefix}{indent * depth}")
            is_fresh = False
            written.append(sign)
        else:
            written.append(f",\n{prefix}{indent * depth}" if sign == "," else ": " if sign == ":" else sign)
    return "".join(written)
