"""krmkit.libraries.schema.kubernetes.values: errors with the texts and paths of kube-openapi."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.schema.kubernetes.values import validate_value
from krmkit.libraries.schema.openapi import read_schema

S = {"type": "string"}
I = {"type": "integer"}  # noqa: E741 - one letter for each type
CASES: list[tuple[str, dict[str, Any], object, list[str]]] = [
    ("a fitting type", S, "a", []),
    ("another type", S, 1, ['v: Invalid value: "integer":  in body must be of type string: "integer"']),
    ("null", S, None, ['v: Invalid value: "null":  in body must be of type string: "null"']),
    ("null where it may be", {"type": "string", "nullable": True}, None, []),
    ("no type takes all", {}, [1], []),
    ("a whole float is an integer", I, 3.0, []),
    ("an integer is a number", {"type": "number"}, 3, []),
    (
        "a fraction is no integer",
        I,
        1.5,
        [
            'v: Invalid value: "number":  in body must be of type integer: "number"',
            'v: Invalid value: "": Checked value must be of type integer (default format) in ',
        ],
    ),
    (
        "more than 64 bits",
        I,
        1e20,
        ['v: Invalid value: "": Checked value must be of type integer (default format) in '],
    ),
    (
        "a boolean is not a number",
        {"type": "number"},
        True,
        ['v: Invalid value: "boolean":  in body must be of type number: "boolean"'],
    ),
    (
        "too large",
        {**I, "maximum": 10},
        99,
        ["v: Invalid value: 99:  in body should be less than or equal to 10"],
    ),
    (
        "exactly the exclusive maximum",
        {**I, "maximum": 10, "exclusiveMaximum": True},
        10,
        ["v: Invalid value: 10:  in body should be less than 10"],
    ),
    (
        "too small",
        {**I, "minimum": 1},
        0,
        ["v: Invalid value: 0:  in body should be greater than or equal to 1"],
    ),
    (
        "exactly the exclusive minimum",
        {**I, "minimum": 1, "exclusiveMinimum": True},
        1,
        ["v: Invalid value: 1:  in body should be greater than 1"],
    ),
    (
        "a float shows a float limit",
        {"type": "number", "maximum": 1000000},
        1e7,
        ["v: Invalid value: 1e+07:  in body should be less than or equal to 1e+06"],
    ),
    ("no multiple", {**I, "multipleOf": 3}, 4, ["v: Invalid value: 4:  in body should be a multiple of 3"]),
    (
        "of several alternatives the one whose type fits is told",
        {"anyOf": [S, {**I, "minimum": 5}]},
        3,
        [
            'v: Invalid value: "": "" must validate at least one schema (anyOf)',
            "v: Invalid value: 3:  in body should be greater than or equal to 5",
        ],
    ),
    ("too long", {**S, "maxLength": 2}, "äöü", ["v: Too long: may not be more than 2 bytes"]),
    (
        "too short",
        {**S, "minLength": 2},
        "a",
        ['v: Invalid value: "a":  in body should be at least 2 chars long'],
    ),
    ("a pattern is not anchored", {**S, "pattern": "b"}, "abc", []),
    ("no match", {**S, "pattern": "^b"}, "abc", ["v: Invalid value: \"abc\":  in body should match '^b'"]),
    (
        "not in the enum",
        {**S, "enum": ["a", "b"]},
        "c",
        ['v: Unsupported value: "c": supported values: "a", "b"'],
    ),
    (
        "objects in an enum",
        {"type": "object", "enum": [{"a": 1}]},
        {"a": 2},
        ['v: Unsupported value: {"a":2}: supported values: "{\\"a\\":1}"'],
    ),
    ("a number of an enum in its other form", {"type": "number", "enum": [1]}, 1.0, []),
    ("true is not 1", {"enum": [1]}, True, ['v: Unsupported value: true: supported values: "1"']),
    (
        "a member of a list",
        {"type": "array", "items": S},
        ["a", 1],
        ['v.[1]: Invalid value: "integer": [1] in body must be of type string: "integer"'],
    ),
    (
        "too few items",
        {"type": "array", "minItems": 2},
        [1],
        ["v: Invalid value: 1:  in body should have at least 2 items"],
    ),
    (
        "too many items",
        {"type": "array", "maxItems": 1},
        [1, 2],
        ["v: Too many: 2: must have at most 1 item"],
    ),
    (
        "duplicates",
        {"type": "array", "uniqueItems": True},
        [{"a": [1]}, {"a": [1]}],
        ['v: Invalid value: "":  in body shouldn\'t contain duplicates'],
    ),
    ("1 and true are no duplicates", {"type": "array", "uniqueItems": True}, [1, True, 1.5], []),
    (
        "members of an object",
        {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": S}}}},
        {"a": {"b": 1}},
        ['v.a.b: Invalid value: "integer": a.b in body must be of type string: "integer"'],
    ),
    (
        "values of a map",
        {"type": "object", "additionalProperties": S},
        {"k": 1},
        ['v.k: Invalid value: "integer": .k in body must be of type string: "integer"'],
    ),
    (
        "no other fields",
        {"type": "object", "properties": {"a": S}, "additionalProperties": False},
        {"b": 1},
        ['v: Invalid value: "b": .b in body is a forbidden property'],
    ),
    ("unknown fields are no matter of validation", {"type": "object", "properties": {"a": S}}, {"b": 1}, []),
    ("a required field", {"type": "object", "required": ["a"]}, {}, ["v.a: Required value"]),
    ("null is there", {"type": "object", "required": ["a"]}, {"a": None}, []),
    (
        "too few properties, and nothing else",
        {"type": "object", "minProperties": 1, "required": ["a"]},
        {},
        ["v: Invalid value: 0:  in body should have at least 1 properties"],
    ),
    (
        "too many properties",
        {"type": "object", "maxProperties": 1},
        {"a": 1, "b": 2},
        ["v: Too many: 2: must have at most 1 item"],
    ),
    (
        "allOf",
        {"type": "object", "allOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"a": 1},
        ["v.b: Required value", 'v: Invalid value: "": "" must validate all the schemas (allOf)'],
    ),
    (
        "allOf, none",
        {"type": "object", "allOf": [{"required": ["a"]}]},
        {},
        [
            "v.a: Required value",
            'v: Invalid value: "": "" must validate all the schemas (allOf). None validated',
        ],
    ),
    (
        "anyOf reports the alternative that went furthest",
        {
            "type": "object",
            "anyOf": [{"required": ["a"]}, {"properties": {"c": {"minimum": 1}}, "required": ["b"]}],
        },
        {"c": 2},
        ['v: Invalid value: "": "" must validate at least one schema (anyOf)', "v.b: Required value"],
    ),
    (
        "anyOf, one fits",
        {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"b": 1},
        [],
    ),
    (
        "oneOf, two fit",
        {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"a": 1, "b": 1},
        [
            'v: Invalid value: "": "" must validate one and only one schema (oneOf). Found 2 valid alternatives'
        ],
    ),
    (
        "oneOf, none fits",
        {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {},
        [
            'v: Invalid value: "": "" must validate one and only one schema (oneOf). Found none valid',
            "v.a: Required value",
        ],
    ),
    (
        "not",
        {"type": "object", "not": {"required": ["a"]}},
        {"a": 1},
        ['v: Invalid value: "": "" must not validate the schema (not)'],
    ),
    ("a format", {**S, "format": "ipv4"}, "x", ['v: Invalid value: "x":  in body must be of type ipv4: "x"']),
    (
        "a format and another type",
        {**S, "format": "ipv4"},
        1,
        ['v: Invalid value: "int64":  in body must be of type ipv4: "int64"'],
    ),
    (
        "a format and a boolean",
        {**S, "format": "ipv4"},
        True,
        ['v: Invalid value: "":  in body must be of type ipv4: ""'],
    ),
    ("formats of fractions do not count", {"type": "number", "format": "float"}, 1e300, []),
    ("an int32", {**I, "format": "int32"}, (1 << 31) - 1, []),
    (
        "an integer beyond int32",
        {**I, "format": "int32"},
        1 << 40,
        ['v: Invalid value: "": Checked value must be of type integer with format int32 in '],
    ),
    (
        "an int32 whose maximum is that of a uint32 has no valid value",
        {"type": "object", "properties": {"asn": {**I, "format": "int32", "maximum": 4294967295}}},
        {"asn": 64512},
        ['v: Invalid value: "": Maximum boundary value must be of type integer with format int32 in asn'],
    ),
    (
        "a minimum below int64",
        {**I, "format": "int64", "minimum": -1e19},
        1,
        ['v: Invalid value: "": Minimum boundary value must be of type integer with format int64 in '],
    ),
]


@pytest.mark.parametrize(
    ("schema", "value", "expected"), [row[1:] for row in CASES], ids=[row[0] for row in CASES]
)
def test_cases(schema: dict[str, Any], value: object, expected: list[str]) -> None:
    """A value has the errors that the API server reports."""
    assert [str(error) for error in validate_value(read_schema(schema), value, "v")] == expected


def test_all_formats() -> None:
    """The check of defaults also knows the formats of numbers."""
    schema = read_schema({"type": "integer", "format": "int32"})

    [error] = validate_value(schema, 1 << 40, "v", all_formats=True)
    assert error.detail == "Checked value must be of type integer with format int32 in "


def test_a_pattern_cannot_hang() -> None:
    """Patterns are RE2: what makes others backtrack is linear here."""
    schema = read_schema({"type": "string", "pattern": "^(a+)+$"})

    assert validate_value(schema, "a" * 100_000 + "!", "v")
