"""The fieldPath of a rule: `.spec.list` or `.labels['a.b']`, checked against the schema.

Source: ValidFieldPath in k8s.io/apiextensions-apiserver, pkg/apiserver/schema/cel/validation.go.

>>> from krmkit.libraries.schema.openapi import read_schema
>>> rule_path(".a", read_schema({"type": "object", "properties": {"a": {"type": "string"}}}))
'a'
"""

from __future__ import annotations

import re

from krmkit.libraries.kube.fielderror import child, key
from krmkit.libraries.schema.errors import SchemaError
from krmkit.libraries.schema.openapi import Schema

_ESCAPES = dict(zip("abfnrtv'\\", "\a\b\f\n\r\t\v'\\", strict=True))
# A quoted text, which a quote behind a backslash does not end; a sign; or a text between signs.
_TOKEN = re.compile(r"'(?:.*?(?<!\\)'|.*)|[.\[\]]|[^.\[\]]+", re.DOTALL)
_END = "unexpected end of JSON path"


def rule_path(text: str, schema: Schema) -> str:
    """Return the path below the rule's value, as errors show it. Raises SchemaError."""
    tokens = _TOKEN.findall(text)
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


def _unescaped(text: str) -> str:
    def sign_of(found: re.Match[str]) -> str:
        if found[1] not in _ESCAPES:
            raise SchemaError(f"invalid string literal: invalid escape char \\{found[1]}")
        return _ESCAPES[found[1]]

    return re.sub(r"\\(.)", sign_of, text)
