"""The fieldPath of a rule: `.spec.list` or `.labels['a.b']`, checked against the schema.

Source: ValidFieldPath in k8s.io/apiextensions-apiserver, pkg/apiserver/schema/cel/validation.go.

>>> from krmkit.libraries.schema.openapi import read_schema
>>> rule_path(".a", read_schema({"type": "object", "properties": {"a": {"type": "string"}}}))
'a'
"""

from __future__ import annotations

from krmkit.libraries.kube.fielderror import child, key
from krmkit.libraries.schema.errors import SchemaError
from krmkit.libraries.schema.openapi import Schema

_ESCAPES = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "'": "'",
    "\\": "\\",
}
_END = "unexpected end of JSON path"


def rule_path(text: str, schema: Schema) -> str:
    """The path below the rule's value, as errors show it. Raises SchemaError."""
    tokens = _tokens(text)
    path = ""
    node: Schema | None = schema
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token not in ("[", "."):
            raise SchemaError(f"expected [ or . but got: {token}")
        if at == len(tokens):
            raise SchemaError(_END)
        name = tokens[at]
        at += 1
        if token == "[":
            if len(name) < 2 or name[0] != "'" or name[-1] != "'":
                raise SchemaError(f"expected single quoted string but got {name}")
            name = _unescaped(name[1:-1])
        path, node = _step(path, node, name)
        if token == "[":
            if at == len(tokens):
                raise SchemaError(_END)
            if tokens[at] != "]":
                raise SchemaError(f"expected ] but got {tokens[at]}")
            at += 1
    return path


def _step(path: str, node: Schema | None, name: str) -> tuple[str, Schema | None]:
    if node is not None and node.properties:
        if name in node.properties:
            return child(path, name), node.properties[name]
    elif node is not None and node.has_additional:
        return key(path, name), node.additional
    raise SchemaError("does not refer to a valid field")


def _tokens(text: str) -> list[str]:
    """The signs `.`, `[` and `]`, and the texts between them; a quoted text is one token."""
    tokens: list[str] = []
    at = 0
    while at < len(text):
        end = at + 1
        if text[at] == "'":
            while end < len(text) and not (text[end] == "'" and text[end - 1] != "\\"):
                end += 1
            end = min(end + 1, len(text))
        elif text[at] not in ".[]":
            while end < len(text) and text[end] not in ".[]":
                end += 1
        tokens.append(text[at:end])
        at = end
    return tokens


def _unescaped(text: str) -> str:
    out: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text) and text[at + 1] != "\n":
            sign = text[at + 1]
            if sign not in _ESCAPES:
                raise SchemaError(f"invalid string literal: invalid escape char \\{sign}")
            out.append(_ESCAPES[sign])
            at += 2
        else:
            out.append(text[at])
            at += 1
    return "".join(out)
