"""Which values of a Cluster's variables are defaults of its class: whole variables, fields of maps, fields of list elements."""

from __future__ import annotations

from typing import Any

from krmkit.krm.cause import PathCauses
from krmkit.krm.fieldpath import Path
from krmkit.systems.clusterapi.packages.defaulting import DefaultCauses
from krmkit.systems.clusterapi.variables.definitions import Definitions

PORT = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "port": {"type": "integer", "default": 80}},
}
SCHEMA = {
    "type": "object",
    "properties": {
        "size": {"type": "string", "default": "small"},
        "ports": {"type": "array", "items": PORT},
        "zones": {"type": "object", "additionalProperties": PORT},
    },
}
AT: Path = ("spec", "topology", "variables")


def defaults(value: Any, schema: Any = SCHEMA) -> list[Path]:
    """The paths below the value that are defaults of the variable."""
    definition = {"from": "inline", "schema": {"openAPIV3Schema": schema}}
    definitions = Definitions([{"name": "v", "definitions": [definition]}])
    causes = PathCauses()
    DefaultCauses(causes, definitions, [], None).record(AT, [{"name": "v", "value": value}], False)
    paths: list[Path] = [(), ("size",), ("other",)]
    paths += [("ports", 0, name) for name in ("name", "port")] + [("zones", "a", "port")]
    return [
        path for path in paths if [one.kind for one in causes.at((*AT, 0, "value", *path))] == ["default"]
    ]


def test_fields() -> None:
    """A field with the default's value is the default's; another value, and one without a default, is not."""
    assert defaults({"size": "small", "other": 1}) == [(), ("size",)]
    assert defaults({"size": "large"}) == []


def test_elements_of_lists_and_maps() -> None:
    """Fields of elements are looked at by the schema of the elements."""
    found = defaults({"size": "large", "ports": [{"name": "a", "port": 80}]})
    assert ("ports", 0, "port") in found and ("ports", 0, "name") not in found
    assert ("ports", 0, "port") not in defaults({"ports": [{"port": 81}]})
    assert ("zones", "a", "port") in defaults({"zones": {"a": {"port": 80}}})


def test_a_list_without_a_schema_of_elements() -> None:
    """Nothing is known of its elements."""
    assert defaults({"ports": [1]}, {"type": "object", "properties": {"ports": {"type": "array"}}}) == []
