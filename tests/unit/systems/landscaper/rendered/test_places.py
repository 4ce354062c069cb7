"""Data that do not fit a schema: the finding is about the object and the path that they come from."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.json import Object
from tests.unit.systems.landscaper.rendered.test_render import render
from tests.unit.systems.landscaper.worlds import data_object, installation, obj

SCHEMA = (
    "{type: object, properties: {replicas: {type: integer},"
    " hosts: {type: array, items: {properties: {a.b: {type: string}}}}}}"
)
BODY = "imports:\n- {name: other, required: false, schema: {}}\n- {name: settings, schema: " + SCHEMA + "}\n"
FROM_DATA = {"data": [{"name": "settings", "dataRef": "d"}]}
FROM_MAP = {"data": [{"name": "settings", "configMapRef": {"name": "m", "key": "k.yaml"}}]}


@pytest.mark.parametrize(
    ("body", "spec", "item", "place"),
    [
        (BODY, {"imports": FROM_DATA}, data_object("d", {"replicas": "two"}), ("DataObject", "d", "data.replicas")),
        (BODY, {"imports": FROM_DATA}, data_object("d", {"hosts": [{}, {"c": 1, "a.b": 5}]}), ("DataObject", "d", "data.hosts[1]")),
        (BODY, {"imports": FROM_DATA}, data_object("d", "text"), ("DataObject", "d", "data")),
        (BODY, {"imports": FROM_MAP}, obj("ConfigMap", "m", "v1", data={"k.yaml": "replicas: two"}), ("ConfigMap", "m", 'data."k.yaml"')),
        (BODY, {"importDataMappings": {"settings": 5}}, data_object("d", 1), ("Installation", "shop", "spec.importDataMappings.settings")),
        (BODY, {"imports": FROM_DATA, "importDataMappings": {"settings": "(( d ))"}}, data_object("d", 1), ("Installation", "shop", "spec.importDataMappings.settings")),
    ],
)  # fmt: skip
def test_where_data_come_from(body: str, spec: Any, item: Object, place: tuple[str, str, str]) -> None:
    """The DataObject and the path in it, the key of a Secret or ConfigMap, the mapping, or the import."""
    found = [
        one for one in render(installation("shop", body, **spec), item).results if one.severity == "error"
    ]

    assert [(one.resource_ref or {}).get("kind") for one in found] == [place[0]]
    assert [((one.resource_ref or {}).get("name"), one.field) for one in found] == [place[1:]]
