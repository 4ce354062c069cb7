"""Read the schema of a variable: the part of OpenAPI in Cluster API's JSONSchemaProps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.json.read import read_json
from krmkit.libraries.kube.fielderror import FieldError, child, index, invalid, key
from krmkit.libraries.schema.errors import SchemaError
from krmkit.libraries.schema.openapi import Schema, read_schema
from krmkit.systems.clusterapi.variables.values import go_number, unusable

KEYWORDS = frozenset(
    "type description example properties additionalProperties maxProperties minProperties required items maxItems minItems"
    " uniqueItems format maxLength minLength pattern maximum exclusiveMaximum minimum exclusiveMinimum enum default"
    " x-kubernetes-preserve-unknown-fields x-kubernetes-validations x-metadata x-kubernetes-int-or-string"
    " allOf oneOf anyOf not".split()
)
"""What a schema of a variable can say; the API server drops anything else."""

_MANY = ("allOf", "oneOf", "anyOf")
_ONE = ("items", "additionalProperties", "not")
_RULE_KEYWORDS = ("rule", "message", "messageExpression", "reason", "fieldPath")


def convert_schema(data: Mapping[str, Any], path: str) -> tuple[Schema | None, list[FieldError]]:
    """Return the schema, or its errors.

    A default, an example or an enum value in bytes is JSON text, which is parsed here.
    """
    errors: list[FieldError] = []
    cleaned = _inner(data, path, errors, -1)
    if errors:
        return None, errors
    try:
        return read_schema(cleaned), []
    except SchemaError as error:
        return None, [invalid(child(path, error.path) if error.path else path, "", error.message)]


def _clean(data: Mapping[str, Any], path: str, errors: list[FieldError], depth: int) -> dict[str, Any]:
    """Copy known keywords, with numbers as Go reads them. `read_schema` reports malformed parts."""
    found: dict[str, Any] = {}
    if depth > 200:
        return found
    for keyword, value in data.items():
        if keyword not in KEYWORDS or keyword == "x-metadata":
            continue
        place = child(path, keyword)
        if keyword in ("default", "example"):
            value = _value(value, place, keyword, errors)
        elif keyword == "enum" and isinstance(value, list):
            value = [_value(item, index(place, at), "enum value", errors) for at, item in enumerate(value)]
        elif keyword == "properties" and isinstance(value, dict):
            value = {name: _inner(inner, key(place, name), errors, depth) for name, inner in value.items()}
        elif keyword in _ONE:
            value = _inner(value, place, errors, depth)
        elif keyword in _MANY and isinstance(value, list):
            value = [_inner(inner, index(place, at), errors, depth) for at, inner in enumerate(value)]
        elif keyword == "x-kubernetes-validations" and isinstance(value, list):
            value = [
                {name: rule[name] for name in _RULE_KEYWORDS if name in rule}
                if isinstance(rule, dict)
                else rule
                for rule in value
            ]
        found[keyword] = value
    return found


def _inner(value: object, path: str, errors: list[FieldError], depth: int) -> object:
    if isinstance(value, bool):
        # Go has a struct here, so that `additionalProperties: false` cannot be decoded.
        errors.append(invalid(path, value, "must be a schema, got true or false"))
        return {}
    return _clean(value, path, errors, depth + 1) if isinstance(value, dict) else value


def _value(value: object, path: str, what: str, errors: list[FieldError]) -> object:
    if not isinstance(value, bytes):
        problem = unusable(value)
        if problem:
            errors.append(invalid(path, "...", f"{what} {problem}"))
            return None
        return go_number(value)
    text = value.decode("utf-8", "replace")
    try:
        return go_number(read_json(text))
    except GoInputError as error:
        errors.append(invalid(path, text, f"{what} is not valid JSON: {error}"))
        return None
