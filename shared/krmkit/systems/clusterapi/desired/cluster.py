"""Compute the desired state of a Cluster. Source: Generate in exp/topology/desiredstate/desired_state.go.

The order of computation is the reference's: infrastructure cluster, template of the control plane's machines,
upgrade plan, control plane and its health check, Cluster, MachineDeployments, MachinePools, patches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import drop, find, mapping, put
from krmkit.systems.clusterapi.api import labels
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.names import ClusterNames
from krmkit.systems.clusterapi.api.roles import (
    CONTROL_PLANE,
    CONTROL_PLANE_HEALTH_CHECK,
    CONTROL_PLANE_MACHINES,
    DEPLOYMENT,
    INFRASTRUCTURE_CLUSTER,
    POOL,
    Role,
    WorkerKind,
)
from krmkit.systems.clusterapi.desired import cloning, upgrades
from krmkit.systems.clusterapi.desired.blueprint import ClusterBlueprint, worker_blueprint
from krmkit.systems.clusterapi.desired.controlplane import control_plane_object
from krmkit.systems.clusterapi.desired.requestitems import create_request
from krmkit.systems.clusterapi.desired.versions import (
    UpgradeTracker,
    blocking_hooks,
    compute_upgrade_plan,
    concurrency_of,
    control_plane_version,
    is_running,
    worker_version,
)
from krmkit.systems.clusterapi.desired.workers import referred_objects, worker_group
from krmkit.systems.clusterapi.model.causes import ClusterCauses, ObjectCauses
from krmkit.systems.clusterapi.model.extensions import Extensions, NoExtensions
from krmkit.systems.clusterapi.model.state import ClusterState, ControlPlaneState, WorkerState

WHEN_UID = "whenUid"
ALWAYS = "always"


@dataclass(slots=True)
class DesiredStateSettings:
    """Options of a desired state.

    owner_references: `whenUid` (only to Clusters with a uid), `always` (with an empty uid if it has none),
    `never`. names: pinned names by role. upgrading: MachineDeployments whose Machines have another version.
    causes: records what set the fields of the objects.
    """

    owner_references: str = WHEN_UID
    names: dict[str, str] = field(default_factory=dict)
    extensions: Extensions = field(default_factory=NoExtensions)
    upgrading: Sequence[str] = ()
    causes: ClusterCauses | None = None


_UPGRADE_EXTENSION = ("spec", "upgrade", "external", "generateUpgradePlanExtension")


def desired_state(
    blueprint: ClusterBlueprint,
    cluster: Object,
    current: ClusterState | None = None,
    settings: DesiredStateSettings | None = None,
) -> tuple[ClusterState, UpgradeTracker]:
    """Return the desired objects of a Cluster (v1beta2, defaulted) and its upgrade's progress.

    current: the existing objects; their names stay, and their versions steer upgrades if the control plane
    has a status. Raises TopologyError.
    """
    return _Generator(blueprint, cluster, current, settings or DesiredStateSettings()).generate()


@dataclass(slots=True)
class _Made:
    """A worker group: its name in the topology, its class, and (group, bootstrap, infrastructure)."""

    name: str
    worker_class: Object
    objects: tuple[Object, Object, Object]


class _Generator:
    def __init__(
        self,
        blueprint: ClusterBlueprint,
        cluster: Object,
        current: ClusterState | None,
        settings: DesiredStateSettings,
    ) -> None:
        self._blueprint = blueprint
        self._cluster = cluster
        self._causes = settings.causes
        self._current = current or ClusterState({}, {}, ControlPlaneState({}))
        self._settings = settings
        self._metadata = mapping(cluster, "metadata")
        self._topology = mapping(cluster, "spec", "topology")
        namespace, name = str(self._metadata.get("namespace", "")), str(self._metadata.get("name", ""))
        self._names = ClusterNames(namespace, name, settings.names)
        wanted = settings.owner_references
        owned = wanted == ALWAYS or (wanted == WHEN_UID and bool(self._metadata.get("uid")))
        self._owner = cloning.owner_reference(cluster) if owned else None
        # A control plane from git has the desired version, not the running one.
        self._versions_known = is_running(self._current.control_plane.object)
        self._tracker = UpgradeTracker()

    def generate(self) -> tuple[ClusterState, UpgradeTracker]:
        infrastructure = self._infrastructure_cluster()
        control_plane = ControlPlaneState({}, self._machine_template())
        self._plan()
        control_plane.object = self._control_plane(control_plane.infrastructure_machine_template)
        control_plane.machine_health_check = self._control_plane_health_check(control_plane.object)
        state = ClusterState(
            self._desired_cluster(infrastructure, control_plane.object), infrastructure, control_plane
        )
        for topology, made in self._workers(DEPLOYMENT):
            health_check = self._worker_health_check(topology, made)
            state.machine_deployments[made.name] = WorkerState(*made.objects, health_check)
        for _, made in self._workers(POOL):
            state.machine_pools[made.name] = WorkerState(*made.objects)
        try:
            engine = self._blueprint.engine
            if engine.has_patches:
                request = create_request(self._blueprint, state)
                engine.apply(request, state, self._settings.extensions, self._causes)
        except TopologyError as error:
            raise error.wrapped("failed to apply patches") from None
        return state, self._tracker

    def _infrastructure_cluster(self) -> Object:
        blueprint = self._blueprint
        current = self._current_name("infrastructureRef", self._current.infrastructure_cluster)
        try:
            name = self._names.templated(INFRASTRUCTURE_CLUSTER, current, blueprint.infrastructure_naming, {})
        except TopologyError as error:
            raise error.wrapped("failed to compute InfrastructureCluster") from None
        if self._causes is not None:
            self._causes.object(INFRASTRUCTURE_CLUSTER).cloned(blueprint.infrastructure_cluster_template)
        return cloning.object_from_template(blueprint.infrastructure_cluster_template, name, self._cluster)

    def _current_name(self, reference: str, existing: Object) -> str:
        """Return the name that the Cluster refers to, else that of the existing object."""
        referred = find(self._cluster, ("spec", reference, "name"))
        return str(referred or find(existing, ("metadata", "name"), ""))

    def _machine_template(self) -> Object | None:
        template = self._blueprint.control_plane_machine_template
        if template is None:
            return None
        existing = self._current.control_plane.object
        inner = "infrastructureRef"
        current = find(existing, ("spec", "machineTemplate", "spec", inner, "name")) or find(
            existing, ("spec", "machineTemplate", inner, "name"), ""
        )
        name = self._names.simple(CONTROL_PLANE_MACHINES, str(current), f"{self._metadata.get('name', '')}-")
        if self._causes is not None:
            self._causes.object(CONTROL_PLANE_MACHINES).cloned(template, whole=True)
        return cloning.template_from_template(template, name, self._cluster, owner=self._owner)

    def _plan(self) -> None:
        tracker = self._tracker
        annotations = mapping(self._metadata, "annotations")
        tracker.machine_deployments.concurrency = concurrency_of(annotations)
        tracker.machine_pools.concurrency = concurrency_of(annotations)
        tracker.blocking = frozenset(blocking_hooks(annotations))
        if not self._versions_known:
            return
        tracker.machine_deployments.upgrading = list(self._settings.upgrading)
        versions = self._blueprint.kubernetes_versions
        extension = find(self._blueprint.cluster_class, _UPGRADE_EXTENSION)
        source: upgrades.PlanSource = (
            upgrades.from_class_versions(versions) if versions else upgrades.one_minor
        )
        if extension:
            source = upgrades.from_extension(self._settings.extensions, str(extension), self._cluster)
        path = ("spec", "template", "spec", "version")
        current = self._current
        compute_upgrade_plan(
            tracker,
            current.control_plane.object,
            (
                [str(find(one.object, path, "")) for one in current.machine_deployments.values()],
                [str(find(one.object, path, "")) for one in current.machine_pools.values()],
            ),
            str(self._topology.get("version", "")),
            source,
        )

    def _control_plane(self, machine_template: Object | None) -> Object:
        blueprint = self._blueprint
        existing = self._current.control_plane.object
        current = self._current_name("controlPlaneRef", existing)
        desired = str(self._topology.get("version", ""))
        try:
            name = self._names.templated(CONTROL_PLANE, current, blueprint.control_plane_naming, {})
            version = control_plane_version(
                self._tracker, existing if self._versions_known else None, desired
            )
            entry = ("controlPlane",)
            causes = None if self._causes is None else self._causes.object(CONTROL_PLANE, entry, entry)
            return control_plane_object(
                blueprint, self._cluster, name, version, machine_template, existing, causes
            )
        except TopologyError as error:
            raise error.wrapped("failed to compute ControlPlane") from None

    def _control_plane_health_check(self, control_plane: Object) -> Object | None:
        if self._blueprint.control_plane_machine_template is None:
            return None
        class_check = mapping(self._blueprint.control_plane_class, "healthCheck")
        topology_check = mapping(self._topology, "controlPlane", "healthCheck")
        selector = {labels.CONTROL_PLANE: "", labels.OWNED: ""}
        entry = ("controlPlane",)
        causes = (
            None if self._causes is None else self._causes.object(CONTROL_PLANE_HEALTH_CHECK, entry, entry)
        )
        return self._health_check(control_plane, selector, class_check, topology_check, causes)

    def _health_check(
        self,
        target: Object,
        selector: Object,
        class_check: Object,
        topology_check: Object,
        causes: ObjectCauses | None,
    ) -> Object | None:
        if not cloning.is_enabled(class_check, topology_check):
            return None
        checks, remediation = cloning.resolved(class_check, topology_check)
        if causes is not None:
            causes.health_check(cloning.is_defined(topology_check), checks)
        cluster_name = str(self._metadata.get("name", ""))
        return cloning.machine_health_check(target, selector, cluster_name, self._owner, checks, remediation)

    def _desired_cluster(self, infrastructure: Object, control_plane: Object) -> Object:
        cluster_name = self._metadata.get("name", "")
        own = {**mapping(self._metadata, "labels"), labels.CLUSTER_NAME: cluster_name, labels.OWNED: ""}
        if self._causes is not None:
            self._causes.cluster_object()
        result = put(_without_empty(self._cluster), ("metadata", "labels"), own)
        result = put(result, ("spec", "infrastructureRef"), cloning.contract_reference(infrastructure))
        result = put(result, ("spec", "controlPlaneRef"), cloning.contract_reference(control_plane))
        step = ("metadata", "annotations", labels.UPGRADE_STEP)
        if self._tracker.is_planned():
            return put(result, step, find(control_plane, ("spec", "version")))
        return drop(result, step)

    def _workers(self, kind: WorkerKind) -> Iterator[tuple[Object, _Made]]:
        """Yield each entry of the topology of this kind, with its worker group."""
        for number, topology in enumerate(find(self._topology, ("workers", kind.listing)) or []):
            try:
                yield topology, self._worker(kind, topology, number)
            except TopologyError as error:
                raise error.wrapped(f"{kind.failure} {quote(str(topology.get('name', '')))}") from None

    def _worker(self, kind: WorkerKind, topology: Object, number: int) -> _Made:
        blueprint = worker_blueprint(self._blueprint, kind, str(topology.get("class", "")))
        name = str(topology.get("name", ""))
        groups = self._current.workers(kind)
        current = groups[name].object if name in groups else None
        names = (
            self._worker_template(Role(kind.bootstrap, kind, name), current, name, "bootstrap", "configRef"),
            self._worker_template(Role(kind.infrastructure, kind, name), current, name, "infrastructureRef"),
        )
        bootstrap, infrastructure = referred_objects(kind, blueprint, self._cluster, name, names, self._owner)
        causes = None
        if self._causes is not None:
            templates = blueprint.bootstrap_template, blueprint.infrastructure_template
            causes = self._causes.worker(kind, number, str(topology.get("class", "")), *templates)
        version = self._worker_version(kind, topology, current)
        own_name = self._names.templated(
            Role(kind.role, kind, name),
            str(find(current, ("metadata", "name"), "")) if current is not None else "",
            blueprint.naming,
            {kind.role: {"topologyName": name}},
        )
        group = worker_group(
            kind,
            blueprint.worker_class,
            self._cluster,
            topology,
            own_name,
            version,
            bootstrap,
            infrastructure,
            causes,
        )
        return _Made(name, blueprint.worker_class, (group, bootstrap, infrastructure))

    def _worker_health_check(self, topology: Object, made: _Made) -> Object | None:
        selector = {labels.OWNED: "", labels.DEPLOYMENT_NAME: made.name}
        class_check, topology_check = (
            mapping(made.worker_class, "healthCheck"),
            mapping(topology, "healthCheck"),
        )
        causes = None
        if self._causes is not None:
            causes = self._causes.worker_health_check(made.name)
        return self._health_check(made.objects[0], selector, class_check, topology_check, causes)

    def _worker_template(self, role: str, current: Object | None, name: str, *path: str) -> str:
        existing = ""
        if current is not None:
            existing = str(find(current, ("spec", "template", "spec", *path, "name"), ""))
        return self._names.simple(role, existing, f"{self._metadata.get('name', '')}-{name}-")

    def _worker_version(self, kind: WorkerKind, topology: Object, current: Object | None) -> str:
        tracker = self._tracker
        return worker_version(
            tracker,
            tracker.machine_deployments if kind is DEPLOYMENT else tracker.machine_pools,
            kind.called,
            topology,
            find(self._topology, ("workers", kind.listing)) or [],
            current if self._versions_known else None,
            str(self._topology.get("version", "")),
        )


def _without_empty(value: Any) -> Any:
    """Drop empty lists, as Go does when it writes a Cluster."""
    if not isinstance(value, dict):
        return [_without_empty(item) for item in value] if isinstance(value, list) else value
    return {
        key: item if key == "variables" else _without_empty(item) for key, item in value.items() if item != []
    }
