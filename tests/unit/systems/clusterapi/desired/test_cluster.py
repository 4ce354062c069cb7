"""The desired state: which of topology, class and template wins, and where fields lie."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.desired.cluster import ALWAYS, WHEN_UID, DesiredStateSettings, desired_state
from krmkit.systems.clusterapi.model.state import ClusterState, ControlPlaneState, WorkerState
from tests.unit.systems.clusterapi.fixtures import blueprint, cluster, cluster_class, templates


def render(the_class: Object | None = None, contract: str = "v1beta2", **topology: Any) -> ClusterState:
    return desired_state(blueprint(the_class, contract), cluster(**topology))[0]


def worker_class(**fields: Any) -> Object:
    spec = cluster_class()["spec"]["workers"]["machineDeployments"][0]
    return cluster_class(workers={"machineDeployments": [{**spec, **fields}]})


def md(the_class: Object, **fields: Any) -> Object:
    found = render(the_class, workers={"machineDeployments": [{"class": "worker", "name": "md", **fields}]})
    spec: Object = found.machine_deployments["md"].object["spec"]
    return spec


def test_roles_and_kinds_of_everything() -> None:
    """Each object with its role; objects lose `Template`, templates keep it."""
    found = render(workers={
        "machineDeployments": [{"class": "worker", "name": "md"}], "machinePools": [{"class": "pool", "name": "mp"}]})  # fmt: skip

    assert [(role, item["kind"]) for role, item in found.objects()] == [
        ("cluster", "Cluster"),
        ("infrastructureCluster", "MetalCluster"),
        ("controlPlane", "KubeadmControlPlane"),
        ("controlPlaneInfrastructureMachineTemplate", "MetalMachineTemplate"),
        ("machineDeployments/md/machineDeployment", "MachineDeployment"),
        ("machineDeployments/md/bootstrapTemplate", "KubeadmConfigTemplate"),
        ("machineDeployments/md/infrastructureMachineTemplate", "MetalMachineTemplate"),
        ("machinePools/mp/machinePool", "MachinePool"),
        ("machinePools/mp/bootstrapObject", "KubeadmConfig"),
        ("machinePools/mp/infrastructureMachinePoolObject", "MetalMachinePool"),
    ]


def test_labels_of_a_template_reach_clones_of_templates_only() -> None:
    """A cloned template keeps its own labels; an object gets those of spec.template alone."""
    found = render()

    machines = found.control_plane.infrastructure_machine_template
    assert machines is not None
    assert machines["metadata"]["labels"] == {
        "own": "label", "cluster.x-k8s.io/cluster-name": "c1", "topology.cluster.x-k8s.io/owned": ""}  # fmt: skip
    assert "own" not in found.infrastructure_cluster["metadata"]["labels"]
    assert machines["metadata"]["annotations"] == {
        "cluster.x-k8s.io/cloned-from-name": "metalmachinetemplate",
        "cluster.x-k8s.io/cloned-from-groupkind": "MetalMachineTemplate.infrastructure.cluster.x-k8s.io",
    }


@pytest.mark.parametrize(
    ("contract", "place", "reference"),
    [
        ("v1beta2", ("machineTemplate", "spec"), {"apiGroup": "infrastructure.cluster.x-k8s.io"}),
        ("v1beta1", ("machineTemplate",), {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "namespace": "ns"}),
    ],
)  # fmt: skip
def test_the_contract_says_where_fields_lie(contract: str, place: tuple[str, ...], reference: Object) -> None:
    """References, gates, taints and timeouts of the control plane's machines."""
    control_plane = {
        "replicas": 0,
        "readinessGates": [{"conditionType": "Ok"}],
        "deletion": {"nodeDrainTimeoutSeconds": 90, "nodeDeletionTimeoutSeconds": 0},
    }

    spec = render(contract=contract, controlPlane=control_plane).control_plane.object["spec"]

    inner = spec
    for key in place:
        inner = inner[key]
    ref = inner["infrastructureRef"]
    assert {key: ref[key] for key in reference} == reference
    assert inner["readinessGates"] == [{"conditionType": "Ok"}]
    assert spec["replicas"] == 0
    if contract == "v1beta1":
        assert (inner["nodeDrainTimeout"], inner["nodeDeletionTimeout"]) == ("1m30s", "0s")
    else:
        assert inner["deletion"] == {"nodeDrainTimeoutSeconds": 90, "nodeDeletionTimeoutSeconds": 0}


def test_topology_wins_over_class_field_by_field() -> None:
    """Fields of a MachineDeployment, among them zeros, which count as set."""
    the_class = worker_class(
        failureDomain="a", minReadySeconds=5, deletion={"order": "Oldest", "nodeDrainTimeoutSeconds": 10}
    )

    spec = md(the_class, minReadySeconds=0, deletion={"nodeDeletionTimeoutSeconds": 1})

    inner = spec["template"]["spec"]
    assert inner["failureDomain"] == "a"
    assert inner["minReadySeconds"] == 0
    assert inner["deletion"] == {"nodeDrainTimeoutSeconds": 10, "nodeDeletionTimeoutSeconds": 1}
    assert spec["deletion"] == {"order": "Oldest"}
    assert "replicas" not in spec


def test_rollout_is_taken_whole() -> None:
    """The class's strategy is lost as soon as the topology sets anything."""
    the_class = worker_class(rollout={"strategy": {"type": "OnDelete"}})

    assert md(the_class)["rollout"] == {"strategy": {"type": "OnDelete"}}
    assert md(the_class, rollout={"after": "2026-01-01T00:00:00Z"})["rollout"] == {
        "after": "2026-01-01T00:00:00Z"
    }


def test_upgrade_annotations_stay_in_the_topology() -> None:
    """defer-upgrade and hold-upgrade-sequence are for the controller, not for the objects."""
    metadata = {"annotations": {"topology.cluster.x-k8s.io/defer-upgrade": "", "mine": "1"}}
    found = render(workers={"machineDeployments": [{"class": "worker", "name": "md", "metadata": metadata}]})

    assert found.machine_deployments["md"].object["metadata"]["annotations"] == {"mine": "1"}


def test_health_checks_are_replaced_whole() -> None:
    """The topology's definition stands alone; only maxInFlight goes to the MachineDeployment."""
    the_class = worker_class(healthCheck={"checks": {"nodeStartupTimeoutSeconds": 60}, "remediation": {"maxInFlight": 2}})  # fmt: skip
    checks = {
        "checks": {"unhealthyNodeConditions": [{"type": "Ready", "status": "False", "timeoutSeconds": 1}]}
    }
    found = render(the_class, workers={"machineDeployments": [{"class": "worker", "name": "md", "healthCheck": checks}]})  # fmt: skip

    group = found.machine_deployments["md"]
    assert group.machine_health_check is not None
    assert group.machine_health_check["spec"]["checks"] == {
        **checks["checks"],
        "nodeStartupTimeoutSeconds": 600,
    }
    assert group.machine_health_check["metadata"]["name"] == group.object["metadata"]["name"]
    assert group.object["spec"]["remediation"] == {"maxInFlight": 2}


def test_health_checks_never_mix() -> None:
    """What the class says of remediation is lost as soon as the topology has checks of its own."""
    trigger = {"triggerIf": {"unhealthyLessThanOrEqualTo": "10%"}}
    the_class = worker_class(
        healthCheck={"checks": {"nodeStartupTimeoutSeconds": 60}, "remediation": trigger}
    )
    own = {"checks": {"nodeStartupTimeoutSeconds": 90}}

    def check(**fields: Any) -> Object:
        workers = {"machineDeployments": [{"class": "worker", "name": "md", **fields}]}
        found = render(the_class, workers=workers).machine_deployments["md"].machine_health_check
        assert found is not None
        spec: Object = found["spec"]
        return spec

    assert check()["remediation"] == trigger
    assert "remediation" not in check(healthCheck=own)
    assert check(healthCheck=own)["checks"] == own["checks"]


def test_what_kubectl_remembers_is_not_cloned() -> None:
    """last-applied-configuration of a template is about the template."""
    given = templates()
    for item in given:
        item["metadata"]["annotations"] = {
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
            "kept": "1",
        }

    found, _ = desired_state(blueprint(given=given), cluster())

    machines = found.control_plane.infrastructure_machine_template
    assert machines is not None
    assert set(machines["metadata"]["annotations"]) == {
        "kept", "cluster.x-k8s.io/cloned-from-name", "cluster.x-k8s.io/cloned-from-groupkind"}  # fmt: skip


@pytest.mark.parametrize(
    ("mode", "uid", "expected"),
    [(WHEN_UID, "", None), (WHEN_UID, "u1", "u1"), (ALWAYS, "", ""), ("never", "u1", None)],
)
def test_owner_references(mode: str, uid: str, expected: str | None) -> None:
    """Templates and health checks refer to the Cluster, by its uid."""
    owner = cluster()
    if uid:
        owner["metadata"]["uid"] = uid

    found, _ = desired_state(blueprint(), owner, None, DesiredStateSettings(mode))

    references = found.machine_deployments["md"].bootstrap["metadata"].get("ownerReferences")
    assert references == (
        None if expected is None
        else [{"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster", "name": "c1", "uid": expected}])  # fmt: skip
    assert "ownerReferences" not in found.control_plane.object["metadata"]


def test_an_unknown_class_of_workers_is_an_error() -> None:
    """The reference's text, its spelling included."""
    with pytest.raises(TopologyError) as caught:
        render(workers={"machineDeployments": [{"class": "nope", "name": "md"}]})

    assert str(caught.value) == (
        'failed to compute MachineDeployments: failed to compute MachineDepoyment for topology "md":'
        " MachineDeployment class nope not found in ClusterClass ns/metal"
    )


def running(version: str, status: str | None, worker: str) -> ClusterState:
    """A control plane and a MachineDeployment in a cluster."""
    control_plane: Object = {
        "apiVersion": "controlplane.cluster.x-k8s.io/v1beta2",
        "kind": "KubeadmControlPlane",
        "metadata": {"name": "c1-cp", "namespace": "ns"},
        "spec": {"version": version},
    }
    if status:
        control_plane["status"] = {"version": status}
    name = {"name": "c1-md", "namespace": "ns"}
    deployment = {"metadata": name, "spec": {"template": {"spec": {"version": worker}}}}
    return ClusterState({}, {}, ControlPlaneState(control_plane), {"md": WorkerState(deployment, {}, {})})


UPGRADES: dict[str, tuple[str, str | None, str, str, str]] = {
    "git knows no status": ("v1.32.0", None, "v1.32.0", "v1.33.1", "v1.33.1"),
    "the control plane goes first": ("v1.32.0", "v1.32.0", "v1.32.0", "v1.33.1", "v1.32.0"),
    "workers wait for a control plane that upgrades": ("v1.33.1", "v1.32.0", "v1.32.0", "v1.33.1", "v1.32.0"),
    "then workers follow": ("v1.33.1", "v1.33.1", "v1.32.0", "v1.33.1", "v1.33.1"),
}


@pytest.mark.parametrize("name", UPGRADES)
def test_versions_go_up_in_turn(name: str) -> None:
    """From v1.32.0 to v1.33.1: (control plane's spec, status, worker) -> versions of the desired state."""
    version, status, worker, expected, expected_worker = UPGRADES[name]

    found, _ = desired_state(blueprint(), cluster(), running(version, status, worker))

    assert found.control_plane.object["spec"]["version"] == expected
    assert found.machine_deployments["md"].object["spec"]["template"]["spec"]["version"] == expected_worker
    assert found.control_plane.object["metadata"]["name"] == "c1-cp"


def test_two_minor_versions_need_the_classs_versions() -> None:
    """Without them the reference refuses; with them it goes step by step."""
    current = running("v1.31.0", "v1.31.0", "v1.31.0")

    with pytest.raises(TopologyError, match=r"cannot compute an upgrade plan from v1\.31\.0 to v1\.33\.1"):
        desired_state(blueprint(), cluster(), current)
    stepwise = cluster_class(kubernetesVersions=["v1.31.0", "v1.32.7", "v1.33.1"])
    found, tracker = desired_state(blueprint(stepwise), cluster(), current)

    assert found.control_plane.object["spec"]["version"] == "v1.32.7"
    assert tracker.plan == ["v1.32.7", "v1.33.1"]
    step = "topology.internal.cluster.x-k8s.io/upgrade-step"
    assert found.cluster["metadata"]["annotations"][step] == "v1.32.7"


def test_the_control_plane_waits_where_workers_have_to_go_first() -> None:
    """Workers four minor versions behind the goal stop on the way; the control plane stays until they are there."""
    versions = ["v1.30.0", "v1.31.0", "v1.32.0", "v1.33.0", "v1.34.0"]
    the_blueprint = blueprint(cluster_class(kubernetesVersions=versions))
    current = running("v1.33.0", "v1.33.0", "v1.30.0")

    found, tracker = desired_state(the_blueprint, cluster(version="v1.34.0"), current)

    assert tracker.is_waiting_for_workers
    assert found.control_plane.object["spec"]["version"] == "v1.33.0"
    assert found.machine_deployments["md"].object["spec"]["template"]["spec"]["version"] == "v1.33.0"


def test_the_input_is_not_changed() -> None:
    """Templates and class are shared by all Clusters, so nothing may write into them."""
    the_blueprint = blueprint(cluster_class(patches=[{"name": "p", "definitions": [{
        "selector": {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "kind": "MetalMachineTemplate",
                     "matchResources": {"controlPlane": True, "machineDeploymentClass": {"names": ["worker"]}}},
        "jsonPatches": [{"op": "add", "path": "/spec/template/spec/tags", "value": {}},
                        {"op": "add", "path": "/spec/template/spec/tags/name",
                         "valueFrom": {"variable": "builtin.cluster.name"}}]}]}]))  # fmt: skip
    before = repr((the_blueprint.control_plane_machine_template, the_blueprint.cluster_class))
    first, second = cluster(), cluster()
    second["metadata"]["name"] = "c2"

    states = [desired_state(the_blueprint, one)[0] for one in (first, second, first)]

    assert repr((the_blueprint.control_plane_machine_template, the_blueprint.cluster_class)) == before
    tags = [
        one.machine_deployments["md"].infrastructure["spec"]["template"]["spec"]["tags"] for one in states
    ]
    assert tags == [{"name": "c1"}, {"name": "c2"}, {"name": "c1"}]
    assert repr(list(states[0].objects())) == repr(list(states[2].objects()))


@pytest.mark.parametrize(("mode", "owners"), [("never", None), (ALWAYS, ["c1"])])
def test_owners_of_templates_are_not_cloned(mode: str, owners: list[str] | None) -> None:
    """A template belongs to its class, what is made of it to the Cluster; so do the objects of a pool."""
    given = templates()
    for item in given:
        item["metadata"]["ownerReferences"] = [{"kind": "ClusterClass", "name": "metal"}]
    workers = {
        "machineDeployments": [{"class": "worker", "name": "md"}],
        "machinePools": [{"class": "pool", "name": "mp"}],
    }

    found, _ = desired_state(
        blueprint(given=given), cluster(workers=workers), None, DesiredStateSettings(mode)
    )

    machines = found.control_plane.infrastructure_machine_template
    assert machines is not None
    for made in (
        machines,
        found.machine_deployments["md"].bootstrap,
        found.machine_pools["mp"].bootstrap,
        found.machine_pools["mp"].infrastructure,
    ):
        references = made["metadata"].get("ownerReferences")
        assert (references and [one["name"] for one in references]) == owners
