"""Take the state before a change from running objects if the old package has them, else render it.

An export of a cluster holds the ClusterClass and the Cluster too. Their render gives the fields that the
topology applied last; managedFields, if the export has them, are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.clusterapi.api import labels
from krmkit.systems.clusterapi.api.objectversion import how_to_export, label
from krmkit.systems.clusterapi.api.roles import CLUSTER, CONTROL_PLANE, WORKER_KINDS
from krmkit.systems.clusterapi.desired.comparison import applied_by_topology, is_live
from krmkit.systems.clusterapi.desired.current import CurrentObjects
from krmkit.systems.clusterapi.desired.versions import UpgradeTracker, WorkersTracker, is_running
from krmkit.systems.clusterapi.model.state import ClusterState, ControlPlaneState, WorkerState


def running_state(rendered: ClusterState | None, found: ClusterState | None) -> ClusterState | None:
    """Return the running objects `found`, with their last applied fields; `rendered` if nothing runs."""
    if found is None or not is_running(found.control_plane.object):
        return rendered
    last = dict(rendered.objects()) if rendered is not None else {}
    for role, item in found.objects():
        if not item or role == CLUSTER or not is_live(item):
            continue
        applied = applied_by_topology(item) or last.get(role)
        if applied is not None:
            found.applied[role] = applied
    return found


def knows_applied(state: ClusterState) -> bool:
    """Return whether removals are visible: the last applied fields of the control plane are known."""
    return not is_live(state.control_plane.object) or CONTROL_PLANE in state.applied


def missing_objects(running: CurrentObjects, cluster: Object, state: ClusterState) -> list[str]:
    """Return an error for each referenced object that is absent, which stops the controller."""
    namespace = str(mapping(cluster, "metadata").get("namespace", ""))
    return [
        f"{label(holder)}: {path} names {reference.get('kind', '')} {reference.get('name', '')}, which is not there, so the controller"
        f" stops with an error and changes nothing; if only the export lacks it: {_export(reference, namespace)}"
        for holder, path, reference in _references(cluster, state)
        if reference.get("name") and running.find(namespace, reference) is None
    ]


def _references(cluster: Object, state: ClusterState) -> Iterator[tuple[Object, str, Object]]:
    """Yield (object, path, reference) for every reference of running objects."""
    if is_live(cluster):
        for name in ("infrastructureRef", "controlPlaneRef"):
            yield cluster, f"spec.{name}", mapping(cluster, "spec", name)
    control_plane = state.control_plane.object
    if is_live(control_plane):
        for path in (("machineTemplate", "spec"), ("machineTemplate",)):
            inner = ("spec", *path, "infrastructureRef")
            yield control_plane, ".".join(inner), mapping(control_plane, *inner)
    for kind in WORKER_KINDS:
        for group in state.workers(kind).values():
            for path in (("bootstrap", "configRef"), ("infrastructureRef",)):
                inner = ("spec", "template", "spec", *path)
                if is_live(group.object):
                    yield group.object, ".".join(inner), mapping(group.object, *inner)


def _export(reference: Object, namespace: str) -> str:
    group = reference.get("apiGroup") or labels.group_of(str(reference.get("apiVersion", "")))
    kind, name = str(reference.get("kind", "")), str(reference.get("name", ""))
    version = labels.version_of(str(reference.get("apiVersion", "")))
    if version:
        return how_to_export(f"{group}/{version}", kind, namespace, name)
    return f"kubectl get {kind}.{group} {name} -n {namespace} -o yaml"


def reached(state: ClusterState) -> ClusterState:
    """Return a desired state after all its machines are replaced: the control plane runs its version."""
    plane = state.control_plane
    version = mapping(plane.object, "spec").get("version", "")
    running = {**plane.object, "status": {"version": version}} if plane.object else plane.object
    done = ControlPlaneState(running, plane.infrastructure_machine_template, plane.machine_health_check)
    return ClusterState(
        state.cluster,
        state.infrastructure_cluster,
        done,
        dict(state.machine_deployments),
        dict(state.machine_pools),
    )


def in_effect(current: ClusterState, desired: ClusterState, tracker: UpgradeTracker) -> ClusterState:
    """Return the desired state without the parts that the controller does not reconcile yet.

    New worker groups are created when the control plane is stable. A control plane or worker group whose
    upgrade is pending stays unchanged, so that its machines are replaced only once; its health check does not
    wait. Source: reconcile_state.go.
    """
    plane = desired.control_plane
    if tracker.is_pending_upgrade and current.control_plane.object:
        there = current.control_plane
        plane = ControlPlaneState(
            there.object, there.infrastructure_machine_template, plane.machine_health_check
        )
    return replace(
        desired,
        control_plane=plane,
        machine_deployments=_groups_in_effect(
            current.machine_deployments, desired.machine_deployments, tracker.machine_deployments
        ),
        machine_pools=_groups_in_effect(current.machine_pools, desired.machine_pools, tracker.machine_pools),
    )


def _groups_in_effect(
    current: dict[str, WorkerState], desired: dict[str, WorkerState], tracker: WorkersTracker
) -> dict[str, WorkerState]:
    found = {}
    for name, group in desired.items():
        there = current.get(name)
        if there is None and name in tracker.pending_create:
            continue
        if there is not None and name in tracker.held:
            group = replace(there, machine_health_check=group.machine_health_check)
        found[name] = group
    return found
