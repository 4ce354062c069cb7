"""krmkit.systems.clusterapi.variables.cluster: defaults of the Cluster's variables and of overrides."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.systems.clusterapi.variables.cluster import default_variable, default_variables
from krmkit.systems.clusterapi.variables.definitions import Definitions
from krmkit.systems.clusterapi.variables.values import read_variables


def definitions(**schemas: dict[str, Any]) -> Definitions:
    return Definitions(
        [
            {"name": name, "definitions": [{"from": "inline", "schema": {"openAPIV3Schema": schema}}]}
            for name, schema in schemas.items()
        ]
    )


PROXY = {
    "type": "object",
    "properties": {"url": {"type": "string", "default": "u"}, "on": {"type": "boolean", "default": False}},
}
CASES: list[
    tuple[str, dict[str, dict[str, Any]], list[tuple[str, object]], bool, list[tuple[str, object]]]
] = [
    ("what is absent is made", {"a": {"type": "integer", "default": 1}}, [], True, [("a", 1)]),
    ("without a default nothing is made", {"a": {"type": "integer"}}, [], True, []),
    ("nested defaults make no variable", {"a": PROXY}, [], True, []),
    ("an override is not made", {"a": {"type": "integer", "default": 1}}, [], False, []),
    ("a value is filled in", {"a": PROXY}, [("a", {"url": "x"})], True, [("a", {"url": "x", "on": False})]),
    ("so is an override", {"a": PROXY}, [("a", {})], False, [("a", {"url": "u", "on": False})]),
    ("null gets the default", {"a": {"type": "integer", "default": 1}}, [("a", None)], True, [("a", 1)]),
    ("null without a default stays", {"a": {"type": "integer"}}, [("a", None)], True, [("a", None)]),
    ("empty values are values", {"a": {"type": "string", "default": "x"}}, [("a", "")], True, [("a", "")]),
    (
        "values keep their order, new ones follow in that of the definitions",
        {
            "a": {"type": "integer", "default": 1},
            "b": {"type": "integer"},
            "c": {"type": "integer", "default": 3},
        },
        [("c", 9), ("b", 8)],
        True,
        [("c", 9), ("b", 8), ("a", 1)],
    ),
    (
        "a default has defaults inside",
        {"a": {**PROXY, "default": {"url": "d"}}},
        [],
        True,
        [("a", {"url": "d", "on": False})],
    ),
]


@pytest.mark.parametrize(
    ("schemas", "values", "create", "expected"), [row[1:] for row in CASES], ids=[row[0] for row in CASES]
)
def test_cases(
    schemas: dict[str, dict[str, Any]],
    values: list[tuple[str, object]],
    create: bool,
    expected: list[tuple[str, object]],
) -> None:
    """A list of values becomes what the webhook makes of it, and stays so."""
    data = [{"name": name, "value": value} for name, value in values]
    found, errors = default_variables(read_variables(data), definitions(**schemas), "v", create=create)

    assert not errors
    assert [(variable.name, variable.value) for variable in found] == expected
    again, errors = default_variables(found, definitions(**schemas), "v", create=create)
    assert not errors
    assert [(variable.name, variable.value) for variable in again] == expected


@pytest.mark.parametrize(("create", "value"), [(True, 1), (False, None)])
def test_one_absent_value(create: bool, value: object) -> None:
    """A single variable is made only where that is asked for."""
    definition = definitions(a={"type": "integer", "default": 1}).by_name["a"]
    found, errors = default_variable(None, definition, "v", create=create)

    assert not errors
    assert (found.value if found is not None else None) == value


def test_undefined() -> None:
    """All undefined variables are named, and there are no values then."""
    values = read_variables([{"name": "x", "value": 1}, {"name": "a", "value": 1}, {"name": "y"}])
    found, errors = default_variables(values, definitions(a={"type": "integer"}), "v", create=True)

    assert found == []
    assert [str(error) for error in errors] == [
        'v[x]: Invalid value: "1": variable is not defined',
        'v[y]: Invalid value: "": variable is not defined',
    ]


def test_a_class_that_cannot_be_used() -> None:
    """Conflicts and missing definitions name all variables of the class."""
    broken = Definitions(
        [
            {"name": "a", "definitionsConflict": True, "definitions": [{"from": "inline"}]},
            {"name": "b"},
            {
                "name": "c",
                "definitions": [{"from": "inline", "schema": {"openAPIV3Schema": {"type": "string"}}}],
            },
        ]
    )
    _, [error] = default_variables([], broken, "v", create=True)

    assert str(error) == (
        'v: Invalid value: "[Name: a,Name: b,Name: c]": variable definitions in the ClusterClass not valid: '
        '[variable "a" has conflicting definitions, variable "b" has no definitions]'
    )


def test_a_schema_that_cannot_be_read() -> None:
    """It is an error of the variable, no crash."""
    _, [error] = default_variables(
        read_variables([{"name": "a", "value": 1}]), definitions(a={"type": 3}), "v", create=True
    )

    assert str(error).startswith('v[a]: Internal error: failed to convert schema definition for variable "a"')
