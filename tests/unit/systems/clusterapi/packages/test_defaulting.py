"""krmkit.systems.clusterapi.packages.defaulting: the edits of default-cluster-topology."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.collection import collect
from krmkit.systems.clusterapi.desired.package import TopologyPackage
from krmkit.systems.clusterapi.packages.defaulting import default_package
from tests.unit.systems.clusterapi.objects import small_class

DISK = {
    "name": "disk",
    "schema": {
        "openAPIV3Schema": {
            "type": "object",
            "properties": {
                "size": {"type": "integer", "default": 40},
                "tags": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"k": {"type": "string", "default": "x"}}},
                },
            },
        }
    },
}
REGION = {"name": "region", "schema": {"openAPIV3Schema": {"type": "string", "default": "north"}}}
HEAD = """apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: c, namespace: n} # ours
spec:
  topology:
    classRef: {name: small}
"""


def defaulted(topology: str, *variables: Object, owner: Object | None = None) -> tuple[str, list[Any]]:
    """The topology after defaulting, and the findings."""
    cluster = Resource(HEAD + topology)
    known = owner or small_class(variables=list(variables))
    findings = default_package(TopologyPackage(collect([Resource.from_data(known), cluster])))
    assert cluster.text.startswith(HEAD)
    return cluster.text.removeprefix(HEAD), findings


CASES = {
    "version": ("    version: 1.33.1 # soon\n", (), "    version: v1.33.1 # soon\n"),
    "quoted version": ('    version: "1.33.1"\n', (), '    version: "v1.33.1"\n'),
    "nothing to do": ("    version: v1.33.1\n", (DISK,), "    version: v1.33.1\n"),
    "new list": (
        "    version: v1.33.1\n",
        (REGION,),
        "    version: v1.33.1\n    variables:\n    - name: region\n      value: north\n",
    ),
    "appended": (
        "    variables:\n    # first\n    - name: disk # big\n      value: {size: 80}\n    version: v1.33.1\n",
        (DISK, REGION),
        "    variables:\n    # first\n    - name: disk # big\n      value: {size: 80}\n    - name: region\n"
        "      value: north\n    version: v1.33.1\n",
    ),
    "completed": (
        "    version: v1.33.1\n    variables:\n    - name: disk\n      value:\n        tags:\n        - {k: y}\n"
        "        - {} # empty\n",
        (DISK,),
        "    version: v1.33.1\n    variables:\n    - name: disk\n      value:\n        tags:\n        - {k: y}\n"
        "        - k: x # empty\n        size: 40\n",
    ),
    "set stays set": (
        '    version: v1.33.1\n    variables: [{name: region, value: ""}]\n',
        (REGION,),
        '    version: v1.33.1\n    variables: [{name: region, value: ""}]\n',
    ),
    "null is not set": (
        "    version: v1.33.1\n    variables:\n    - {name: region, value: null}\n",
        (REGION,),
        "    version: v1.33.1\n    variables:\n    - {name: region, value: north}\n",
    ),
    "overrides": (
        "    version: v1.33.1\n    controlPlane:\n      variables:\n        overrides:\n        - {name: disk, value: {}}\n"
        "    workers:\n      machinePools:\n      - class: pool\n        name: p\n        variables:\n          overrides:\n"
        "          - name: disk\n            value: {}\n",
        (DISK,),
        "    version: v1.33.1\n    controlPlane:\n      variables:\n        overrides:\n"
        "        - {name: disk, value: {size: 40}}\n"
        "    workers:\n      machinePools:\n      - class: pool\n        name: p\n        variables:\n          overrides:\n"
        "          - name: disk\n            value:\n              size: 40\n",
    ),
}


@pytest.mark.parametrize(("topology", "variables", "wanted"), CASES.values(), ids=CASES.keys())
def test_edits(topology: str, variables: tuple[Object, ...], wanted: str) -> None:
    """Only what defaulting adds is written, and a second run adds nothing."""
    text, findings = defaulted(topology, *variables)

    assert text == wanted
    assert {finding.severity for finding in findings} <= {"explain"}
    assert defaulted(text, *variables)[0] == wanted


def test_explained() -> None:
    """--explain names every value that was set."""
    _, findings = defaulted("    version: 1.33.1\n", REGION)

    assert [(one.rule, one.field) for one in findings] == [
        ("defaulted", "spec.topology.version"),
        ("defaulted", "spec.topology.variables"),
    ]


def test_refused() -> None:
    """What the webhook refuses leaves the Cluster as it is."""
    topology = "    version: 1.33.1\n    variables: [{name: region, value: 3}]\n"
    text, findings = defaulted(topology, REGION)

    assert text == topology
    assert [(one.rule, one.severity, one.field) for one in findings] == [
        ("invalid-variable", "error", "spec.topology.variables[region].value")
    ]


def test_missing_class() -> None:
    """Without its class a Cluster gets its v, and a word on it."""
    other = small_class()
    other["metadata"]["name"] = "other"
    text, findings = defaulted("    version: 1.33.1\n", owner=other)

    assert text == "    version: v1.33.1\n"
    assert [one.rule for one in findings] == ["missing-class", "defaulted"]


def test_unmanaged() -> None:
    """A Cluster without a topology is none of its business."""
    cluster = Resource("apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: c}\nspec: {}\n")

    assert default_package(TopologyPackage(collect([cluster]))) == []


def test_old_states_stay() -> None:
    """A state before a change is never touched."""
    text = HEAD.replace(
        "{name: c, namespace: n}", '{name: c, namespace: n, annotations: {krmkit.dev/previous: "true"}}'
    )
    old = Resource(text + "    version: 1.33.1\n")
    default_package(TopologyPackage(collect([Resource.from_data(small_class()), old])))

    assert old.text == text + "    version: 1.33.1\n"
