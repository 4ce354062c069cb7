"""The objects of a managed topology, as they are or as they should be. Source: exp/topology/scope/state.go."""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Object = dict[str, Any]


@dataclass(slots=True)
class ControlPlaneState:
    """A control plane, the template of its machines if the class has one, and its health check if there is one."""

    object: Object
    infrastructure_machine_template: Object | None = None
    machine_health_check: Object | None = None


@dataclass(slots=True)
class MachineDeploymentState:
    """A MachineDeployment with its two templates, and its health check if there is one."""

    object: Object
    bootstrap_template: Object
    infrastructure_machine_template: Object
    machine_health_check: Object | None = None


@dataclass(slots=True)
class MachinePoolState:
    """A MachinePool with the two objects that it refers to."""

    object: Object
    bootstrap_object: Object
    infrastructure_machine_pool_object: Object


@dataclass(slots=True)
class ClusterState:
    """All objects of one Cluster; worker groups by their name in the topology, in the topology's order."""

    cluster: Object
    infrastructure_cluster: Object
    control_plane: ControlPlaneState
    machine_deployments: dict[str, MachineDeploymentState] = field(default_factory=dict)
    machine_pools: dict[str, MachinePoolState] = field(default_factory=dict)

    def objects(self) -> Iterator[tuple[str, Object]]:
        """Every object with its role, the Cluster first: `("machineDeployments/md-0/bootstrapTemplate", {...})`."""
        yield "cluster", self.cluster
        yield "infrastructureCluster", self.infrastructure_cluster
        control_plane = self.control_plane
        yield "controlPlane", control_plane.object
        if control_plane.infrastructure_machine_template is not None:
            yield "controlPlaneInfrastructureMachineTemplate", control_plane.infrastructure_machine_template
        if control_plane.machine_health_check is not None:
            yield "controlPlaneMachineHealthCheck", control_plane.machine_health_check
        for name, md in self.machine_deployments.items():
            base = f"machineDeployments/{name}/"
            yield base + "machineDeployment", md.object
            yield base + "bootstrapTemplate", md.bootstrap_template
            yield base + "infrastructureMachineTemplate", md.infrastructure_machine_template
            if md.machine_health_check is not None:
                yield base + "machineHealthCheck", md.machine_health_check
        for name, mp in self.machine_pools.items():
            base = f"machinePools/{name}/"
            yield base + "machinePool", mp.object
            yield base + "bootstrapObject", mp.bootstrap_object
            yield base + "infrastructureMachinePoolObject", mp.infrastructure_machine_pool_object
