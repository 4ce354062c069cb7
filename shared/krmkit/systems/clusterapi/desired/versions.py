"""Kubernetes versions of control plane and workers, and the order of their upgrades.

Source: computeControlPlaneVersion, computeMachineDeploymentVersion, computeMachinePoolVersion in
desiredstate/desired_state.go. Lifecycle hooks have no answer offline: they count as not blocking.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import find, mapping
from krmkit.libraries.versions.blang import compare_with_build_tags
from krmkit.systems.clusterapi.api import labels
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.desired.upgrades import (
    PlanSource,
    default_and_validate,
    lowest_version,
    parse_version,
)
from krmkit.systems.clusterapi.webhooks.versionupdate import status_version

AFTER_CONTROL_PLANE_UPGRADE = "AfterControlPlaneUpgrade"
BEFORE_WORKERS_UPGRADE = "BeforeWorkersUpgrade"
AFTER_WORKERS_UPGRADE = "AfterWorkersUpgrade"
BEFORE_CLUSTER_UPGRADE = "BeforeClusterUpgrade"
BEFORE_CONTROL_PLANE_UPGRADE = "BeforeControlPlaneUpgrade"


@dataclass(slots=True)
class WorkersTracker:
    """The upgrade state of a Cluster's MachineDeployments, or of its MachinePools.

    `held`: names in the topology of groups whose upgrade is pending; names of objects may collide.
    """

    concurrency: int = 1
    plan: list[str] = field(default_factory=list)
    upgrading: list[str] = field(default_factory=list)
    pending_create: list[str] = field(default_factory=list)
    pending_upgrade: list[str] = field(default_factory=list)
    deferred: list[str] = field(default_factory=list)
    held: set[str] = field(default_factory=set)

    def hold(self, topology: Object, name: str) -> None:
        """Record that the upgrade of a group, and of its object, is pending."""
        self.pending_upgrade.append(name)
        self.held.add(str(topology.get("name", "")))

    def concurrency_reached(self) -> bool:
        """Return whether no further group may start its upgrade."""
        return len(self.upgrading) >= self.concurrency


@dataclass(slots=True)
class UpgradeTracker:
    """The progress of an upgrade. `blocking`: the lifecycle hooks that block it, as given by the caller."""

    plan: list[str] = field(default_factory=list)
    is_pending_upgrade: bool = False
    is_provisioning: bool = False
    is_upgrading: bool = False
    is_starting_upgrade: bool = False
    is_waiting_for_workers: bool = False
    machine_deployments: WorkersTracker = field(default_factory=WorkersTracker)
    machine_pools: WorkersTracker = field(default_factory=WorkersTracker)
    blocking: frozenset[str] = frozenset()

    def is_control_plane_stable(self) -> bool:
        """Return whether the control plane is neither being created or upgraded, nor about to be."""
        return not (
            self.is_provisioning or self.is_upgrading or self.is_pending_upgrade or self.is_starting_upgrade
        )

    def is_stable_or_waiting_for_workers(self) -> bool:
        """Return whether workers may upgrade: the control plane is stable, or waits for the workers."""
        if self.is_provisioning or self.is_upgrading or self.is_starting_upgrade:
            return False
        return not self.is_pending_upgrade or self.is_waiting_for_workers

    def is_planned(self) -> bool:
        return bool(self.plan or self.machine_deployments.plan or self.machine_pools.plan)


def is_running(control_plane: Object) -> bool:
    """Return whether a control plane comes from a cluster: it reports a version or has a uid.

    Versions in git are desired ones; if they counted as running, no change of a version would ever render.
    """
    return bool(status_version(control_plane) or find(control_plane, ("metadata", "uid")))


def compute_upgrade_plan(
    tracker: UpgradeTracker,
    control_plane: Object,
    worker_versions: tuple[list[str], list[str]],
    desired: str,
    source: PlanSource,
) -> None:
    """Fill in the plans of a tracker.

    worker_versions: the versions of the existing MachineDeployments and MachinePools.
    """
    current = str(find(control_plane, ("spec", "version"), ""))
    deployments, pools = worker_versions
    lowest = lowest_version((*deployments, *pools), current)
    wanted = parse_version(desired, "Cluster version")
    if _same_version(parse_version(current, "ControlPlane version"), wanted) and (
        not lowest or _same_version(parse_version(lowest, "min workers version"), wanted)
    ):
        return
    plan, workers_plan = source(desired, current, lowest)
    workers_plan = default_and_validate(desired, current, lowest, plan, workers_plan)
    tracker.plan = plan
    if deployments:
        tracker.machine_deployments.plan = workers_plan
    if pools:
        tracker.machine_pools.plan = workers_plan


def _same_version(one: Any, other: Any) -> bool:
    return bool(one.compare(other) == 0 and one.metadata == other.metadata)


def control_plane_version(tracker: UpgradeTracker, control_plane: Object | None, desired: str) -> str:
    """Return the version of the desired control plane. Raises TopologyError.

    control_plane: the current one, None if there is none.
    """
    if control_plane is None:
        return desired
    current = str(find(control_plane, ("spec", "version"), ""))
    tracker.is_pending_upgrade = current != desired
    status = status_version(control_plane)
    if not status:
        tracker.is_provisioning = True
        return current
    # The status lags behind the spec: an earlier step is still running.
    if compare_with_build_tags(parse_version(current, "version"), parse_version(status, "version")) > 0:
        tracker.is_upgrading = True
        return current
    if tracker.blocking & {AFTER_CONTROL_PLANE_UPGRADE, BEFORE_WORKERS_UPGRADE}:
        return current
    deployments, pools = tracker.machine_deployments, tracker.machine_pools
    if current in (*deployments.plan[:1], *pools.plan[:1]):
        tracker.is_waiting_for_workers = True
        return current
    if deployments.upgrading or pools.upgrading or AFTER_WORKERS_UPGRADE in tracker.blocking:
        return current
    if not tracker.is_pending_upgrade:
        return current
    if BEFORE_CLUSTER_UPGRADE in tracker.blocking:
        return current
    if not tracker.plan:
        raise TopologyError(
            "cannot compute the control plane version if the control plane is pending upgrade and the upgrade plan is"
            " not set"
        )
    if BEFORE_CONTROL_PLANE_UPGRADE in tracker.blocking:
        return current
    tracker.is_starting_upgrade = True
    tracker.is_pending_upgrade = False
    return tracker.plan[0]


def worker_version(
    tracker: UpgradeTracker,
    workers: WorkersTracker,
    kind: str,
    topology: Object,
    topologies: list[Object],
    current: Object | None,
    desired: str,
) -> str:
    """Return the version of a desired worker group. `kind` names it in errors: "machine deployment".

    topologies: the whole list that contains `topology`. current: the current object, None if there is none.
    """
    blocked = bool(tracker.blocking & {AFTER_CONTROL_PLANE_UPGRADE, BEFORE_WORKERS_UPGRADE})
    if current is None:
        if not tracker.is_control_plane_stable() or blocked:
            workers.pending_create.append(str(topology.get("name", "")))
        return desired
    version = str(find(current, ("spec", "template", "spec", "version"), ""))
    if version == desired:
        return version
    name = str(find(current, ("metadata", "name"), ""))
    if is_deferred(topologies, topology):
        workers.deferred.append(name)
        workers.hold(topology, name)
        return version
    if blocked or workers.concurrency_reached() or not tracker.is_stable_or_waiting_for_workers():
        workers.hold(topology, name)
        return version
    if not workers.plan:
        raise TopologyError(
            f"cannot compute the {kind} version if the {kind} is pending upgrade and the upgrade plan is not set"
        )
    if workers.plan[0] == version:
        workers.hold(topology, name)
        return version
    workers.upgrading.append(name)
    return workers.plan[0]


def is_deferred(topologies: list[Object], topology: Object) -> bool:
    """Return whether a group's upgrade is deferred, by its annotation or by `hold` of an earlier group."""
    annotations: Mapping[str, Any] = mapping(topology, "metadata", "annotations")
    if labels.DEFER_UPGRADE in annotations or labels.HOLD_UPGRADE_SEQUENCE in annotations:
        return True
    for other in topologies:
        if labels.HOLD_UPGRADE_SEQUENCE in mapping(other, "metadata", "annotations"):
            return True
        if other.get("name") == topology.get("name"):
            return False
    return False


def blocking_hooks(annotations: Mapping[str, Any]) -> set[str]:
    """Return the lifecycle hooks that annotations block: `before-upgrade.hook.cluster...`."""
    if any(key.startswith(labels.BEFORE_CLUSTER_UPGRADE_PREFIX) for key in annotations):
        return {BEFORE_CLUSTER_UPGRADE}
    return set()


def concurrency_of(topology_annotations: Mapping[str, Any]) -> int:
    """Return how many worker groups may upgrade at once: the Cluster's annotation, or 1."""
    text = str(topology_annotations.get(labels.UPGRADE_CONCURRENCY, ""))
    return max(1, int(text)) if text.isascii() and text.isdecimal() and len(text) < 10 else 1


def waiting(tracker: UpgradeTracker) -> list[str]:
    """Return a line for each part of an upgrade that waits."""
    lines = []
    if tracker.plan:
        lines.append(f"the control plane goes through {', '.join(tracker.plan)}")
    if BEFORE_CLUSTER_UPGRADE in tracker.blocking and tracker.is_pending_upgrade:
        lines.append(
            f"the upgrade is put off by the Cluster's annotation {labels.BEFORE_CLUSTER_UPGRADE_PREFIX}"
        )
    if tracker.is_provisioning and tracker.is_pending_upgrade:
        lines.append("the control plane is being created; it takes the new version afterwards")
    if tracker.is_upgrading:
        later = "; the next step waits for it" if tracker.is_pending_upgrade or tracker.is_planned() else ""
        lines.append(f"the control plane is still upgrading{later}")
    if tracker.is_waiting_for_workers and tracker.is_pending_upgrade:
        lines.append("the control plane waits for the workers to upgrade first")
    for kind, workers in (
        ("MachineDeployments", tracker.machine_deployments),
        ("MachinePools", tracker.machine_pools),
    ):
        if workers.plan:
            lines.append(f"{kind} go through {', '.join(workers.plan)}")
        if workers.deferred:
            lines.append(f"{kind} put off by annotation: {', '.join(workers.deferred)}")
        pending = [name for name in workers.pending_upgrade if name not in workers.deferred]
        if pending:
            lines.append(f"{kind} that wait for their turn: {', '.join(pending)}")
        if workers.pending_create:
            lines.append(
                f"{kind} that are created when the control plane is stable: {', '.join(workers.pending_create)}"
            )
    return lines
