"""Fills in the defaults of a schema, and checks the defaults themselves.

Source: k8s.io/apiextensions-apiserver, pkg/apiserver/schema/defaulting.

>>> from krmkit.lang.openapi.schema import read_schema
>>> fill_defaults(read_schema({"type": "object", "properties": {"a": {"type": "integer", "default": 1}}}), {})
{'a': 1}
"""

from __future__ import annotations

from krmkit.lang.fielderror import FieldError, child, invalid, key
from krmkit.lang.openapi.pruning import unknown_fields
from krmkit.lang.openapi.rules import RuleSet
from krmkit.lang.openapi.values import validate_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.lang.openapi.schema import Schema


def fill_defaults(schema: Schema | None, value: object) -> object:
    """The value with defaults; parts that get none are shared with it, and nothing in it is changed.

    What is absent, or null where null is not allowed, gets the default. An object without a default is not made.
    """
    if schema is None:
        return value
    if isinstance(value, dict):
        return _fill_map(schema, value)
    if isinstance(value, list):
        items = schema.items
        if items is None:
            return value
        filled = [fill_defaults(items, _or_default(items, inner)) for inner in value]
        return filled if any(a is not b for a, b in zip(filled, value, strict=True)) else value
    return value


def _fill_map(schema: Schema, value: dict[str, object]) -> dict[str, object]:
    filled: dict[str, object] = {}
    changed = False
    properties = schema.properties
    for name, inner in value.items():
        known = properties.get(name)
        if known is None and schema.has_additional:
            known = schema.additional
        new = inner
        if known is not None:
            new = fill_defaults(known, _or_default(known, inner))
            changed = changed or new is not inner
        filled[name] = new
    for name, known in properties.items():
        if known.has_default and name not in value:
            filled[name] = fill_defaults(known, known.default)
            changed = True
    return filled if changed else value


def _or_default(schema: Schema, value: object) -> object:
    return schema.default if value is None and schema.has_default and not schema.nullable else value


def check_defaults(schema: Schema, path: str, rules: RuleSet) -> list[FieldError]:
    """Errors of the defaults of a schema: unknown fields, values that are not valid, rules that fail.

    Defaults below additionalProperties are not looked at, as in Kubernetes.
    """
    errors: list[FieldError] = []
    _check(schema, path, rules, errors)
    return errors


def _check(schema: Schema, path: str, rules: RuleSet, errors: list[FieldError]) -> None:
    if schema.has_default and schema.default is not None:
        place = child(path, "default")
        if unknown_fields(schema, schema.default):
            errors.append(invalid(place, schema.default, "must not have unknown fields"))
        found = validate_value(schema, schema.default, place, all_formats=True)
        errors += found or rules.evaluate(schema, schema.default, schema.default, place)
    if schema.items is not None:
        _check(schema.items, child(path, "items"), rules, errors)
    for name, inner in schema.properties.items():
        _check(inner, key(child(path, "properties"), name), rules, errors)
