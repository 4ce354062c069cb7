"""Find the current state of a topology. Source: core/reconcilers/topology/cluster/current_state.go.

Objects belong to a topology by the labels `cluster-name` and `owned`. Objects that a Cluster, control plane
or worker group refers to are looked up by group, kind and name, of any version.
"""

from __future__ import annotations

from collections.abc import Iterable

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.clusterapi.api import labels
from krmkit.systems.clusterapi.api.collection import Collected, CollectedObject
from krmkit.systems.clusterapi.api.roles import DEPLOYMENT, WORKER_KINDS
from krmkit.systems.clusterapi.desired.blueprint import ClusterBlueprint, is_text_map
from krmkit.systems.clusterapi.desired.cloning import made_type
from krmkit.systems.clusterapi.desired.versions import is_running
from krmkit.systems.clusterapi.model.state import ClusterState, ControlPlaneState, WorkerState
from krmkit.systems.clusterapi.webhooks.versionupdate import CurrentState as ValidationState

_NO_OBJECT: Object = {}


class CurrentObjects:
    """Objects by namespace, group, kind and name, and the worker groups of each Cluster, for many Clusters.

    CurrentObjects(objects).of(cluster)   # the ClusterState of the objects of this Cluster
    """

    def __init__(self, objects: Iterable[Object]) -> None:
        self._by_name: dict[tuple[str, str, str, str], Object] = {}
        self._workers: dict[tuple[str, str, str], list[Object]] = {}
        self._owned: dict[tuple[str, str], dict[tuple[str, str], Object]] = {}
        self._machines: dict[tuple[str, str, str], list[Object]] = {}
        self._created: dict[tuple[str, str, str], list[str]] = {}
        for item in objects:
            self._add(item)

    def _add(self, item: Object) -> None:
        metadata = mapping(item, "metadata")
        parts = (metadata.get("labels") or {}, metadata.get("annotations") or {})
        if not (isinstance(metadata.get("name"), str) and all(map(is_text_map, parts))):
            return  # No server accepts such an object, so it is not part of a state.
        namespace, kind = str(metadata.get("namespace", "")), str(item.get("kind", ""))
        group = labels.group_of(str(item.get("apiVersion", "")))
        self._by_name[namespace, group, kind, str(metadata.get("name", ""))] = item
        own = metadata.get("labels") or {}
        cluster = own.get(labels.CLUSTER_NAME)
        if cluster is None:
            return
        if group != labels.GROUP:
            if labels.OWNED in own and labels.DEPLOYMENT_NAME not in own and labels.POOL_NAME not in own:
                self._owned.setdefault((namespace, str(cluster)), {}).setdefault((group, kind), item)
            return
        group_of_machines = ""
        if kind == "Machine" and labels.CONTROL_PLANE in own:
            group_of_machines = "controlPlane"
        elif kind == "MachineSet" and labels.DEPLOYMENT_NAME in own:
            group_of_machines = f"MachineDeployment {own[labels.DEPLOYMENT_NAME]}"
        if group_of_machines:
            created = self._created.setdefault((namespace, str(cluster), group_of_machines), [])
            created.append(str(metadata.get("creationTimestamp", "")))
        if kind == "Machine" and labels.DEPLOYMENT_NAME in own:
            key = (namespace, str(cluster), str(own[labels.DEPLOYMENT_NAME]))
            self._machines.setdefault(key, []).append(item)
        elif kind in ("MachineDeployment", "MachinePool") and labels.OWNED in own:
            self._workers.setdefault((namespace, str(cluster), kind), []).append(item)

    def find(self, namespace: str, reference: Object) -> Object | None:
        """Return the object that a reference names by apiGroup (or apiVersion), kind and name, or None."""
        group = reference.get("apiGroup")
        if group is None:
            group = labels.group_of(str(reference.get("apiVersion", "")))
        return self._by_name.get(
            (namespace, str(group), str(reference.get("kind", "")), str(reference.get("name", "")))
        )

    def of(self, cluster: Object, blueprint: ClusterBlueprint | None = None) -> ClusterState | None:
        """Return the existing objects of a Cluster's topology; None if there are none.

        Missing objects are empty mappings. If the Cluster has no references (it comes from git), its objects
        are found by their labels and the kinds of the blueprint's templates.
        """
        metadata = mapping(cluster, "metadata")
        namespace, name = str(metadata.get("namespace", "")), str(metadata.get("name", ""))
        infrastructure = self._part(
            cluster, "infrastructureRef", blueprint.infrastructure_cluster_template if blueprint else None
        )
        control = self._part(
            cluster, "controlPlaneRef", blueprint.control_plane_template if blueprint else None
        )
        control_plane = self._control_plane(namespace, control)
        state = ClusterState(cluster, infrastructure or _NO_OBJECT, control_plane)
        for kind in WORKER_KINDS:
            groups = state.workers(kind)
            for worker in self._workers.get((namespace, name, kind.kind), ()):
                topology_name = find(worker, ("metadata", "labels", kind.label))
                if topology_name and topology_name not in groups:
                    groups[topology_name] = WorkerState(
                        worker,
                        self._referenced(namespace, worker, "bootstrap", "configRef"),
                        self._referenced(namespace, worker, "infrastructureRef"),
                        self._health_check(namespace, worker) if kind is DEPLOYMENT else None,
                    )
        if infrastructure or control_plane.object or state.machine_deployments or state.machine_pools:
            return state
        return None

    def _part(self, cluster: Object, field: str, template: Object | None) -> Object | None:
        """Return the object that a Cluster's reference names; without one, the object that the topology made.

        A reference to an absent object never falls back to an object of another name: this run writes an
        object of the referenced name, and the next run would find it and render something else.
        """
        metadata = mapping(cluster, "metadata")
        namespace = str(metadata.get("namespace", ""))
        reference = mapping(cluster, "spec", field)
        if reference or template is None:
            return self.find(namespace, reference)
        owned = self._owned.get((namespace, str(metadata.get("name", ""))), {})
        api_version, kind = made_type(template)
        return owned.get((labels.group_of(api_version), kind))

    def upgrading(self, cluster: Object, state: ClusterState) -> list[str]:
        """Return the MachineDeployments that have a Machine of another version."""
        metadata = mapping(cluster, "metadata")
        namespace, name = str(metadata.get("namespace", "")), str(metadata.get("name", ""))
        found = []
        for topology_name, md in state.machine_deployments.items():
            version = find(md.object, ("spec", "template", "spec", "version"))
            machines = self._machines.get((namespace, name, topology_name), ())
            if version and any(find(one, ("spec", "version")) not in (version, None) for one in machines):
                found.append(str(find(md.object, ("metadata", "name"), "")))
        return found

    def created(self, namespace: str, cluster: str, group: str) -> list[str] | None:
        """Return the creation times that decide about the age of a group; None if unknown.

        Those of the Machines for `controlPlane`, those of the MachineSets for `MachineDeployment md-0`.
        """
        return self._created.get((namespace, cluster, group))

    def validation_state(self, cluster: Object) -> ValidationState | None:
        """Return the running objects that the webhook checks before a version changes; None without any."""
        metadata = mapping(cluster, "metadata")
        namespace, name = str(metadata.get("namespace", "")), str(metadata.get("name", ""))
        control_plane = self.find(namespace, mapping(cluster, "spec", "controlPlaneRef"))
        if control_plane is None or not is_running(control_plane):
            return None
        machines = [
            machine
            for key, found in self._machines.items()
            if key[:2] == (namespace, name)
            for machine in found
        ]
        return ValidationState(
            control_plane,
            self._workers.get((namespace, name, "MachineDeployment"), []),
            self._workers.get((namespace, name, "MachinePool"), []),
            machines,
        )

    def _control_plane(self, namespace: str, found: Object | None) -> ControlPlaneState:
        if found is None:
            return ControlPlaneState(_NO_OBJECT)
        inner = mapping(found, "spec", "machineTemplate", "spec", "infrastructureRef") or mapping(
            found, "spec", "machineTemplate", "infrastructureRef"
        )
        return ControlPlaneState(found, self.find(namespace, inner), self._health_check(namespace, found))

    def _health_check(self, namespace: str, target: Object) -> Object | None:
        name = find(target, ("metadata", "name"), "")
        return self._by_name.get((namespace, labels.GROUP, "MachineHealthCheck", name))

    def _referenced(self, namespace: str, worker: Object, *path: str) -> Object:
        reference = mapping(worker, "spec", "template", "spec", *path)
        return self.find(namespace, reference) or _NO_OBJECT


def state_objects(collected: Collected) -> Iterable[Object]:
    """Yield the objects that may be part of a current state: labelled by topologies, and Machines."""
    for (group, kind, *_), item in collected.others.items():
        resource = item.resource
        if (
            resource is None
            or resource.may_hold(labels.OWNED)
            or (group == labels.GROUP and kind == "Machine")
        ):
            yield _with_namespace(item.data, item)


def _with_namespace(data: Object, item: CollectedObject) -> Object:
    metadata = mapping(data, "metadata")
    if metadata.get("namespace"):
        return data
    return {**data, "metadata": {**metadata, "namespace": item.namespace}}
