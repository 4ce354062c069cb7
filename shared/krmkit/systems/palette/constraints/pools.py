"""Machine pools: what their nodes have, in nano units (cores, bytes)."""

from __future__ import annotations

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.kube.quantity import GIBIBYTE, GIGABYTE, MEBIBYTE, MILLICORE, NANO, from_number
from krmkit.systems.palette.errors import PackError
from krmkit.systems.palette.packs.packfileschemas import RESOURCE_TYPES

CPU, MEMORY, DISK = RESOURCE_TYPES
TYPES = RESOURCE_TYPES
UNITS = {CPU: MILLICORE, MEMORY: MEBIBYTE, DISK: GIGABYTE}
UNIT_NAMES = {CPU: "m", MEMORY: "Mi", DISK: "GB"}

# Fields of a pool or of an instance type: (field, resource type, what one of it is).
_FIELDS = (
    ("cpu", CPU, NANO),
    ("memoryMiB", MEMORY, MEBIBYTE),
    ("diskGB", DISK, GIGABYTE),
    ("diskGiB", DISK, GIBIBYTE),
)

_FIELD = "machinePools"


class MachinePool:
    """One machine pool. `node`: the amount of each known resource type on one node.

    size: number of nodes, None if absent. instance_type: a name that was not in the table, or "".
    without_size and without_node: why its nodes are not known and what to do about it, "" for a pool of the
    config.
    """

    def __init__(
        self,
        name: str,
        node: dict[str, int],
        size: int | None,
        min_size: int | None = None,
        control_plane: bool = False,
        as_worker: bool = False,
        instance_type: str = "",
    ) -> None:
        self.name = name
        self.node = node
        self.size = size
        self.min_size = min_size
        self.control_plane = control_plane
        self.as_worker = as_worker
        self.instance_type = instance_type
        self.table = ""  # the name of its type in instanceTypes
        self.without_node = self.without_size = ""

    @classmethod
    def of(cls, data: dict[str, object], instance_types: dict[str, object] | None = None) -> MachinePool:
        """Read a pool from a config's entry.

        Fields: name, controlPlane, useControlPlaneAsWorker, size, minSize, cpu (cores per node), memoryMiB,
        diskGB or diskGiB, or instanceType, a name in `instance_types` ({cpu, memoryMiB, diskGB}).

        The entry's own fields win over its instance type. Raises PackError.
        """
        name = str(data.get("name") or "")
        instance = data.get("instanceType")
        table = (instance_types or {}).get(instance) if isinstance(instance, str) else None
        node: dict[str, int] = {}
        if isinstance(table, dict):
            _read(table, node, f"the instance type {instance}")
        _read(data, node, f"the pool {name}")
        pool = cls(
            name,
            node,
            _count(data, "size", name),
            _count(data, "minSize", name),
            data.get("controlPlane") is True,
            data.get("useControlPlaneAsWorker") is True,
            instance if isinstance(instance, str) and table is None else "",
        )
        pool.table = instance if isinstance(instance, str) and table is not None else ""
        return pool

    @property
    def worker(self) -> bool:
        """Return whether ordinary pods are scheduled here."""
        return not self.control_plane or self.as_worker

    def capacity(self, resource: str, use_min_size: bool = False) -> int | None:
        """Return the sum over all nodes in nano units; None if it is not known."""
        size = self.min_size if use_min_size and self.min_size is not None else self.size
        node = self.node.get(resource)
        return None if size is None or node is None else size * node


def read_pools(
    entries: list[dict[str, object]], instance_types: dict[str, object] | None = None
) -> list[MachinePool]:
    """Return the pools of a config. Raises PackError, also where two have the same name."""
    pools: list[MachinePool] = []
    names: set[str] = set()
    for entry in entries:
        pool = MachinePool.of(entry, instance_types)
        if pool.name in names:
            raise PackError(f"two pools have the name {pool.name}", field=_FIELD)
        names.add(pool.name)
        pools.append(pool)
    return pools


def _read(data: dict[str, object], node: dict[str, int], owner: str) -> None:
    given: dict[str, str] = {}
    for field, resource, unit in _FIELDS:
        value = data.get(field)
        if value is None:
            continue
        if resource in given:
            raise PackError(f"{owner} has both {given[resource]} and {field}: give one", field=_FIELD)
        given[resource] = field
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
            raise PackError(f"{field} of {owner} must be a number of at least 0", field=_FIELD)
        try:
            node[resource] = from_number(value) * unit // NANO
        except GoInputError as error:
            raise PackError(f"{field} of {owner}: {error}", field=_FIELD) from None


def _count(data: dict[str, object], field: str, name: str) -> int | None:
    value = data.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise PackError(f"{field} of the pool {name} must be a whole number of at least 0", field=_FIELD)
    return value
