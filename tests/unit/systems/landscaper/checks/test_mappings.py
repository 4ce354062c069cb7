"""Data mappings and imports of Installations: what fails is reported at once, and what nobody reads is a warning."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json import Object
from krmkit.systems.landscaper.checks.installations import validate
from krmkit.systems.landscaper.components.descriptors import ComponentRepository
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.items.installations import read
from tests.unit.systems.landscaper.worlds import data_object, descriptor, installation, messages, obj, one

BODY = """\
imports:
- {name: port, type: data, schema: {type: integer}}
- {name: host, type: data, schema: {type: string}}
- {name: zone, type: data, schema: {type: string}}
"""


def findings(*objects: Object) -> list[tuple[str, str, str]]:
    """Rule, field and message of every finding but those of --explain."""
    resources = ResourceList.of([Resource.from_data(item) for item in objects])
    found = validate(read(resources), [])
    return [(one.rule, one.field, one.message) for one in found if one.severity != "explain"]


def test_everything_at_once() -> None:
    """Two failing mappings, a value of the wrong type and a missing import are four errors."""
    mappings = {"port": "(( prots.number ))", "host": "(( 1 / 0 ))"}
    imports = {"data": [{"name": "ports", "dataRef": "ports"}, {"name": "zone", "dataRef": "zone"}, {"name": "x", "dataRef": "no"}]}  # fmt: skip
    root = installation("root", BODY, imports=imports, importDataMappings=mappings)

    found = messages(one(root, data_object("ports", {"number": 5}), data_object("zone", 7)))

    assert len(found) == 4
    assert "unable to fetch data object" in found[0]
    assert "division by zero" in found[1]
    assert found[2].endswith("'prots' not found; did you mean \"ports\"?")
    assert found[3] == (
        "root.zone: imported datatype does not have the expected schema: (root): Invalid type. Expected: string, given: integer"
    )


def test_a_mapping_of_a_missing_import() -> None:
    """That a mapping does not find an import that is missing is not said twice."""
    imports = {"data": [{"name": "ports", "dataRef": "no"}]}
    root = installation("root", BODY, imports=imports, importDataMappings={"port": "(( ports.number ))"})

    found = messages(one(root))

    assert len(found) == 3
    assert sum("ports" in message for message in found) == 0
    assert [message for message in found if '"port"' in message] == []


def test_unused_mappings() -> None:
    """A mapping whose name is that of no import, or of no export, is a warning with the nearest name."""
    root = installation(
        "root",
        "imports: [{name: port, type: data, schema: {}}]\n",
        importDataMappings={"port": 5, "prot": 6},
        exports={"data": [{"name": "endpoint", "dataRef": "endpoint"}]},
        exportDataMappings={"endpoint": "x", "endpiont": "y"},
    )

    found = [one for one in findings(root) if one[0] == "unused-mapping"]

    assert [field for _, field, _ in found] == [
        "spec.importDataMappings.prot",
        "spec.exportDataMappings.endpiont",
    ]
    assert 'did you mean "port"?' in found[0][2]
    assert 'did you mean "endpoint"?' in found[1][2]


def test_a_repeated_import_name() -> None:
    """Two imports of one name are a warning: only admission refuses them."""
    imports = {"data": [{"name": "port", "dataRef": "a"}, {"name": "port", "dataRef": "b"}]}
    root = installation("root", "imports: [{name: port, type: data, schema: {}}]\n", imports=imports)

    found = findings(root, data_object("a", 1), data_object("b", 2))

    assert found == [
        ("repeated-import", "spec.imports.data[1].name", 'import name "port" is used by spec.imports.data[0] already; must be unique')
    ]  # fmt: skip


def test_an_inline_blueprint_as_object() -> None:
    """blueprint.yaml of an inline file system may be the blueprint itself instead of its text."""
    body: dict[str, Any] = {
        "apiVersion": "landscaper.gardener.cloud/v1alpha1",
        "kind": "Blueprint",
        "imports": [{"name": "port", "type": "data", "required": False, "default": {"value": 80}, "schema": {"type": "integer"}}],
    }  # fmt: skip
    root = obj(
        "Installation", "root", spec={"blueprint": {"inline": {"filesystem": {"blueprint.yaml": body}}}}
    )

    found = one(root)

    assert messages(found) == []
    assert found.values == {"port": 80}


def test_a_second_document() -> None:
    """What follows the first document of blueprint.yaml is not read, whatever it is."""
    assert messages(one(installation("root", "imports: []\n---\nkind: [Other\n"))) == []


@pytest.mark.parametrize(
    "name", ["shop", "Example.com/shop", "example.com", "example.com/Shop", "example.com/shop/"]
)
def test_component_names(name: str) -> None:
    """A name that OCM's schema refuses is refused, with what would be right."""
    wrong = descriptor("shop")
    wrong["component"]["name"] = name

    with pytest.raises(InstallationError, match="must be a domain with a path in small letters"):
        ComponentRepository().add(wrong)
