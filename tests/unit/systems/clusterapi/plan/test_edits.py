"""Templates that are edited in place: which webhooks refuse that, below which field, and what is late instead."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from krmkit.krm.resource import Resource
from krmkit.systems.clusterapi.api.collection import Collected, collect
from krmkit.systems.clusterapi.plan.edits import TemplateEdits, references
from tests.unit.systems.clusterapi.fixtures import INFRASTRUCTURE, cluster_class, template

INNER = (
    "AzureClusterTemplate", "AzureMachineTemplate", "DevClusterTemplate", "DevMachineTemplate", "DockerClusterTemplate",
    "DockerMachineTemplate", "OpenStackClusterTemplate", "OpenStackMachineTemplate", "ScalewayMachineTemplate",
    "VSphereClusterTemplate", "VSphereMachineTemplate",
)  # fmt: skip
WHOLE = (
    "AWSClusterTemplate", "AWSMachineTemplate", "GCPClusterTemplate", "GCPMachineTemplate", "HCloudMachineTemplate",
    "HetznerClusterTemplate",
)  # fmt: skip


def edits(kind: str, edit: Any, part: str = "machineInfrastructure") -> tuple[list[str], list[str]]:
    """What is said of a class whose template of a kind differs by an edit; `part` of the class names it."""
    found = template(INFRASTRUCTURE, kind, {"size": 1})
    changed = deepcopy(found)
    edit(changed["spec"]["template"])
    the_class = cluster_class()
    spec = the_class["spec"]
    named = {"templateRef": {"apiVersion": INFRASTRUCTURE, "kind": kind, "name": kind.lower()}}
    if part == "infrastructure":
        spec["infrastructure"] = named
    else:
        spec["controlPlane"][part] = named
    old, new = (collect([Resource.from_data(one)]) for one in (found, changed))
    return TemplateEdits(old, new).of(the_class)


@pytest.mark.parametrize("part", ["infrastructure", "machineInfrastructure"])
@pytest.mark.parametrize("kind", [*INNER, *WHOLE])
def test_kinds_whose_webhook_refuses_an_edit(kind: str, part: str) -> None:
    """All protect spec.template.spec; wherever a class names the template, the error says what to do."""
    refused, late = edits(kind, lambda one: one["spec"].update(size=2), part)

    assert late == []
    assert refused == [
        f"{kind} ns/{kind.lower()} is edited in place (spec.template.spec.size), and its webhook refuses that:"
        " make a new template and point the class to it"
    ]


@pytest.mark.parametrize("kind", [*INNER, *WHOLE])
def test_metadata_below_the_template(kind: str) -> None:
    """Some protect spec.template.spec alone."""
    refused, late = edits(kind, lambda one: one.update(metadata={"labels": {"a": "b"}}))

    assert (len(refused), len(late)) == ((1, 0) if kind in WHOLE else (0, 1))


def test_other_kinds() -> None:
    """Of a kind that nobody knows the edit is late, unless its provider refuses it."""
    assert edits("MetalMachineTemplate", lambda one: one["spec"].update(size=2)) == (
        [],
        [
            "MetalMachineTemplate ns/metalmachinetemplate is edited in place (spec.template.spec.size), unless its provider"
            " refuses the edit"
        ],
    )
    assert edits("Metal3MachineTemplate", lambda one: one["spec"].update(size=2))[1] == [
        "Metal3MachineTemplate ns/metal3machinetemplate is edited in place (spec.template.spec.size)"
    ]


def test_without_an_edit() -> None:
    """Neither an equal template nor one that comes or goes is an edit."""
    gone = Collected()
    there = collect([Resource.from_data(template(INFRASTRUCTURE, "DevMachineTemplate", {}))])

    assert edits("DevMachineTemplate", lambda one: None) == ([], [])
    assert TemplateEdits(there, gone).of(cluster_class()) == ([], [])


def test_references_of_a_class() -> None:
    """Each template of the class, with those of both kinds of workers."""
    assert [one["kind"] for one in references(cluster_class())] == [
        "MetalClusterTemplate", "KubeadmControlPlaneTemplate", "MetalMachineTemplate", "KubeadmConfigTemplate",
        "MetalMachineTemplate", "KubeadmConfigTemplate", "MetalMachinePoolTemplate",
    ]  # fmt: skip
