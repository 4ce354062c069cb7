"""krmkit.systems.clusterapi.webhooks.cluster: what the Cluster webhook refuses, variables aside."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.webhooks.cluster import (
    Surroundings,
    class_key,
    default_version,
    validate_class_name,
    validate_cluster,
)
from krmkit.systems.clusterapi.webhooks.compatibility import topology_of
from krmkit.systems.clusterapi.webhooks.versionupdate import CurrentState
from tests.unit.systems.clusterapi.objects import GATES, small_class, small_cluster, worker_class


def check(new: Object, old: Object | None = None, **around: Any) -> list[str]:
    owner = around.pop("owner", small_class())
    errors, _ = validate_cluster(new, old, Surroundings(GATES, owner, **around))
    return [str(error) for error in errors]


def test_a_good_cluster() -> None:
    """The small Cluster is accepted, new and unchanged."""
    assert check(small_cluster()) == []
    assert check(small_cluster(), small_cluster()) == []


def named(name: str) -> Object:
    return small_cluster(name)


def annotated(name: str, value: str) -> Object:
    cluster = small_cluster()
    cluster["metadata"]["annotations"] = {name: value}
    return cluster


def workers(*deployments: Object) -> Object:
    return small_cluster(workers={"machineDeployments": list(deployments)})


CONCURRENCY = "topology.cluster.x-k8s.io/upgrade-concurrency"
NETWORK = {
    **small_cluster()["spec"],
    "clusterNetwork": {"pods": {"cidrBlocks": ["10.0.0.0/8", "10.0.0.0/33"]}},
}
SERVICES = {**small_cluster()["spec"], "clusterNetwork": {"services": {"cidrBlocks": ["10.0.0.0"]}}}
REFUSED = {
    "name": (named("a" * 64), "metadata.name"),
    "network": ({**small_cluster(), "spec": NETWORK}, "spec.clusterNetwork.pods.cidrBlocks[1]"),
    "network of services": (
        {**small_cluster(), "spec": SERVICES},
        "spec.clusterNetwork.services.cidrBlocks[0]",
    ),
    "no class": (small_cluster(classRef={}), "spec.topology.class"),
    "no v": (small_cluster(version="1.33.1"), "spec.topology.version"),
    "short version": (small_cluster(version="v1.33"), "spec.topology.version"),
    "concurrency": (annotated(CONCURRENCY, "0"), f"metadata.annotations.{CONCURRENCY}"),
    "concurrency is not a number": (annotated(CONCURRENCY, "two"), f"metadata.annotations.{CONCURRENCY}"),
    "unknown worker class": (
        workers({"class": "no", "name": "m"}),
        "spec.topology.workers.machineDeployments[0].class",
    ),
    "no worker name": (
        workers({"class": "default-worker"}),
        "spec.topology.workers.machineDeployments[0].name",
    ),
    "label": (
        small_cluster(controlPlane={"metadata": {"labels": {"a": "b c"}}}),
        "spec.topology.controlPlane.metadata.labels",
    ),
    "health check without definition": (
        small_cluster(controlPlane={"healthCheck": {"enabled": True}}),
        "spec.topology.controlPlane.healthCheck.enable",
    ),
    "nothing at all": ({"metadata": {"name": "c"}}, "spec"),
}


@pytest.mark.parametrize(("cluster", "field"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(cluster: Object, field: str) -> None:
    """Each rule refuses at its path."""
    assert [text.partition(": ")[0] for text in check(cluster)] == [field]


def test_missing_class() -> None:
    """A class that is not there is a warning for a new Cluster and an error for an update."""
    errors, warnings = validate_cluster(small_cluster(), None, Surroundings(GATES, None))

    assert errors == []
    assert warnings[0].startswith(
        "Cluster refers to ClusterClass n/small, but this ClusterClass does not exist."
    )
    assert check(small_cluster(), small_cluster(), owner=None) == [
        "spec.topology.class: Internal error: ClusterClass n/small not found"
    ]


def test_references_stay() -> None:
    """References and the topology of an existing Cluster cannot go."""
    reference = {
        "infrastructureRef": {"kind": "I", "name": "i"},
        "controlPlaneRef": {"kind": "C", "name": "c"},
    }
    old = small_cluster()
    old["spec"].update(reference)
    bare = {"metadata": {"name": "c"}, "spec": reference}

    assert check(small_cluster(), old) == [
        "spec.infrastructureRef: Forbidden: cannot be removed",
        "spec.controlPlaneRef: Forbidden: cannot be removed",
    ]
    assert check(bare, old) == ["spec.topology: Forbidden: cannot be removed from an existing Cluster"]
    assert check(small_cluster(), bare) == [
        "spec.infrastructureRef: Forbidden: cannot be removed",
        "spec.controlPlaneRef: Forbidden: cannot be removed",
        "spec.topology.class: Forbidden: classRef cannot be set on an existing Cluster",
    ]


def test_rebase() -> None:
    """Another class has to be compatible with the old one, which has to be there."""
    other = small_class(workers={"machineDeployments": [worker_class("default-worker")]})
    other["spec"]["infrastructure"]["templateRef"]["kind"] = "OtherTemplate"
    old = small_cluster(classRef={"name": "first"})

    assert check(small_cluster(), old, owner=other, old_class=small_class()) == [
        'spec.infrastructure.templateRef.kind: Forbidden: kind cannot be changed from "InfraTemplate" to "OtherTemplate"'
        " to prevent incompatible changes in the Clusters"
    ]
    (text,) = check(small_cluster(), old)
    assert 'valid ClusterClass with name "n/first" could not be retrieved' in text


def versions(old: str, new: str, **around: Any) -> list[str]:
    prefix = f'spec.topology.version: Invalid value: "{new}": '
    found = check(small_cluster(version=new), small_cluster(version=old), **around)
    return [text.removeprefix(prefix) for text in found]


def plane(version: str, status: str = "") -> Object:
    return {"spec": {"version": version}, "status": {"version": status} if status else {}}


def deployment(version: str) -> Object:
    labels = {"md": "0"}
    spec = {"selector": {"matchLabels": labels}, "template": {"spec": {"version": version}}}
    return {"metadata": {"name": "c-md-0"}, "spec": spec}


VERSIONS = {
    "patch": ("v1.33.1", "v1.33.2", {}, []),
    "minor": ("v1.33.1", "v1.34.0", {}, []),
    "two minors": ("v1.33.1", "v1.35.0", {}, ['version cannot be increased from "1.33.1" to "1.35.0"']),
    "down": ("v1.33.1", "v1.33.0", {}, ['version cannot be decreased from "1.33.1" to "1.33.0"']),
    "two minors of a list": (
        "v1.33.1",
        "v1.35.0",
        {"owner": small_class(kubernetesVersions=["v1.33.1", "v1.34.0", "v1.35.0"])},
        [],
    ),
    "not of the list": (
        "v1.33.1",
        "v1.34.1",
        {"owner": small_class(kubernetesVersions=["v1.33.1", "v1.34.0"])},
        ["version must match one of the versions defined in the ClusterClass"],
    ),
    "stable": (
        "v1.33.1",
        "v1.34.0",
        {"state": CurrentState(plane("v1.33.1", "v1.33.1"), [deployment("v1.33.1")])},
        [],
    ),
    "provisioning": (
        "v1.33.1",
        "v1.34.0",
        {"state": CurrentState(plane("v1.33.1"))},
        ["version cannot be changed: control plane is currently provisioning"],
    ),
    "not there yet": (
        "v1.33.1",
        "v1.34.0",
        {"state": CurrentState(plane("v1.32.0", "v1.32.0"), [deployment("v1.32.0")])},
        [
            "version cannot be changed: [Cluster.spec.topology.version 1.33.1 was not propagated to control plane yet"
            " (control plane version 1.32.0), there are still MachineDeployments completing a previous upgrade: [c-md-0]]"
        ],
    ),
    "upgrading": (
        "v1.33.1",
        "v1.34.0",
        {"state": CurrentState(plane("v1.33.1", "v1.32.0"))},
        ["version cannot be changed: control plane is still completing a previous upgrade"],
    ),
    "old machines": (
        "v1.33.1",
        "v1.34.0",
        {
            "state": CurrentState(
                plane("v1.33.1", "v1.33.1"),
                [deployment("v1.33.1")],
                machines=[{"metadata": {"labels": {"md": "0", "x": ""}}, "spec": {"version": "v1.32.0"}}],
            )
        },
        [
            "version cannot be changed: there are still MachineDeployments completing a previous upgrade: [c-md-0]"
        ],
    ),
    "no control plane": (
        "v1.33.1",
        "v1.34.0",
        {"state": CurrentState(None)},
        [
            "version cannot be changed: failed to check if control plane is upgrading: failed to get control plane object"
        ],
    ),
}


@pytest.mark.parametrize(("old", "new", "around", "wanted"), VERSIONS.values(), ids=VERSIONS.keys())
def test_version_change(old: str, new: str, around: dict[str, Any], wanted: list[str]) -> None:
    """A version goes up by one minor at most, and only when the one before has arrived everywhere."""
    assert versions(old, new, **around) == wanted


def test_lowest_status_version() -> None:
    """status.versions goes before status.version, and its lowest entry counts."""
    state = CurrentState(
        {
            "spec": {"version": "v1.33.1"},
            "status": {"version": "v1.33.1", "versions": [{"version": "v1.33.1"}, {"version": "v1.32.0"}]},
        }
    )

    assert versions("v1.33.1", "v1.34.0", state=state) == [
        "version cannot be changed: control plane is still completing a previous upgrade"
    ]


def test_odd_state() -> None:
    """Observed objects of shapes no API server stores are read as if those fields were missing."""
    state = CurrentState(
        {"spec": {"version": "v1.33.1"}, "status": {"version": 1, "versions": 2}},
        [{"metadata": {"name": "c-md-0"}, "spec": {"selector": {"matchLabels": 3}, "template": 4}}],
        machines=[{"metadata": {"labels": 5}}],
    )

    (problem,) = versions("v1.33.1", "v1.34.0", state=state)

    assert "control plane is currently provisioning" in problem
    assert "failed to check if MachineDeployment c-md-0 is upgrading: failed to parse version" in problem


def test_unsafe_version() -> None:
    """The unsafe annotation skips the version rules, with a warning."""
    new = annotated("unsafe.topology.cluster.x-k8s.io/disable-update-version-check", "")
    errors, warnings = validate_cluster(
        new, small_cluster(version="v1.35.0"), Surroundings(GATES, small_class())
    )

    assert errors == [] and warnings[0].startswith("Skipping version validation for Cluster")


def test_default_version() -> None:
    """Defaulting puts a v in front; what has one, or no topology, stays the same object."""
    assert topology_of(default_version(small_cluster(version="1.33.1")))["version"] == "v1.33.1"
    unmanaged: Object = {"spec": {}}
    for cluster in (small_cluster(), unmanaged):
        assert default_version(cluster) is cluster


def test_class_key() -> None:
    """The class is in the Cluster's namespace unless the reference names another."""
    assert class_key(small_cluster()) == ("n", "small")
    assert class_key(small_cluster(classRef={"name": "k", "namespace": "other"})) == ("other", "k")
    assert [str(error) for error in validate_class_name(small_cluster(classRef={}))] == [
        "spec.topology.classRef.name: Required value: cannot be empty"
    ]
