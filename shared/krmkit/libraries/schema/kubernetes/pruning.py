"""Find the fields of a value that its schema does not declare: the API server would prune them.

Source: k8s.io/apiextensions-apiserver, pkg/apiserver/schema/pruning/algorithm.go.

>>> from krmkit.libraries.schema.openapi import read_schema
>>> schema = read_schema({"type": "object", "properties": {"a": {"type": "string"}}})
>>> unknown_fields(schema, {"a": "x", "b": 1})
['b']
"""

from __future__ import annotations

from krmkit.libraries.schema.openapi import Schema

_META = frozenset(("apiVersion", "kind", "metadata"))


def unknown_fields(schema: Schema, value: object) -> list[str]:
    """Return the sorted paths of the fields that would be dropped: `a.b`, `list[1].c`.

    x-kubernetes-preserve-unknown-fields keeps fields.
    """
    return sorted(undeclared_fields(schema, value))


def undeclared_fields(schema: Schema, value: object) -> dict[str, list[str]]:
    """Return paths as `unknown_fields` does, in the value's order, with the names declared there."""
    found: dict[str, list[str]] = {}
    _prune(schema, value, "", found)
    return found


def _prune(
    schema: Schema | None, value: object, path: str, found: dict[str, list[str]], kept: bool = False
) -> None:
    """Collect undeclared fields. `kept`: skip the value's own ones, but not those in declared fields."""
    kept = kept or (schema is not None and schema.preserve_unknown_fields)
    if isinstance(value, dict):
        for name, inner in value.items():
            place = f"{path}.{name}" if path else name
            if schema is not None and schema.embedded_resource and name in _META:
                continue
            if schema is not None and name in schema.properties:
                _prune(schema.properties[name], inner, place, found)
            elif schema is not None and schema.has_additional:
                _prune(schema.additional, inner, place, found)
            elif not kept:
                found[place] = list(schema.properties) if schema is not None else []
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            _prune(schema.items if schema is not None else None, inner, f"{path}[{position}]", found, kept)
