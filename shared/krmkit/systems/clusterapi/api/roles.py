"""The role of an object in a topology: `controlPlane`, `machineDeployments/md-0/bootstrapTemplate`."""

from __future__ import annotations

from krmkit.systems.clusterapi.api.workerkinds import POOL, WORKER_KINDS, WorkerKind


class Role(str):
    """The role of an object; as a text it is what pins, plans and messages show.

    kind, group: of an object of a worker group, else None and "". part: the last part of the text, or all of
    it.
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
        """Return the role that a plan's JSON names."""
        listing, _, rest = text.partition("/")
        group, _, part = rest.rpartition("/")
        kind = next((kind for kind in WORKER_KINDS if kind.listing == listing), None)
        return cls(text) if kind is None else cls(part, kind, group)

    @property
    def is_template(self) -> bool:
        """Return whether the object is a template, as the class's is."""
        return self.part.endswith("Template")

    @property
    def is_holder(self) -> bool:
        """Return whether the object is the control plane or a worker group, which refers to the others."""
        return self == CONTROL_PLANE or (self.kind is not None and self.part == self.kind.role)

    @property
    def is_of_pool(self) -> bool:
        """Return whether the object belongs to a MachinePool."""
        return self.kind is POOL

    @property
    def holder(self) -> Role:
        """Return the role of the control plane or worker group of the object."""
        return CONTROL_PLANE if self.kind is None else Role(self.kind.role, self.kind, self.group)

    @property
    def owner(self) -> str:
        """Return the owner of the machines: `controlPlane`, `MachineDeployment md-0`, or ""."""
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
