"""The two kinds of worker groups, MachineDeployment and MachinePool, and what differs between them."""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.systems.clusterapi.api import labels


@dataclass(frozen=True, slots=True)
class WorkerKind:
    """MachineDeployment or MachinePool, with what differs between them.

    listing: the field of spec.topology.workers, and the first part of each role. role, bootstrap,
    infrastructure: the last part of the role of the group and of the two objects that it refers to.
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
