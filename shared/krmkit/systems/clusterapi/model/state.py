"""Hold the objects of a managed topology, as they are or should be. Source: exp/topology/scope/state.go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api import roles
from krmkit.systems.clusterapi.api.roles import DEPLOYMENT, WORKER_KINDS, WorkerKind


@dataclass(slots=True)
class ControlPlaneState:
    """A control plane; optionally the template of its machines, and its health check."""

    object: Object
    infrastructure_machine_template: Object | None = None
    machine_health_check: Object | None = None


@dataclass(slots=True)
class WorkerState:
    """A MachineDeployment with two templates and a health check, or a MachinePool with its two objects."""

    object: Object
    bootstrap: Object
    infrastructure: Object
    machine_health_check: Object | None = None


@dataclass(slots=True)
class ClusterState:
    """All objects of one Cluster; worker groups by their name in the topology, in the topology's order.

    applied: the objects that the topology applied last, by role. Empty if unknown.
    """

    cluster: Object
    infrastructure_cluster: Object
    control_plane: ControlPlaneState
    machine_deployments: dict[str, WorkerState] = field(default_factory=dict)
    machine_pools: dict[str, WorkerState] = field(default_factory=dict)
    applied: dict[roles.Role, Object] = field(default_factory=dict)

    def workers(self, kind: WorkerKind) -> dict[str, WorkerState]:
        return self.machine_deployments if kind is DEPLOYMENT else self.machine_pools

    def objects(self) -> Iterator[tuple[roles.Role, Object]]:
        """Yield every object with its role, the Cluster first: `("machineDeployments/md-0/...", {...})`."""
        yield roles.CLUSTER, self.cluster
        yield roles.INFRASTRUCTURE_CLUSTER, self.infrastructure_cluster
        control_plane = self.control_plane
        yield roles.CONTROL_PLANE, control_plane.object
        if control_plane.infrastructure_machine_template is not None:
            yield roles.CONTROL_PLANE_MACHINES, control_plane.infrastructure_machine_template
        if control_plane.machine_health_check is not None:
            yield roles.CONTROL_PLANE_HEALTH_CHECK, control_plane.machine_health_check
        for kind in WORKER_KINDS:
            for name, group in self.workers(kind).items():
                yield roles.Role(kind.role, kind, name), group.object
                yield roles.Role(kind.bootstrap, kind, name), group.bootstrap
                yield roles.Role(kind.infrastructure, kind, name), group.infrastructure
                if group.machine_health_check is not None:
                    yield roles.Role(roles.HEALTH_CHECK, kind, name), group.machine_health_check
