"""krmkit.systems.clusterapi.variables.valuevalidation: values against their definitions."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from krmkit.systems.clusterapi.variables.definitions import Definitions
from krmkit.systems.clusterapi.variables.values import VariableValue, read_variables
from krmkit.systems.clusterapi.variables.valuevalidation import MAX_ERRORS, validate_variables


def definitions(required: bool = False, **schemas: dict[str, Any]) -> Definitions:
    return Definitions(
        [
            {
                "name": name,
                "definitions": [
                    {"from": "inline", "required": required, "schema": {"openAPIV3Schema": schema}}
                ],
            }
            for name, schema in schemas.items()
        ]
    )


def validate(schema: dict[str, Any], value: object, old: object = None) -> list[str]:
    values = read_variables([{"name": "a", "value": value}])
    old_values = read_variables([{"name": "a", "value": old}]) if old is not None else []
    errors = validate_variables(values, old_values, definitions(a=schema), "v", require=True)
    return [str(error) for error in errors]


OBJECT = {
    "type": "object",
    "properties": {
        "b": {"type": "string"},
        "l": {"type": "array", "items": {"type": "object", "properties": {"c": {"type": "string"}}}},
    },
}
CASES: list[tuple[str, dict[str, Any], object, list[str]]] = [
    ("a valid value", {"type": "string"}, "x", []),
    (
        "another type",
        {"type": "integer"},
        "1",
        ['v[a].value: Invalid value: "\\"1\\"": must be of type integer: "string"'],
    ),
    (
        "the whole value is shown",
        OBJECT,
        {"b": 1},
        ['v[a].value.b: Invalid value: "{\\"b\\":1}": b in body must be of type string: "integer"'],
    ),
    ("null", {"type": "string"}, None, ['v[a].value: Invalid value: "": must be of type string: "null"']),
    (
        "a required member",
        {"type": "object", "required": ["b"], "properties": {"b": {"type": "string"}}},
        {},
        ["v[a].value.b: Required value"],
    ),
    (
        "too many",
        {"type": "array", "maxItems": 1, "items": {"type": "integer"}},
        [1, 2],
        ['v[a].value: Too many: "[1,2]": must have at most 1 item'],
    ),
    (
        "unknown fields, all in one error",
        OBJECT,
        {"x": 1, "l": [{"c": "y"}, {"z": 1}]},
        [
            'v[a]: Invalid value: "{\\"l\\":[{\\"c\\":\\"y\\"},{\\"z\\":1}],\\"x\\":1}": failed validation: "l[1].z,x" field(s) are not'
            ' specified in the variable schema of variable "a"'
        ],
    ),
    (
        "unknown fields of a list",
        {"type": "array", "items": OBJECT},
        [{"x": 1}],
        [
            'v[a]: Invalid value: "[{\\"x\\":1}]": failed validation: "variableValue[0].x" field(s) are not specified'
            ' in the variable schema of variable "a"'
        ],
    ),
    (
        "rules come last",
        {**OBJECT, "x-kubernetes-validations": [{"rule": "self.b == 'x'", "fieldPath": ".b"}]},
        {"b": "y"},
        ['v[a].value.b: Invalid value: "{\\"b\\":\\"y\\"}": failed rule: self.b == \'x\''],
    ),
    (
        "a wrong type hides the rules",
        {**OBJECT, "x-kubernetes-validations": [{"rule": "false"}]},
        {"b": 1},
        ['v[a].value.b: Invalid value: "{\\"b\\":1}": b in body must be of type string: "integer"'],
    ),
]


@pytest.mark.parametrize(
    ("schema", "value", "expected"), [row[1:] for row in CASES], ids=[row[0] for row in CASES]
)
def test_cases(schema: dict[str, Any], value: object, expected: list[str]) -> None:
    """The errors are those of the webhook."""
    assert validate(schema, value) == expected


def test_old_values() -> None:
    """Rules see the value before, where there was one."""
    schema = {"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf"}]}

    assert validate(schema, 1) == []
    assert validate(schema, 1, 2) == ['v[a].value: Invalid value: "1": failed rule: self >= oldSelf']


def test_required() -> None:
    """Required variables must be set on the Cluster, not in overrides."""
    needed = definitions(True, a={"type": "string"}, b={"type": "string"})
    values = read_variables([{"name": "a", "value": "x"}])

    errors = validate_variables(values, [], needed, "v", require=True)
    assert [str(error) for error in errors] == ['v: Required value: required variable "b" must be set']
    assert validate_variables(values, [], needed, "v", require=False) == []


def test_the_list_comes_first() -> None:
    """Values that stand twice are reported alone."""
    values = [VariableValue("a", 1), VariableValue("a", 2), VariableValue("x", 1)]
    errors = validate_variables(values, [], definitions(a={"type": "integer"}), "v", require=True)

    assert [str(error) for error in errors] == [
        'v[a]: Invalid value: "2": variable "a" is set more than once'
    ]


def test_a_deep_value() -> None:
    """A value that nests without end is an error."""
    loop: list[Any] = []
    loop.append(loop)
    values = [VariableValue("a", loop, "[...]")]
    [error] = validate_variables(values, [], definitions(a={"type": "array"}), "v", require=True)

    assert error.detail == "must not nest deeper than 100 levels"


def test_a_large_value() -> None:
    """The errors of a large value are counted, and show its beginning only."""
    errors = validate({"type": "array", "items": {"type": "string", "maxLength": 1}}, ["xyz"] * 10_000)

    assert len(errors) == MAX_ERRORS + 1
    assert errors[-1].endswith('... (60,001 characters)": has 9,000 more errors')
    [unknown] = validate(
        {"type": "object", "properties": {"a": {"type": "string"}}}, {f"f{i}": 1 for i in range(2_000)}
    )
    assert "and 1,000 more" in unknown
    assert len(unknown) < 100_000


def test_work_grows_with_the_variables() -> None:
    """Twice the variables take twice the calls."""

    def calls(count: int) -> int:
        schemas: dict[str, Any] = {f"v{i}": {"type": "string", "maxLength": 9} for i in range(count)}
        known = definitions(**schemas)
        values = [VariableValue(f"v{i}", "x" * 10) for i in range(count)]
        seen = 0

        def count_calls(_frame: object, event: str, _argument: object) -> None:
            nonlocal seen
            seen += event in ("call", "c_call")

        sys.setprofile(count_calls)
        try:
            errors = validate_variables(values, values, known, "v", require=True)
        finally:
            sys.setprofile(None)
        assert len(errors) == count
        return seen

    assert calls(800) < 2.2 * calls(400)
