"""Name the role of an object in a topology, as in `machineDeployments/md-0/bootstrapTemplate`."""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.systems.clusterapi.api import labels


class Role(str):
    """The role of an object in a topology. Its text is used in pins, plans and messages.

    kind, group: the kind and name of the object's worker group, else None and "". part: the last part of the
    text, or all of it.
    """

    kind: WorkerKind | None
    group: str
    part: str

    def __new__(cls, part: str, kind: WorkerKind | None = None, group: str = "") -> Role:
        role = super().__new__(cls, part if kind is None else f"{kind.listing}/{group}/{part}")
        role.kind, role.group, role.part = kind, group, part
        return role

    @classmethod
    def of(cls, text: str) -> Role:
        """Parse the text of a role, as a plan's JSON has it."""
        listing, _, rest = text.partition("/")
        group, _, part = rest.rpartition("/")
        kind = next((kind for kind in WORKER_KINDS if kind.listing == listing), None)
        return cls(text) if kind is None else cls(part, kind, group)

    @property
    def is_template(self) -> bool:
        return self.part.endswith("Template")

    @property
    def is_holder(self) -> bool:
        """Return whether the object is a control plane or worker group, which refer to the other objects."""
        return self == CONTROL_PLANE or (self.kind is not None and self.part == self.kind.role)

    @property
    def is_of_pool(self) -> bool:
        return self.kind is POOL

    @property
    def holder(self) -> Role:
        """Return the role of the object's control plane or worker group."""
        return CONTROL_PLANE if self.kind is None else Role(self.kind.role, self.kind, self.group)

    @property
    def owner(self) -> str:
        """Return the owner of the machines: `controlPlane`, `MachineDeployment md-0`, or "" for none."""
        if self.kind is not None:
            return f"{self.kind.kind} {self.group}"
        return str(CONTROL_PLANE) if self in (CONTROL_PLANE, CONTROL_PLANE_MACHINES) else ""


CLUSTER = Role("cluster")
INFRASTRUCTURE_CLUSTER = Role("infrastructureCluster")
CONTROL_PLANE = Role("controlPlane")
CONTROL_PLANE_MACHINES = Role("controlPlaneInfrastructureMachineTemplate")
CONTROL_PLANE_HEALTH_CHECK = Role("controlPlaneMachineHealthCheck")
HEALTH_CHECK = "machineHealthCheck"
"""The last part of the role of a worker group's health check."""
NO_ROLE = Role("")
"""Of a template whose request comes from outside: nothing is written back."""


@dataclass(frozen=True, slots=True)
class WorkerKind:
    """MachineDeployment or MachinePool, with the names and wording that differ.

    listing: the field of spec.topology.workers, and the first part of each role. role, bootstrap,
    infrastructure: the last part of the role of the group, its bootstrap and its infrastructure object.
    templates: True if these two are templates. label: the label that holds the name in the topology.
    called, failure: Cluster API's wording in messages.
    """

    kind: str
    listing: str
    role: str
    bootstrap: str
    infrastructure: str
    templates: bool
    label: str
    called: str
    failure: str


DEPLOYMENT = WorkerKind(
    "MachineDeployment",
    "machineDeployments",
    "machineDeployment",
    "bootstrapTemplate",
    "infrastructureMachineTemplate",
    True,
    labels.DEPLOYMENT_NAME,
    "machine deployment",
    "failed to compute MachineDeployments: failed to compute MachineDepoyment for topology",
)
POOL = WorkerKind(
    "MachinePool",
    "machinePools",
    "machinePool",
    "bootstrapObject",
    "infrastructureMachinePoolObject",
    False,
    labels.POOL_NAME,
    "MachinePool",
    "failed to compute MachinePools: failed to compute MachinePool for topology",
)
WORKER_KINDS = (DEPLOYMENT, POOL)
