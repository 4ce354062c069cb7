"""Machine pools of a Cluster API Cluster: its control plane, MachineDeployments and MachinePools among the items.

What a node has is said by the instance type that a pool's machine template names; the table of instance types is the
config's. Objects that another function rendered count as those of a cluster do.
"""

from __future__ import annotations

from krmkit.palette.pools import MachinePool, PoolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from krmkit.krm.resource import Resource

    Object = dict[str, Any]

CLUSTER_NAME = "cluster.x-k8s.io/cluster-name"
_GROUP = "cluster.x-k8s.io/"
_TOPOLOGY_NAMES = ("topology.cluster.x-k8s.io/deployment-name", "topology.cluster.x-k8s.io/pool-name")
# What providers call the type of a machine.
_TYPE_FIELDS = ("instanceType", "vmSize", "machineType", "instanceSize", "flavor", "type")


def pools_of_cluster(
    items: Iterable[Resource], cluster: str, instance_types: dict[str, object] | None = None
) -> list[MachinePool]:
    """The pools of a Cluster by name: `pools_of_cluster(resources, "plant-7", {"large": {"cpu": 8}})`.

    The control plane is the object whose kind ends in ControlPlane. Raises PoolError where the Cluster has no pools, or
    one of them cannot be read.
    """
    machines: dict[tuple[str, str], Object] = {}
    holders: list[Object] = []
    for item in items:
        if not item.may_hold(CLUSTER_NAME) or item.labels.get(CLUSTER_NAME) != cluster:
            continue
        data = item.get()
        assert isinstance(data, dict)
        kind = item.kind
        if kind.endswith("ControlPlane") or (
            kind in ("MachineDeployment", "MachinePool") and item.api_version.startswith(_GROUP)
        ):
            holders.append(data)
        else:
            machines[kind, item.name] = data
    if not holders:
        raise PoolError(
            f'poolsOfCluster: no control plane, MachineDeployment or MachinePool has the label {CLUSTER_NAME}: "{cluster}"'
        )
    return [MachinePool.of(_entry(holder, machines), instance_types) for holder in holders]


def _entry(holder: Object, machines: dict[tuple[str, str], Object]) -> dict[str, object]:
    """A pool as a config would give it."""
    spec = holder.get("spec") or {}
    own = holder["metadata"].get("labels") or {}
    name = next((own[label] for label in _TOPOLOGY_NAMES if label in own), holder["metadata"].get("name", ""))
    entry: dict[str, object] = {"name": str(name)}
    if str(holder.get("kind", "")).endswith("ControlPlane"):
        entry["controlPlane"] = True
        template = spec.get("machineTemplate") or {}
        template = template.get("spec") or template
    else:
        template = (spec.get("template") or {}).get("spec") or {}
    if isinstance(spec.get("replicas"), int):
        entry["size"] = spec["replicas"]
    reference = template.get("infrastructureRef") or {}
    machine = machines.get((str(reference.get("kind", "")), str(reference.get("name", ""))), {})
    found = machine.get("spec") or {}
    found = (found.get("template") or {}).get("spec") or found
    for field in _TYPE_FIELDS:
        if isinstance(found.get(field), str):
            entry["instanceType"] = found[field]
            break
    return entry
