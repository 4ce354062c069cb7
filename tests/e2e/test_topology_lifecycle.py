"""The ClusterClass proposal's story: two kinds of workers, labels that add up, an upgrade, and a worker group that goes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from krmkit.fn.testing import run_function
from krmkit.libraries.json import Object
from krmkit.libraries.yaml import emit

FUNCTION = Path(__file__).resolve().parents[2] / "functions/render-cluster-topology"
INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io/v1beta1"
CONTROL_PLANE = "controlplane.cluster.x-k8s.io/v1beta1"
BOOTSTRAP = "bootstrap.cluster.x-k8s.io/v1beta1"
CORE = "cluster.x-k8s.io/v1beta1"

MARK = "krmkit.dev/generated-by"
TEMPLATES = {
    "network": (INFRASTRUCTURE, "MetalClusterTemplate"),
    "plane": (CONTROL_PLANE, "KubeadmControlPlaneTemplate"),
    "tux": (INFRASTRUCTURE, "MetalMachineTemplate"),
    "pane": (INFRASTRUCTURE, "MetalMachineTemplate"),
    "join": (BOOTSTRAP, "KubeadmConfigTemplate"),
    "join-pane": (BOOTSTRAP, "KubeadmConfigTemplate"),
}
FIELDS: Object = {
    "plane": {"kubeadmConfigSpec": {"verbosity": 1}},
    "join": {"verbosity": 2},
    "join-pane": {"verbosity": 3},
}


def ref(name: str) -> Object:
    api_version, kind = TEMPLATES[name]
    return {"ref": {"apiVersion": api_version, "kind": kind, "name": name}}


def unhealthy() -> list[Object]:
    return [{"type": "Ready", "status": status, "timeout": "300s"} for status in ("Unknown", "False")]


def worker_class(name: str, bootstrap: str, machine: str) -> Object:
    template = {"bootstrap": ref(bootstrap), "infrastructure": ref(machine)}
    return {"class": name, "template": template, "machineHealthCheck": {"unhealthyConditions": unhealthy()}}


def package(*workers: Object, version: str = "v1.19.1") -> list[Object]:
    metadata = {"name": "mixed", "namespace": "bar"}
    control_plane = {
        **ref("plane"),
        "machineInfrastructure": ref("tux"),
        "machineHealthCheck": {
            "nodeStartupTimeout": "3m",
            "maxUnhealthy": "33%",
            "unhealthyConditions": unhealthy(),
        },
    }
    spec = {
        "infrastructure": ref("network"),
        "controlPlane": control_plane,
        "workers": {
            "machineDeployments": [
                worker_class("linux", "join", "tux"),
                worker_class("windows", "join-pane", "pane"),
            ]
        },
    }
    topology = {
        "class": "mixed",
        "version": version,
        "controlPlane": {"replicas": 3},
        "workers": {"machineDeployments": list(workers)},
    }
    return [
        {"apiVersion": CORE, "kind": "ClusterClass", "metadata": metadata, "spec": spec},
        *(
            {
                "apiVersion": api_version,
                "kind": kind,
                "metadata": {"name": name, "namespace": "bar"},
                "spec": {"template": {"spec": FIELDS.get(name, {"of": name})}},
            }
            for name, (api_version, kind) in TEMPLATES.items()
        ),
        {
            "apiVersion": CORE,
            "kind": "Cluster",
            "metadata": {"name": "foo", "namespace": "bar"},
            "spec": {"topology": topology},
        },
    ]


BIG = {"class": "linux", "name": "big", "replicas": 5, "metadata": {"labels": {"custom-label": "production"}}}
SMALL = {"class": "linux", "name": "small", "replicas": 1}
WINDOWS = {"class": "windows", "name": "panes", "replicas": 3}


def render(items: list[Object]) -> list[Object]:
    """All items after a run that must succeed."""
    config = {"apiVersion": "krmkit.dev/v1alpha1", "kind": "RenderClusterTopology", "metadata": {"name": "r"}}
    listed = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items}
    outcome = run_function(FUNCTION, emit.document({**listed, "functionConfig": config}))
    assert outcome.exit_code == 0, outcome.stderr
    found: list[Object] = yaml.safe_load(outcome.stdout)["items"]
    return found


def of_kind(items: list[Object], kind: str) -> list[Object]:
    return [
        item for item in items if item["kind"] == kind and MARK in item["metadata"].get("annotations", {})
    ]


def replaced(items: list[Object], *workers: Object, version: str = "v1.19.1") -> list[Object]:
    """The items with another Cluster, and what was generated before."""
    cluster = package(*workers, version=version)[-1]
    generated = [item for item in items if MARK in item["metadata"].get("annotations", {})]
    return [*package()[:-1], cluster, *generated]


def test_what_the_cluster_consists_of() -> None:
    """One control plane, three groups of workers, four health checks; the label is on the first group only."""
    items = render(package(BIG, SMALL, WINDOWS))

    [plane] = of_kind(items, "KubeadmControlPlane")
    groups = of_kind(items, "MachineDeployment")
    checks = {item["metadata"]["name"]: item["spec"] for item in of_kind(items, "MachineHealthCheck")}
    assert plane["spec"]["replicas"] == 3
    assert [group["spec"]["replicas"] for group in groups] == [5, 1, 3]
    assert [group["metadata"]["labels"].get("custom-label") for group in groups] == ["production", None, None]
    assert len(checks) == 4
    of_plane = checks[plane["metadata"]["name"]]
    assert of_plane["checks"]["nodeStartupTimeoutSeconds"] == 180
    assert of_plane["remediation"] == {"triggerIf": {"unhealthyLessThanOrEqualTo": "33%"}}


def test_labels_belong_under_metadata() -> None:
    """As the proposal prints them, beside the name, they are an unknown field: a warning names it."""
    printed = {**SMALL, "labels": {"custom-label": "production"}}
    config = {"apiVersion": "krmkit.dev/v1alpha1", "kind": "RenderClusterTopology", "metadata": {"name": "r"}}
    listed = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": package(printed)}
    outcome = run_function(FUNCTION, emit.document({**listed, "functionConfig": config}))

    [warning] = [finding for finding in outcome.results if finding.severity == "warning"]
    assert warning.field == "spec.topology.workers.machineDeployments[0].labels"
    assert "metadata" in warning.message


def test_an_upgrade_reaches_everything() -> None:
    """In git there is no running upgrade to wait for."""
    first = render(package(BIG, SMALL, WINDOWS))
    upgraded = render(replaced(first, BIG, SMALL, WINDOWS, version="v1.20.5"))

    assert [item["spec"]["version"] for item in of_kind(upgraded, "KubeadmControlPlane")] == ["v1.20.5"]
    versions = {
        item["spec"]["template"]["spec"]["version"] for item in of_kind(upgraded, "MachineDeployment")
    }
    assert versions == {"v1.20.5"}
    names = [[item["metadata"]["name"] for item in items if MARK in item["metadata"].get("annotations", {})] for items in (first, upgraded)]  # fmt: skip
    assert sorted(names[0]) == sorted(names[1])


@pytest.mark.parametrize("gone", ["big", "small", "panes"])
def test_a_group_that_goes_takes_its_objects(gone: str) -> None:
    """MachineDeployment, health check and both templates; all others stay byte for byte."""
    groups = [BIG, SMALL, WINDOWS]
    first = render(package(*groups))

    left = render(replaced(first, *(group for group in groups if group["name"] != gone)))

    before, after = (
        {(item["kind"], item["metadata"]["name"]): item for item in items} for items in (first, left)
    )
    removed = [key for key in before if key not in after]
    assert sorted(kind for kind, _ in removed) == [
        "KubeadmConfigTemplate", "MachineDeployment", "MachineHealthCheck", "MetalMachineTemplate"]  # fmt: skip
    assert all(f"foo-{gone}-" in name for _, name in removed)
    assert all(before[key] == after[key] for key in after if key != ("Cluster", "foo"))
