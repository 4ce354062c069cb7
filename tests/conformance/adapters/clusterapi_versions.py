"""Versions, upgrade plans and health checks, judged by the engines that the functions call."""

from __future__ import annotations

from pathlib import Path

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import find
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.desired import cloning as healthcheck
from krmkit.systems.clusterapi.desired.controlplane import reference_with_api_version
from krmkit.systems.clusterapi.desired.upgrades import PlanSource, from_class_versions, one_minor
from krmkit.systems.clusterapi.desired.versions import (
    UpgradeTracker,
    blocking_hooks,
    control_plane_version,
    is_deferred,
    worker_version,
)
from tests.conformance.adapters._clusterapi_topology import Judge, Record, verdict


def mhc_resolution(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    blueprint = data["blueprint"]
    check = data["check"]
    if "MachineDeployment" in check:
        topology = data["mdTopology"].get("healthCheck") or {}
        own = blueprint["MachineDeployments"][data["mdTopology"]["class"]].get("HealthCheck") or {}
        enabled = healthcheck.is_enabled(own, topology)
    else:
        topology = find(blueprint, ("Topology", "controlPlane", "healthCheck"), {})
        own = find(blueprint, ("ClusterClass", "spec", "controlPlane", "healthCheck"))
        own = own or find(blueprint, ("ControlPlane", "HealthCheck"), {})
        machines = find(blueprint, ("ClusterClass", "spec", "controlPlane", "machineInfrastructure"))
        enabled = bool(machines) and healthcheck.is_enabled(own, topology)
    if check.startswith("Is"):
        return enabled is record["expect"], f"gives {enabled}"
    checks, remediation = healthcheck.resolved(own, topology)
    return verdict(record, lambda: {"wantChecks": checks, "wantRemediation": remediation})


def upgrade_plan(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    source: PlanSource = one_minor
    if data["function"] == "clusterclass_versions":
        source = from_class_versions(data["clusterClassVersions"])

    def plan() -> Object:
        control_plane, workers = source(data["desiredVersion"], data["currentControlPlaneVersion"], "")
        return {
            "wantControlPlaneUpgradePlan": control_plane or None,
            "wantWorkersUpgradePlan": workers or None,
        }

    return verdict(record, plan)


def upgrade_deferred(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    workers = data["topology"]["workers"]
    topologies = workers.get("machineDeployments") or workers.get("machinePools")
    return verdict(record, lambda: is_deferred(topologies, data["worker"]))


def ref_api_version(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    return verdict(
        record, lambda: reference_with_api_version(data.get("currentRef"), data["desiredReferencedObject"])
    )


_HOOKS = {
    "beforeClusterUpgradeResponse": "BeforeClusterUpgrade",
    "beforeControlPlaneUpgradeResponse": "BeforeControlPlaneUpgrade",
    "beforeWorkersUpgradeResponse": "BeforeWorkersUpgrade",
    "afterWorkersUpgradeResponse": "AfterWorkersUpgrade",
}


def version_computation(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    tracker = UpgradeTracker()
    blocking = {hook for field, hook in _HOOKS.items() if find(data, (field, "retryAfterSeconds"), 0)}
    if data.get("afterControlPlaneUpgradeHookBlocking"):
        blocking.add("AfterControlPlaneUpgrade")
    if data.get("beforeWorkersUpgradeHookBlocking"):
        blocking.add("BeforeWorkersUpgrade")
    # Only the name of the case holds the test's change of its Cluster.
    if record["source"].endswith("BeforeClusterUpgradeHook annotation is set"):
        blocking |= blocking_hooks({"before-upgrade.hook.cluster.cluster.x-k8s.io/test": "true"})
    tracker.blocking = frozenset(blocking)
    deployments, pools = tracker.machine_deployments, tracker.machine_pools
    deployments.upgrading = list(data.get("upgradingMachineDeployments") or ())
    pools.upgrading = list(data.get("upgradingMachinePools") or ())

    def work() -> Object:
        if any(find(data, (field, "status")) == "Failure" for field in _HOOKS):
            raise TopologyError("a hook answers Failure")
        if data["function"] == "version_control_plane":
            return control_plane()
        return worker()

    def control_plane() -> Object:
        tracker.plan = data.get("controlPlaneUpgradePlan") or []
        deployments.plan = data.get("machineDeploymentsUpgradePlan") or []
        pools.plan = data.get("machinePoolsUpgradePlan") or []
        version = control_plane_version(tracker, data.get("controlPlaneObj"), data["topologyVersion"])
        found = {
            "expectedVersion": version,
            "expectedIsPendingUpgrade": tracker.is_pending_upgrade,
            "expectedIsStartingUpgrade": tracker.is_starting_upgrade,
            "expectedIsWaitingForWorkersUpgrade": tracker.is_waiting_for_workers,
        }
        return {key: found[key] for key in record["expect"]}

    def worker() -> Object:
        tracker.is_pending_upgrade = bool(data.get("controlPlanePendingUpgrade"))
        tracker.is_upgrading = bool(data.get("controlPlaneUpgrading"))
        tracker.is_starting_upgrade = bool(data.get("controlPlaneStartingUpgrade"))
        tracker.is_provisioning = bool(data.get("controlPlaneProvisioning"))
        tracker.is_waiting_for_workers = bool(data.get("controlPlaneWaitingForWorkersUpgrade"))
        deployment = data["function"] == "version_machine_deployment"
        workers = deployments if deployment else pools
        workers.plan = data.get("upgradePlan") or []
        workers.concurrency = data.get("upgradeConcurrency", 1)
        prefix = "MachineDeployment" if deployment else "MachinePool"
        topology = data.get("machine" + prefix[7:] + "Topology") or {}
        current = find(data, (f"current{prefix}State", "Object"))
        version = worker_version(
            tracker, workers, prefix, topology, [topology], current, data["topologyVersion"]
        )
        found = {
            "expectedVersion": version,
            "expectPendingCreate": bool(workers.pending_create),
            "expectPendingUpgrade": bool(workers.pending_upgrade),
        }
        return {key: found[key] for key in record["expect"]}

    return verdict(record, work)


FILES: dict[str, Judge] = {
    "mhc_resolution.jsonl": mhc_resolution,
    "ref_api_version.jsonl": ref_api_version,
    "upgrade_deferred.jsonl": upgrade_deferred,
    "upgrade_plan.jsonl": upgrade_plan,
    "version_computation.jsonl": version_computation,
}
