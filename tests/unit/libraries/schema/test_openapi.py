"""krmkit.libraries.schema.openapi: schemas are read once, strictly enough to trust them afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.schema import openapi as module
from krmkit.libraries.schema.errors import SchemaError
from krmkit.libraries.schema.openapi import MAX_DEPTH, ValidationRule, read_schema


def nested(depth: int) -> dict[str, Any]:
    data: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        data = {"type": "array", "items": data}
    return data


def test_everything_is_read() -> None:
    """Each keyword has its attribute; numbers are floats, lengths integers."""
    found = read_schema(
        {
            "type": "object",
            "required": ["a"],
            "maxProperties": 3,
            "properties": {"a": {"type": "number", "minimum": 1, "exclusiveMinimum": True, "default": 2}},
            "additionalProperties": {"type": "array", "items": {"x-kubernetes-int-or-string": True}},
            "anyOf": [{"required": ["a"]}],
            "not": {"maxProperties": 1},
            "x-kubernetes-validations": [{"rule": "true", "reason": "FieldValueRequired"}],
        }
    )

    inner = found.properties["a"]
    assert (inner.minimum, inner.exclusive_minimum, inner.default, inner.has_default) == (1.0, True, 2, True)
    assert found.max_properties == 3
    assert found.additional is not None
    assert found.additional.items is not None
    assert found.additional.items.int_or_string
    assert found.any_of[0].required == ["a"]
    assert found.not_ is not None
    assert found.not_.max_properties == 1
    assert (found.rules[0].rule, found.rules[0].reason) == ("true", "FieldValueRequired")


@pytest.mark.parametrize("keyword", ["default", "example", "minimum", "type", "properties"])
def test_null_is_nothing(keyword: str) -> None:
    """A keyword with null is as good as absent."""
    found = read_schema({keyword: None})

    assert not found.has_default
    assert not found.has_example
    assert found.minimum is None
    assert found.type == ""


@pytest.mark.parametrize(
    ("data", "path", "message"),
    [
        pytest.param({"$ref": "#/a"}, "", "OpenAPIV3Schema '$ref' is not supported", id="reference"),
        pytest.param({"items": []}, "items", "'items' must be a schema, but is an array", id="items-list"),
        pytest.param({"properties": {"a": 1}}, "properties[a]", "must be a map, got an integer", id="no-map"),
        pytest.param({"properties": []}, "properties", "must be a map, got a list", id="properties-list"),
        pytest.param({"minimum": "1"}, "minimum", "must be a number, got a text", id="text-minimum"),
        pytest.param({"maxLength": 1.5}, "maxLength", "must be an integer, got a number", id="fraction"),
        pytest.param({"uniqueItems": 1}, "uniqueItems", "must be true or false, got an integer", id="flag"),
        pytest.param({"required": "a"}, "required", "must be a list, got a text", id="required-text"),
        pytest.param({"anyOf": [3]}, "anyOf[0]", "must be a map, got an integer", id="junctor"),
        pytest.param(
            {"x-kubernetes-validations": [{"rule": 1}]},
            "x-kubernetes-validations[0].rule",
            "must be a text, got an integer",
            id="rule",
        ),
        pytest.param(
            {"x-kubernetes-validations": ["x"]},
            "x-kubernetes-validations[0]",
            "a rule must be a map, got a text",
            id="rule-no-map",
        ),
    ],
)
def test_errors(data: dict[str, Any], path: str, message: str) -> None:
    """What Go cannot decode is an error with its place."""
    with pytest.raises(SchemaError) as caught:
        read_schema(data)

    assert caught.value.path == path
    assert message in caught.value.message


def test_depth_is_limited() -> None:
    """A schema may nest to the limit, not below it."""
    read_schema(nested(MAX_DEPTH))
    with pytest.raises(SchemaError, match="deeper than 100 levels"):
        read_schema(nested(MAX_DEPTH + 1))


def test_a_schema_that_contains_itself_ends() -> None:
    """The depth ends a loop in the data."""
    data: dict[str, Any] = {"type": "array"}
    data["items"] = data

    with pytest.raises(SchemaError, match="deeper"):
        read_schema(data)


def test_rule_is_shown_in_the_order_of_go() -> None:
    """Errors quote a rule as Go prints the struct."""
    shown = ValidationRule('self > "<"', reason="FieldValueInvalid").shown()

    assert shown == (
        '{"Rule":"self \\u003e \\"\\u003c\\"","Message":"","MessageExpression":"","Reason":"FieldValueInvalid",'
        '"FieldPath":"","OptionalOldSelf":null}'
    )


def test_wrapped() -> None:
    """The wrapper is an object with one property."""
    inner = read_schema({"type": "string"})
    outer = module.wrapped("a", inner)

    assert outer.type == "object"
    assert outer.properties == {"a": inner}
