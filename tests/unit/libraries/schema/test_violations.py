"""Tests of krmkit.libraries.schema.violations and krmkit.libraries.messages.nearest: every violation at once, each with its path."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.json.paths import join
from krmkit.libraries.messages.nearest import did_you_mean, nearest
from krmkit.libraries.schema.openapi import read_schema
from krmkit.libraries.schema.unsupported import unsupported
from krmkit.libraries.schema.violations import validate
from krmkit.libraries.schema.violationtexts import describe

ORDER: dict[str, Any] = {
    "type": "object",
    "required": ["dish"],
    "properties": {
        "dish": {"type": "string", "minLength": 1},
        "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
        "price": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
        "hot": {"type": "boolean"},
        "size": {"type": "string", "enum": ["small", "large"]},
        "code": {"type": "string", "pattern": "^[a-z]+$"},
        "pin": {"type": "string", "format": "password", "pattern": "^[0-9]{4}$"},
        "port": {"x-kubernetes-int-or-string": True},
        "note": {"type": "string", "nullable": True},
        "extras": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string"}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "free": {"type": "object"},
        "open": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {"known": {"type": "string"}},
        },
        "any": {"x-kubernetes-preserve-unknown-fields": True},
        "sides": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "grams": {"type": "integer", "default": 100}},
            },
        },
    },
}


def violations(data: object) -> list[str]:
    return [str(violation) for violation in validate(read_schema(ORDER), data, "spec")[1]]


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("minimal", {"dish": "soup"}, []),
        ("required", {}, ["spec.dish: is required: a string"]),
        (
            "required in a list",
            {"dish": "soup", "sides": [{}]},
            ["spec.sides[0].name: is required: a string"],
        ),
        (
            "required beats null",
            {"dish": None},
            ["spec.dish: must be a string, not empty (null); leave the key out to say nothing"],
        ),
        (
            "unknown, with the nearest name",
            {"dish": "soup", "cuont": 2},
            ['spec.cuont: unknown field "cuont"; did you mean "count"?'],
        ),
        (
            "unknown in a list",
            {"dish": "soup", "sides": [{"name": "rice"}, {"nmae": "rice"}]},
            [
                'spec.sides[1].nmae: unknown field "nmae"; did you mean "name"?',
                "spec.sides[1].name: is required: a string",
            ],
        ),
        (
            "unknown beside the one that was meant",
            {"dish": "soup", "dishs": "soups", "sides": [{"name": "rice", "weight": 1}]},
            [
                'spec.dishs: unknown field "dishs"; did you mean "dish"?',
                'spec.sides[0].weight: unknown field "weight"; known: name, grams',
            ],
        ),
        ("string", {"dish": 12}, ["spec.dish: must be a string, not an integer; put it in quotes"]),
        ("string given a bool", {"dish": True}, ["spec.dish: must be a string, not true; put it in quotes"]),
        ("string given a list", {"dish": ["soup"]}, ["spec.dish: must be a string, not a list"]),
        (
            "integer given text",
            {"dish": "soup", "count": "2"},
            ["spec.count: must be an integer, not a string; without quotes"],
        ),
        (
            "integer given words",
            {"dish": "soup", "count": "two"},
            ["spec.count: must be an integer, not a string"],
        ),
        (
            "integer given a fraction",
            {"dish": "soup", "count": 1.5},
            ["spec.count: must be an integer, not a number"],
        ),
        (
            "integer given a bool",
            {"dish": "soup", "count": True},
            ["spec.count: must be an integer, not true"],
        ),
        ("integer as a whole float", {"dish": "soup", "count": 3.0}, []),
        ("minimum", {"dish": "soup", "count": 0}, ["spec.count: must be at least 1"]),
        ("maximum", {"dish": "soup", "count": 10}, ["spec.count: must be at most 9"]),
        ("number", {"dish": "soup", "price": 3}, []),
        ("exclusive minimum", {"dish": "soup", "price": 0}, ["spec.price: must be more than 0"]),
        (
            "number given infinity",
            {"dish": "soup", "price": float("inf")},
            ["spec.price: must be a number, not an infinite number"],
        ),
        (
            "number given nan",
            {"dish": "soup", "price": float("nan")},
            ["spec.price: must be a number, not not-a-number"],
        ),
        (
            "boolean given text",
            {"dish": "soup", "hot": "true"},
            ["spec.hot: must be true or false, not a string; without quotes"],
        ),
        (
            "boolean given one",
            {"dish": "soup", "hot": 1},
            ["spec.hot: must be true or false, not an integer"],
        ),
        (
            "enum",
            {"dish": "soup", "size": "smal"},
            ['spec.size: must be one of small, large, not "smal"; did you mean "small"?'],
        ),
        (
            "enum given something long",
            {"dish": "soup", "size": "s" * 65},
            ["spec.size: must be one of small, large"],
        ),
        (
            "enum given null",
            {"dish": "soup", "size": None},
            ["spec.size: must be one of small, large, not empty (null); leave the key out to say nothing"],
        ),
        ("pattern", {"dish": "soup", "code": "A1"}, ["spec.code: must match the pattern ^[a-z]+$"]),
        ("int or string: int", {"dish": "soup", "port": 80}, []),
        ("int or string: string", {"dish": "soup", "port": "80%"}, []),
        (
            "int or string: bool",
            {"dish": "soup", "port": True},
            ["spec.port: must be an integer or a string, not true"],
        ),
        (
            "int or string: null",
            {"dish": "soup", "port": None},
            ["spec.port: must be an integer or a string, not empty (null); leave the key out to say nothing"],
        ),
        ("nullable", {"dish": "soup", "note": None}, []),
        ("null for a default", {"dish": "soup", "count": None}, []),
        (
            "list given a map",
            {"dish": "soup", "extras": {"a": 1}},
            ["spec.extras: must be a list, not a map"],
        ),
        ("empty list", {"dish": "soup", "extras": []}, ["spec.extras: must not be empty"]),
        (
            "long list",
            {"dish": "soup", "extras": ["a", "b", "c"]},
            ["spec.extras: must have at most 2 entries, not 3"],
        ),
        (
            "entries",
            {"dish": "soup", "extras": ["a", 1]},
            ["spec.extras[1]: must be a string, not an integer; put it in quotes"],
        ),
        ("empty text", {"dish": ""}, ["spec.dish: must not be empty"]),
        (
            "additional properties",
            {"dish": "soup", "labels": {"x.y/z": 1}},
            ['spec.labels."x.y/z": must be a string, not an integer; put it in quotes'],
        ),
        ("a map without named fields is open", {"dish": "soup", "free": {"a": [1]}}, []),
        ("unknown fields preserved", {"dish": "soup", "open": {"known": "x", "other": 1}}, []),
        (
            "known fields of an open map",
            {"dish": "soup", "open": {"known": 1}},
            ["spec.open.known: must be a string, not an integer; put it in quotes"],
        ),
        ("anything", {"dish": "soup", "any": [None, {"a": 1}]}, []),
        ("not a map at all", ["soup"], ["spec: must be a map, not a list"]),
        (
            "all at once, in the order of the data",
            {"size": 1, "extra": 1, "hot": "no"},
            [
                "spec.size: must be one of small, large, not an integer; put it in quotes",
                'spec.extra: unknown field "extra"; did you mean "extras"?',
                "spec.hot: must be true or false, not a string",
                "spec.dish: is required: a string",
            ],
        ),
    ],
)
def test_violations(name: str, data: object, expected: list[str]) -> None:
    """Each rule of the schema speaks for itself, with the path of the place."""
    assert violations(data) == expected, name


@pytest.mark.parametrize(("data", "shown"), [(3, ", not 3"), (True, ", not true"), ([], "")])
def test_enum_of_numbers(data: object, shown: str) -> None:
    """What stands there is said as YAML writes it; a list is not."""
    (violation,) = validate(read_schema({"enum": [1, 2]}), data)[1]

    assert violation.message == f"must be one of 1, 2{shown}"


def test_defaults_are_filled_into_a_copy() -> None:
    """Defaults appear in the copy, inside lists too; the data given stays as it was, and so does the schema."""
    data = {"dish": "soup", "count": None, "sides": [{"name": "rice"}]}

    checked, found = validate(read_schema(ORDER), data)

    assert not found
    assert checked == {"dish": "soup", "count": 1, "sides": [{"name": "rice", "grams": 100}]}
    assert data == {"dish": "soup", "count": None, "sides": [{"name": "rice"}]}


@pytest.mark.parametrize("data", [{}, {"names": None}])
def test_a_default_is_never_shared(data: dict[str, Any]) -> None:
    """Two documents never share the list of one default."""
    schema = {"type": "object", "properties": {"names": {"type": "array", "default": []}}}

    read = read_schema(schema)
    first, second = validate(read, data)[0], validate(read, data)[0]
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    first["names"].append("x")

    assert second == {"names": []}
    assert schema["properties"]["names"]["default"] == []  # type: ignore[index]


def test_whole_floats_become_integers() -> None:
    """3.0 where an integer is asked for is 3, as in Kubernetes."""
    checked, _ = validate(read_schema(ORDER), {"dish": "soup", "count": 3.0})

    assert isinstance(checked, dict)
    assert type(checked["count"]) is int


def test_secrets_are_not_shown() -> None:
    """A value whose format is password is in no violation, neither as text nor as the current value."""
    for pin in ("12x4", 98765, "smal"):
        (violation,) = validate(read_schema(ORDER), {"dish": "soup", "pin": pin})[1]

        assert str(pin) not in str(violation)
        assert violation.current is None


def test_current_value() -> None:
    """Scalars that break a rule travel with the violation."""
    (violation,) = validate(read_schema(ORDER), {"dish": "soup", "count": 12})[1]

    assert violation.current == 12


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("pack", "spec.pack"),
        ("a.b", 'spec."a.b"'),
        ("", 'spec.""'),
        ('a"b', 'spec."a\\"b"'),
        ("a[0]", 'spec."a[0]"'),
    ],
)
def test_join(key: str, expected: str) -> None:
    """Keys that would be misread inside a path stand in quotes."""
    assert join("spec", key) == expected


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("prests", ["pack", "presets"], "presets"),
        ("writemarker", ["writeMarker"], "writeMarker"),
        ("write-marker", ["writeMarker"], "writeMarker"),
        ("pakc", ["pack"], "pack"),
        ("pack", ["packs", "pack"], "pack"),
        ("colour", ["pack", "presets"], None),
        ("x", ["y"], "y"),
        ("x" * 100, ["x" * 99], None),
        ("anything", [], None),
    ],
)
def test_nearest(name: str, known: list[str], expected: str | None) -> None:
    """A typing error finds its name, a strange name finds none."""
    assert nearest(name, known) == expected


def test_did_you_mean_lists_what_is_known() -> None:
    """With nothing near, the known names are listed; without known names nothing is said."""
    assert did_you_mean("colour", ["pack", "presets"]) == "; known: pack, presets"
    assert did_you_mean("colour", []) == ""


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (ORDER, []),
        ({"type": "object", "patternProperties": {}}, ["patternProperties: unknown keyword"]),
        ({"type": "objekt"}, ["type: unknown type 'objekt'"]),
        (
            {"type": "array", "items": {"minimum": 1}},
            ["items: neither a type nor x-kubernetes-preserve-unknown-fields"],
        ),
        (
            {"type": "object", "required": ["b"], "properties": {"a": {"type": "string", "minimun": 1}}},
            ["properties.a.minimun: unknown keyword", "required: 'b' is not a property"],
        ),
    ],
)
def test_unsupported(schema: dict[str, Any], expected: list[str]) -> None:
    """A keyword that would be ignored is named."""
    assert unsupported(schema) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "empty (null)"),
        (False, "false"),
        (1, "an integer"),
        (1.5, "a number"),
        ("x", "a string"),
        ([], "a list"),
        ({}, "a map"),
    ],
)
def test_describe(value: object, expected: str) -> None:
    """Values are named in YAML's words."""
    assert describe(value) == expected


def test_one_violation_at_each_place() -> None:
    """A value of a wrong type is not told as well that it is missing in the enum, or below the minimum."""
    schema = read_schema({"type": "integer", "minimum": 3, "enum": [3, 4]})

    found = validate(schema, 1.5, "spec.count")[1]

    assert [str(violation) for violation in found] == ["spec.count: must be one of 3, 4, not a number"]


def test_what_is_no_whole_number_that_a_float_holds_stays() -> None:
    """Infinity and numbers beyond 2**53 are not made integers."""
    for number in (1e300, float("inf"), 1.5):
        assert validate(read_schema({"type": "integer"}), number)[0] is number
