"""krmkit.libraries.schema.kubernetes.defaults and pruning: what is filled in, and what a schema does not name."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.cel.kubernetes.environment import KubeEnvironment
from krmkit.libraries.schema.kubernetes.defaults import check_defaults
from krmkit.libraries.schema.kubernetes.pruning import unknown_fields
from krmkit.libraries.schema.kubernetes.rules import RuleSet
from krmkit.libraries.schema.openapi import fill_defaults, read_schema

PROXY = {
    "type": "object",
    "properties": {
        "url": {"type": "string", "default": "https://example.com"},
        "port": {"type": "integer", "default": 0},
        "name": {"type": "string"},
    },
}
FILLED: list[tuple[str, dict[str, Any], object, object]] = [
    ("an absent field", PROXY, {}, {"url": "https://example.com", "port": 0}),
    ("a set field stays, even empty", PROXY, {"url": "", "port": 5}, {"url": "", "port": 5}),
    ("null counts as absent", PROXY, {"url": None, "port": 1}, {"url": "https://example.com", "port": 1}),
    (
        "null without a default stays",
        PROXY,
        {"url": "a", "port": 1, "name": None},
        {"url": "a", "port": 1, "name": None},
    ),
    (
        "null that is allowed stays",
        {"type": "object", "properties": {"a": {"type": "string", "nullable": True, "default": "b"}}},
        {"a": None},
        {"a": None},
    ),
    ("no object is made", {"type": "object", "properties": {"p": PROXY}}, {}, {}),
    (
        "a default has defaults inside",
        {"type": "object", "properties": {"p": {**PROXY, "default": {"name": "a"}}}},
        {},
        {"p": {"name": "a", "url": "https://example.com", "port": 0}},
    ),
    (
        "values of a map",
        {"type": "object", "additionalProperties": PROXY},
        {"k": {"url": "a"}},
        {"k": {"url": "a", "port": 0}},
    ),
    (
        "items of a list, null too",
        {"type": "array", "items": {"type": "string", "default": "x"}},
        [None, "a"],
        ["x", "a"],
    ),
    ("a scalar", {"type": "string", "default": "x"}, "a", "a"),
]


@pytest.mark.parametrize(
    ("schema", "value", "expected"), [row[1:] for row in FILLED], ids=[row[0] for row in FILLED]
)
def test_filled(schema: dict[str, Any], value: object, expected: object) -> None:
    """Values get the defaults that the API server fills in, and a second time nothing changes."""
    read = read_schema(schema)
    found = fill_defaults(read, value)

    assert found == expected
    assert fill_defaults(read, found) is found


def test_the_value_is_not_changed() -> None:
    """The result is another object where something was added, the same one where nothing was."""
    value: dict[str, Any] = {"a": {}, "b": {"url": "u", "port": 1}}
    schema = read_schema({"type": "object", "additionalProperties": PROXY})
    found = fill_defaults(schema, value)

    assert value == {"a": {}, "b": {"url": "u", "port": 1}}
    assert isinstance(found, dict)
    assert found["b"] is value["b"]


def defaults_of(schema: dict[str, Any]) -> list[str]:
    read = read_schema(schema)
    return [str(error) for error in check_defaults(read, "s", RuleSet(read, KubeEnvironment()))]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param({"type": "string", "default": "a"}, [], id="valid"),
        pytest.param(
            {"type": "string", "default": 1},
            ['s.default: Invalid value: "integer":  in body must be of type string: "integer"'],
            id="type",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}}, "default": {"b": 1}},
            ['s.default: Invalid value: {"b":1}: must not have unknown fields'],
            id="unknown",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "integer", "minimum": 1, "default": 0}},
            ["s.items.default: Invalid value: 0:  in body should be greater than or equal to 1"],
            id="items",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1, "default": 0}},
            [],
            id="map",
        ),
        pytest.param(
            {
                "type": "object",
                "properties": {
                    "a": {
                        "type": "integer",
                        "default": 0,
                        "x-kubernetes-validations": [{"rule": "self > oldSelf"}],
                    }
                },
            },
            ["s.properties[a].default: Invalid value: 0: failed rule: self > oldSelf"],
            id="rule",
        ),
    ],
)
def test_checked(schema: dict[str, Any], expected: list[str]) -> None:
    """A default must satisfy its schema and its rules; those of maps are not looked at."""
    assert defaults_of(schema) == expected


A = {"type": "object", "properties": {"a": {"type": "string"}}}
UNKNOWN: list[tuple[str, dict[str, Any], object, list[str]]] = [
    ("all known", A, {"a": "x"}, []),
    ("one unknown, and not what is in it", A, {"b": {"c": 1}}, ["b"]),
    ("names are exact", A, {"A": "x"}, ["A"]),
    ("inside a list", {"type": "array", "items": A}, [{"a": "x"}, {"b": 1}], ["[1].b"]),
    ("inside a map", {"type": "object", "additionalProperties": A}, {"k": {"b": 1}}, ["k.b"]),
    ("a map takes all keys", {"type": "object", "additionalProperties": {"type": "string"}}, {"k": 1}, []),
    ("an object without properties has no fields", {"type": "object"}, {"a": 1}, ["a"]),
    ("preserved", {**A, "x-kubernetes-preserve-unknown-fields": True}, {"b": {"c": 1}}, []),
    (
        "preserved, but not inside what is named",
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"p": A}},
        {"p": {"b": 1}, "q": {"r": 1}},
        ["p.b"],
    ),
    (
        "metadata of an embedded resource",
        {**A, "x-kubernetes-embedded-resource": True},
        {"kind": "K", "metadata": {"x": 1}, "b": 1},
        ["b"],
    ),
    ("a scalar", {"type": "string"}, "a", []),
]


@pytest.mark.parametrize(
    ("schema", "value", "expected"), [row[1:] for row in UNKNOWN], ids=[row[0] for row in UNKNOWN]
)
def test_unknown_fields(schema: dict[str, Any], value: object, expected: list[str]) -> None:
    """The fields that the API server would prune, by their paths."""
    assert unknown_fields(read_schema(schema), value) == expected
