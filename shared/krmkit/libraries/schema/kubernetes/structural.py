"""Check that a schema is structural: each value has one type, outside of allOf, anyOf, oneOf and not.

Source: k8s.io/apiextensions-apiserver, pkg/apiserver/schema/validation.go and complete.go.
"""

from __future__ import annotations

from collections.abc import Sequence

from krmkit.libraries.go.regexp import pattern
from krmkit.libraries.kube.fielderror import FieldError, child, forbidden, index, invalid, key, required
from krmkit.libraries.schema.openapi import Schema

ROOT, ITEM, FIELD = "root", "item", "field"
_MUST_HAVE_A_TYPE = {
    ROOT: "must not be empty at the root",
    ITEM: "must not be empty for specified array items",
    FIELD: "must not be empty for specified object fields",
}


def check_structural(schema: Schema, path: str) -> list[FieldError]:
    """Return all that keeps the schema from being structural, sorted by text, as Kubernetes reports it.

    >>> from krmkit.libraries.schema.openapi import read_schema
    >>> schema = read_schema({"type": "object", "properties": {"a": {}}})
    >>> [str(error) for error in check_structural(schema, "schema")]
    ['schema.properties[a].type: Required value: must not be empty for specified object fields']
    """
    errors: list[FieldError] = []
    _invariants(schema, ROOT, path, errors)
    _value_completeness(schema, schema, path, path, errors)
    return sorted(errors, key=str)


def _invariants(schema: Schema, level: str, path: str, errors: list[FieldError]) -> None:
    if schema.type == "array" and schema.items is None:
        errors.append(required(child(path, "items"), "must be specified"))
    if schema.items is not None:
        _invariants(schema.items, ITEM, child(path, "items"), errors)
    for name, inner in schema.properties.items():
        _invariants(inner, FIELD, key(child(path, "properties"), name), errors)
    if schema.has_additional:
        place = child(path, "additionalProperties")
        if level == ROOT:
            errors.append(forbidden(place, "must not be used at the root"))
        if schema.additional is not None:
            _invariants(schema.additional, FIELD, place, errors)
    _extensions(schema, path, errors)
    is_all_of_pattern = bool(schema.all_of) and _is_int_or_string(schema.all_of[0].any_of)
    _value_validation(schema, path, errors, _is_int_or_string(schema.any_of), is_all_of_pattern)
    _types(schema, level, path, errors)


def _types(schema: Schema, level: str, path: str, errors: list[FieldError]) -> None:
    place = child(path, "type")
    if schema.embedded_resource and schema.type != "object":
        detail = "must be object if x-kubernetes-embedded-resource is true"
        errors.append(invalid(place, schema.type, detail) if schema.type else required(place, detail))
    elif not schema.type and not schema.int_or_string and not schema.preserve_unknown_fields:
        errors.append(required(place, _MUST_HAVE_A_TYPE[level]))
    if schema.embedded_resource and schema.has_additional:
        detail = "must not be used if x-kubernetes-embedded-resource is set"
        errors.append(forbidden(child(path, "additionalProperties"), detail))
    if level == ROOT and schema.type and schema.type != "object":
        errors.append(invalid(place, schema.type, "must be object at the root"))
    if level == ROOT or schema.embedded_resource:
        for name, wanted in (("kind", "string"), ("apiVersion", "string"), ("metadata", "object")):
            inner = schema.properties.get(name)
            if inner is not None and inner.type != wanted:
                place = child(key(child(path, "properties"), name), "type")
                errors.append(invalid(place, inner.type, f"must be {wanted}"))
    if schema.embedded_resource and not schema.preserve_unknown_fields and not schema.properties:
        detail = (
            "must not be empty if x-kubernetes-embedded-resource is true"
            " without x-kubernetes-preserve-unknown-fields"
        )
        errors.append(required(child(path, "properties"), detail))


def _extensions(schema: Schema, path: str, errors: list[FieldError]) -> None:
    if not schema.int_or_string:
        return
    for name, value in (
        ("x-kubernetes-preserve-unknown-fields", schema.preserve_unknown_fields),
        ("x-kubernetes-embedded-resource", schema.embedded_resource),
    ):
        if value:
            detail = "must be false if x-kubernetes-int-or-string is true"
            errors.append(invalid(child(path, name), True, detail))


def _is_int_or_string(any_of: Sequence[Schema]) -> bool:
    return [inner.type for inner in any_of] == ["integer", "string"] and not any(map(_says_more, any_of))


def _says_more(schema: Schema) -> bool:
    return any(
        name != "type" and value != getattr(type(schema), name) for name, value in vars(schema).items()
    )


def _value_validation(
    schema: Schema, path: str, errors: list[FieldError], skip_any_of: bool, skip_first_all_of: bool
) -> None:
    if not skip_any_of:
        for position, inner in enumerate(schema.any_of):
            _nested(inner, index(child(path, "anyOf"), position), errors, False)
    for position, inner in enumerate(schema.all_of):
        _nested(inner, index(child(path, "allOf"), position), errors, skip_first_all_of and position == 0)
    for position, inner in enumerate(schema.one_of):
        _nested(inner, index(child(path, "oneOf"), position), errors, False)
    if schema.not_ is not None:
        _nested(schema.not_, child(path, "not"), errors, False)
    if schema.pattern:
        try:
            pattern.compile(schema.pattern)
        except pattern.PatternError as error:
            detail = f"must be a valid regular expression, but isn't: {error}"
            errors.append(invalid(child(path, "pattern"), schema.pattern, detail))


def _nested(schema: Schema, path: str, errors: list[FieldError], skip_any_of: bool) -> None:
    """Check a schema in allOf, anyOf, oneOf or not, which may only restrict values."""
    _value_validation(schema, path, errors, skip_any_of, False)
    if schema.items is not None:
        _nested(schema.items, child(path, "items"), errors, False)
    for name, inner in schema.properties.items():
        _nested(inner, key(child(path, "properties"), name), errors, False)
    for name, set_, what in (
        ("type", bool(schema.type), "empty"),
        ("additionalProperties", schema.has_additional, "undefined"),
        ("default", schema.has_default, "undefined"),
        ("title", bool(schema.title), "empty"),
        ("description", bool(schema.description), "empty"),
        ("nullable", schema.nullable, "false"),
        ("x-kubernetes-preserve-unknown-fields", schema.preserve_unknown_fields, "false"),
        ("x-kubernetes-embedded-resource", schema.embedded_resource, "false"),
        ("x-kubernetes-int-or-string", schema.int_or_string, "false"),
        ("x-kubernetes-list-map-keys", bool(schema.list_map_keys), "empty"),
        ("x-kubernetes-list-type", schema.list_type is not None, "undefined"),
        ("x-kubernetes-map-type", schema.map_type is not None, "undefined"),
        ("x-kubernetes-validations", bool(schema.rules), "empty"),
    ):
        if set_:
            errors.append(forbidden(child(path, name), f"must be {what} to be structural"))
    if "metadata" in schema.properties:
        place = key(child(path, "properties"), "metadata")
        errors.append(forbidden(place, "must not be specified in a nested context"))


def _value_completeness(
    value: Schema, schema: Schema | None, path: str, value_path: str, errors: list[FieldError]
) -> None:
    """Check that everything in allOf, anyOf, oneOf and not is declared outside as well."""
    inner = [(value.not_, child(value_path, "not"))] if value.not_ is not None else []
    for name, schemas in (("allOf", value.all_of), ("anyOf", value.any_of), ("oneOf", value.one_of)):
        inner += [(item, index(child(value_path, name), at)) for at, item in enumerate(schemas)]
    for nested, place in inner:
        _nested_completeness(nested, schema, path, place, errors)


def _nested_completeness(
    value: Schema, schema: Schema | None, path: str, value_path: str, errors: list[FieldError]
) -> None:
    if schema is None:
        errors.append(required(path, f"because it is defined in {value_path}"))
        return
    _value_completeness(value, schema, path, value_path, errors)
    if value.items is not None:
        _nested_completeness(
            value.items, schema.items, child(path, "items"), child(value_path, "items"), errors
        )
    for name, inner in value.properties.items():
        place = key(child(path, "properties"), name)
        value_place = key(child(value_path, "properties"), name)
        _nested_completeness(inner, schema.properties.get(name), place, value_place, errors)
