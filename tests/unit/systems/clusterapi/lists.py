"""Packages of objects for the tests of default- and validate-cluster-topology."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.collection import collect
from krmkit.systems.clusterapi.desired.package import TopologyPackage
from krmkit.systems.clusterapi.packages.validation import validate_package
from tests.unit.systems.clusterapi.objects import GATES, reference

PREVIOUS = {"krmkit.dev/previous": "true", "config.kubernetes.io/local-config": "true"}


def templates() -> list[Object]:
    """The templates that the small class refers to."""
    refs = [
        reference("InfraTemplate"),
        reference("PlaneTemplate", "controlplane.cluster.x-k8s.io"),
        reference("MachineTemplate"),
        reference("BootTemplate", "bootstrap.cluster.x-k8s.io"),
    ]
    return [
        {
            "apiVersion": one["apiVersion"],
            "kind": one["kind"],
            "metadata": {"name": one["name"], "namespace": "n"},
            "spec": {"template": {"spec": {}}},
        }
        for one in refs
    ]


def before(data: Object) -> Object:
    """The object as a state before a change."""
    metadata = data["metadata"]
    return {**data, "metadata": {**metadata, "annotations": {**metadata.get("annotations", {}), **PREVIOUS}}}


def package(
    objects: Iterable[Object], names: Sequence[str] | None = None, previous: Iterable[Object] = ()
) -> TopologyPackage:
    """The package of some objects, as the functions read it."""
    return TopologyPackage(collect(map(Resource.from_data, objects), previous), names)


def validated(objects: Iterable[Object], **more: Any) -> list[Finding]:
    """The findings of validate-cluster-topology, with the templates of the small class."""
    return validate_package(package([*objects, *templates()], **more), GATES)


def told(findings: Iterable[Finding]) -> list[tuple[str, str]]:
    """(rule, message) of each finding."""
    return [(finding.rule, finding.message) for finding in findings]
