"""krmkit.libraries.schema.kubernetes.structural: what Kubernetes refuses of a schema."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.schema.kubernetes.structural import check_structural
from krmkit.libraries.schema.openapi import read_schema


def problems(property_: dict[str, Any]) -> list[str]:
    """The errors of a schema with one property `a`, without the path up to it."""
    schema = read_schema({"type": "object", "properties": {"a": property_}})
    return [str(error).removeprefix("s.properties[a]") for error in check_structural(schema, "s")]


INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
EMPTY = "must be empty to be structural"
CASES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("a plain type", {"type": "string"}, []),
    ("no type", {}, [".type: Required value: must not be empty for specified object fields"]),
    ("preserved fields need no type", {"x-kubernetes-preserve-unknown-fields": True}, []),
    (
        "no type of items",
        {"type": "array", "items": {}},
        [".items.type: Required value: must not be empty for specified array items"],
    ),
    ("no items", {"type": "array"}, [".items: Required value: must be specified"]),
    (
        "no type of map values",
        {"type": "object", "additionalProperties": {}},
        [".additionalProperties.type: Required value: must not be empty for specified object fields"],
    ),
    ("int or string, anyOf", {"x-kubernetes-int-or-string": True, "anyOf": INT_OR_STRING}, []),
    ("int or string, allOf", {"x-kubernetes-int-or-string": True, "allOf": [{"anyOf": INT_OR_STRING}]}, []),
    (
        "int or string, more than types",
        {
            "x-kubernetes-int-or-string": True,
            "anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}],
        },
        [f".anyOf[0].type: Forbidden: {EMPTY}", f".anyOf[1].type: Forbidden: {EMPTY}"],
    ),
    (
        "int or string that preserves",
        {"x-kubernetes-int-or-string": True, "x-kubernetes-preserve-unknown-fields": True},
        [
            ".x-kubernetes-preserve-unknown-fields: Invalid value: true:"
            " must be false if x-kubernetes-int-or-string is true"
        ],
    ),
    (
        "type in allOf",
        {"type": "string", "allOf": [{"type": "string"}]},
        [f".allOf[0].type: Forbidden: {EMPTY}"],
    ),
    (
        "everything that a junctor may not say",
        {
            "type": "object",
            "not": {
                "default": 1,
                "title": "t",
                "description": "d",
                "nullable": True,
                "additionalProperties": {"type": "string"},
                "x-kubernetes-preserve-unknown-fields": True,
                "x-kubernetes-int-or-string": True,
                "x-kubernetes-embedded-resource": True,
                "x-kubernetes-list-type": "set",
                "x-kubernetes-list-map-keys": ["a"],
                "x-kubernetes-map-type": "atomic",
                "x-kubernetes-validations": [{"rule": "true"}],
            },
        },
        [
            ".not.additionalProperties: Forbidden: must be undefined to be structural",
            ".not.default: Forbidden: must be undefined to be structural",
            f".not.description: Forbidden: {EMPTY}",
            ".not.nullable: Forbidden: must be false to be structural",
            f".not.title: Forbidden: {EMPTY}",
            ".not.x-kubernetes-embedded-resource: Forbidden: must be false to be structural",
            ".not.x-kubernetes-int-or-string: Forbidden: must be false to be structural",
            f".not.x-kubernetes-list-map-keys: Forbidden: {EMPTY}",
            ".not.x-kubernetes-list-type: Forbidden: must be undefined to be structural",
            ".not.x-kubernetes-map-type: Forbidden: must be undefined to be structural",
            ".not.x-kubernetes-preserve-unknown-fields: Forbidden: must be false to be structural",
            f".not.x-kubernetes-validations: Forbidden: {EMPTY}",
        ],
    ),
    (
        "metadata in a junctor",
        {
            "type": "object",
            "properties": {"metadata": {"type": "object"}},
            "allOf": [{"properties": {"metadata": {}}}],
        },
        [".allOf[0].properties[metadata]: Forbidden: must not be specified in a nested context"],
    ),
    (
        "embedded resource of another type",
        {
            "type": "string",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
        ['.type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true'],
    ),
    (
        "embedded resource without properties",
        {"type": "object", "x-kubernetes-embedded-resource": True},
        [
            ".properties: Required value: must not be empty if x-kubernetes-embedded-resource is true"
            " without x-kubernetes-preserve-unknown-fields"
        ],
    ),
    (
        "embedded resource with a kind that is not text",
        {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "properties": {"kind": {"type": "integer"}, "metadata": {"type": "object"}},
        },
        ['.properties[kind].type: Invalid value: "integer": must be string'],
    ),
]


@pytest.mark.parametrize(("schema", "expected"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_cases(schema: dict[str, Any], expected: list[str]) -> None:
    """The errors have the paths and texts of Kubernetes, sorted."""
    assert problems(schema) == expected


def test_pattern() -> None:
    """A pattern that is no RE2 is an error."""
    [error] = problems({"type": "string", "pattern": "(?=a)"})

    assert error.startswith(
        '.pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn\'t: '
    )


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, ["s.type: Required value: must not be empty at the root"]),
        ({"type": "string"}, ['s.type: Invalid value: "string": must be object at the root']),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            ["s.additionalProperties: Forbidden: must not be used at the root"],
        ),
        (
            {"type": "object", "properties": {"apiVersion": {"type": "integer"}}},
            ['s.properties[apiVersion].type: Invalid value: "integer": must be string'],
        ),
        (
            {"type": "object", "oneOf": [{"properties": {"b": {"minimum": 1}}}]},
            ["s.properties[b]: Required value: because it is defined in s.oneOf[0].properties[b]"],
        ),
        (
            {"type": "object", "anyOf": [{"items": {"minimum": 1}}]},
            ["s.items: Required value: because it is defined in s.anyOf[0].items"],
        ),
    ],
    ids=["no type", "no object", "map", "apiVersion", "property of a junctor", "items of a junctor"],
)
def test_root(schema: dict[str, Any], expected: list[str]) -> None:
    """The root is an object with properties."""
    assert [str(error) for error in check_structural(read_schema(schema), "s")] == expected
