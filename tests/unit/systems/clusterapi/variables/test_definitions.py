"""krmkit.systems.clusterapi.variables.definitions: status.variables of a ClusterClass."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.systems.clusterapi.api.errors import DefinitionsError
from krmkit.systems.clusterapi.variables.definitions import Definitions, differing, status_variables


def variable(name: str, **more: Any) -> dict[str, Any]:
    schema = more.pop("schema", {"type": "string"})
    return {"name": name, "schema": {"openAPIV3Schema": schema}, **more}


def cluster_class(*variables: dict[str, Any]) -> dict[str, Any]:
    return {
        "metadata": {"name": "class1"},
        "spec": {
            "variables": list(variables),
            "patches": [{"name": "inline1"}, {"name": "p1"}, {"name": "p2"}],
        },
    }


def test_inline() -> None:
    """Definitions are sorted by name and say where they come from."""
    found = status_variables(cluster_class(variable("b", required=True), variable("a")))

    assert [entry["name"] for entry in found] == ["a", "b"]
    assert found[1] == {
        "name": "b",
        "definitionsConflict": False,
        "definitions": [
            {"from": "inline", "required": True, "schema": {"openAPIV3Schema": {"type": "string"}}}
        ],
    }


def test_discovered() -> None:
    """Discovered definitions follow in the order of the patches."""
    discovered = {"p2": [variable("a"), variable("c")], "p1": [variable("a")]}
    found = status_variables(cluster_class(variable("a")), discovered)

    assert [[d["from"] for d in entry["definitions"]] for entry in found] == [["inline", "p1", "p2"], ["p2"]]
    definitions = Definitions(found)
    assert definitions.by_name["a"].sources == ("inline", "p1", "p2")


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        pytest.param({}, {}, False, id="equal"),
        pytest.param({"required": True}, {}, True, id="required"),
        pytest.param({"required": False}, {}, False, id="required-false"),
        pytest.param({"schema": {"type": "integer"}}, {}, True, id="type"),
        pytest.param(
            {
                "schema": {
                    "type": "object",
                    "properties": {"a": {"type": "array", "items": {"type": "string"}, "uniqueItems": False}},
                }
            },
            {
                "schema": {
                    "type": "object",
                    "properties": {"a": {"type": "array", "items": {"type": "string"}}},
                }
            },
            False,
            id="explicit-false",
        ),
        pytest.param(
            {"schema": {"type": "object", "default": {"uniqueItems": False}}},
            {"schema": {"type": "object", "default": {}}},
            True,
            id="false-in-a-value",
        ),
        pytest.param(
            {"schema": {"type": "number", "maximum": 1.0}},
            {"schema": {"type": "number", "maximum": 1}},
            False,
            id="number",
        ),
        pytest.param({"deprecatedV1Beta1Metadata": {"labels": {"a": "b"}}}, {}, True, id="metadata"),
    ],
)
def test_conflicts(one: dict[str, Any], other: dict[str, Any], conflict: bool) -> None:
    """Definitions of one name must say the same."""
    given = cluster_class(variable("a", **one))
    if conflict:
        with pytest.raises(DefinitionsError) as caught:
            status_variables(given, {"p1": [variable("a", **other)]})
        assert str(caught.value) == (
            "failed to discover variables for ClusterClass class1: the following variables have conflicting schemas: a"
        )
    else:
        assert len(status_variables(given, {"p1": [variable("a", **other)]})) == 1


def test_discovered_definitions_are_checked() -> None:
    """The path names the patch."""
    with pytest.raises(DefinitionsError) as caught:
        status_variables(cluster_class(), {"p1": [variable("builtin")]})

    assert str(caught.value) == (
        "failed to discover variables for ClusterClass class1: p1.variables[builtin].name: "
        'Invalid value: "builtin": "builtin" is a reserved variable name'
    )


def test_where_two_schemas_differ() -> None:
    """Each path with both values; a map against anything else differs as a whole."""
    assert differing({"a": 1, "b": {"c": 2}}, {"a": 1, "b": {"c": 3}}) == ["b.c (2, 3)"]
    assert differing({"a": {"c": 2}}, {"a": [1]}) == ['a ({"c":2}, [1])']
    assert differing({"a": [1]}, {"a": {"c": 2}}) == ['a ([1], {"c":2})']
    assert differing({"a": 1}, {"b": 1}) == ["a (1, absent)", "b (absent, 1)"]
