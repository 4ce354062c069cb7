"""Check the defaults in a schema.

Source: k8s.io/apiextensions-apiserver, pkg/apiserver/schema/defaulting.
"""

from __future__ import annotations

from krmkit.libraries.kube.fielderror import FieldError, child, invalid, key
from krmkit.libraries.schema.kubernetes.pruning import unknown_fields
from krmkit.libraries.schema.kubernetes.rules import RuleSet
from krmkit.libraries.schema.kubernetes.values import validate_value
from krmkit.libraries.schema.openapi import Schema


def check_defaults(schema: Schema, path: str, rules: RuleSet) -> list[FieldError]:
    """Return the errors of a schema's defaults: unknown fields, invalid values, rules that fail.

    Defaults below additionalProperties are not checked, as in Kubernetes.
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
