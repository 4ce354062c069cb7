"""Encode and indent JSON as go.starlark.net's module `encoding/json.star` does. Source: its lib/json."""

from __future__ import annotations

from krmkit.libraries.go.fmt.printing import format_float
from krmkit.libraries.go.json.functions import must_to_json


def encode(value: object) -> str:
    """Encode Starlark data as JSON, keys sorted: `{"a":2,"z":1}`. Raises ValueError for other data."""
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
    """Write JSON with a line for each value, as Go's json.Indent. Raises ValueError for other texts."""
    import json
    import re

    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"json.indent: {error}") from None
    written: list[str] = []
    depth = 0
    for sign in re.findall(r'"(?:\\.|[^"\\])*"|[^\s"\[\]{},:]+|\S', text):
        is_fresh = written[-1:] in (["{"], ["["])
        if sign in ("}", "]"):
            depth -= 1
        if sign in ("}", "]") and not is_fresh or is_fresh and sign not in ("}", "]"):
            written.append(f"\n{prefix}{indent * depth}")
        written.append({",": f",\n{prefix}{indent * depth}", ":": ": "}.get(sign, sign))
        if sign in ("{", "["):
            depth += 1
    return "".join(written)
