"""What the variables of a class do, and a Cluster that has no more than it needs."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from krmkit.analysis.plans.classtable import class_table, sample
from krmkit.krm.resource import Resource
from krmkit.systems.clusterapi.api.collection import collect
from tests.unit.systems.clusterapi.fixtures import (
    BOOTSTRAP,
    INFRASTRUCTURE,
    cluster_class,
    template,
    templates,
)


def variable(name: str, required: bool, **schema: Any) -> dict[str, Any]:
    return {"name": name, "required": required, "schema": {"openAPIV3Schema": schema}}


def patch(name: str, path: str, source: dict[str, str], **more: Any) -> dict[str, Any]:
    selector = {
        "apiVersion": BOOTSTRAP,
        "kind": "KubeadmConfigTemplate",
        "matchResources": {"machineDeploymentClass": {"names": ["worker"]}},
    }
    change = {"op": "add", "path": f"/spec/template/spec/{path}", "valueFrom": source}
    return {"name": name, "definitions": [{"selector": selector, "jsonPatches": [change]}], **more}


def table() -> Any:
    given = cluster_class(
        variables=[
            variable("region", True, type="string", enum=["north", "south"], description="Where it is."),
            variable("level", False, type="integer", minimum=3),
            variable("motd", False, type="string", default="hi"),
            variable("spare", False, type="string"),
        ],
        patches=[
            patch("level", "verbosity", {"variable": "level"}),
            patch("motd", "preKubeadmCommands", {"template": "- echo {{ .motd }} {{ .region }}"}),
            patch("spare", "format", {"variable": "spare"}, enabledIf="{{ if .spare }}true{{ end }}"),
        ],
    )
    sound = [one for one in templates() if one["kind"] != "KubeadmConfigTemplate"]
    sound.append(template(BOOTSTRAP, "KubeadmConfigTemplate", {"verbosity": 1}))
    return class_table(collect([Resource.from_data(one) for one in (given, *sound)]), ("ns", "metal"), "a")


def test_a_class() -> None:
    """An optional variable without a default that a patch reads stops every Cluster without it."""
    found = table()

    assert found.problem == ""
    assert [(one.name, one.required, one.needed) for one in found.variables] == [
        ("level", False, True),
        ("motd", False, False),
        ("region", True, True),
        ("spare", False, False),
    ]
    assert {group for one in found.variables for _, group, _, _ in one.acts} == {"workers worker"}
    acts = {one.name: [act[2:] for act in one.acts] for one in found.variables}
    assert acts["level"] == [("verbosity", "level")]
    assert acts["region"] == acts["motd"] == [("preKubeadmCommands", "motd")]
    assert acts["spare"] == [("format", "spare")]


def test_variables_of_an_extension() -> None:
    """A TopologyExtension among the items defines variables and patches, which are those of the class."""
    change = {"op": "replace", "path": "/spec/template/spec/region", "valueFrom": {"variable": "zone"}}
    selector = {
        "apiVersion": INFRASTRUCTURE,
        "kind": "MetalClusterTemplate",
        "matchResources": {"infrastructureCluster": True},
    }
    handler = {
        "name": "zones",
        "variables": [variable("zone", True, type="string", enum=["a"])],
        "patches": [{"name": "place", "definitions": [{"selector": selector, "jsonPatches": [change]}]}],
    }
    extension = {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "TopologyExtension",
        "metadata": {"name": "site"},
        "spec": {"handlers": [handler]},
    }
    external = {
        "generatePatchesExtension": "generate-patches-zones.site",
        "discoverVariablesExtension": "discover-variables-zones.site",
    }
    given = cluster_class(patches=[{"name": "zones", "external": external}])
    items = [Resource.from_data(one) for one in (given, *templates(), extension)]

    found = class_table(collect(items), ("ns", "metal"), "a")

    assert found.problem == ""
    (zone,) = found.variables
    assert (zone.name, zone.required) == ("zone", True)
    assert zone.acts == [("MetalClusterTemplate", "infrastructureCluster", "region", "place")]


def test_the_minimal_cluster() -> None:
    text = table().text()

    assert "    # Where it is.\n    - name: region\n" in text
    topology = yaml.safe_load(text)["spec"]["topology"]
    assert topology["variables"] == [{"name": "region", "value": "north"}, {"name": "level", "value": 3}]
    assert [one["class"] for one in topology["workers"]["machineDeployments"]] == ["worker"]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "minLength": 2}, "xx"),
        ({"type": "boolean"}, False),
        ({"type": "array", "minItems": 1, "items": {"type": "number"}}, [1]),
        (
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "example": "e"}}},
            {"a": "e"},
        ),
        ({"type": "integer", "minimum": 3, "exclusiveMinimum": True}, 4),
        ({"type": "integer", "maximum": 0}, 0),
        ({"type": "array", "minItems": 10**12, "items": {"type": "boolean"}}, [False] * 1000),
        ({"type": "string", "minLength": "many"}, "x"),
    ],
)
def test_samples(schema: dict[str, Any], value: object) -> None:
    assert sample(schema) == value


def test_a_class_of_workers_without_a_name() -> None:
    """A class that is refused has a table, with the reason."""
    given = cluster_class(workers={"machineDeployments": [{}]})
    found = class_table(
        collect([Resource.from_data(one) for one in (given, *templates())]), ("ns", "metal"), "a"
    )

    assert found.problem
