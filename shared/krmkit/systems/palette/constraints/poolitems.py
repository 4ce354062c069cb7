"""Machine pools of a Cluster API Cluster: control plane, MachineDeployments and MachinePools among the items.

The resources of a node are in a pool's machine template, or follow from the type of machine that the template
names; the table of types is the config's. Objects that another function rendered count as those of a cluster
do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.palette.constraints.machinetemplates import advice, node_of
from krmkit.systems.palette.constraints.pools import MachinePool
from krmkit.systems.palette.errors import PackError

FIELD = "poolsOfCluster"
CLUSTER_NAME = "cluster.x-k8s.io/cluster-name"
_GROUP = "cluster.x-k8s.io/"
_TOPOLOGY_NAMES = ("topology.cluster.x-k8s.io/deployment-name", "topology.cluster.x-k8s.io/pool-name")
_LEAST = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size"
_MACRO = "{{"


class PoolSource:
    """The items to search for pools, and the machines of the config.

    types: instanceTypes, {name: {cpu, memoryMiB, diskGB or diskGiB}}. templates: machineTemplates, {kind:
    {field: path}}.
    """

    def __init__(
        self,
        items: Iterable[Resource],
        types: Mapping[str, object] | None = None,
        templates: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self.items = list(items)
        self.types = types or {}
        self.templates = templates or {}

    def pools(self, cluster: str) -> list[MachinePool]:
        """Return a Cluster's pools by name or `namespace/name`, as `.pools("factories/plant-7")`.

        The control plane is the object whose kind ends in ControlPlane. Raises PackError if there is no such
        Cluster, more than one, or one without pools, or if a pool cannot be read.
        """
        namespace, _, name = cluster.rpartition("/")
        found = [
            item
            for item in self.items
            if _is_holder(item) and _cluster_of(item) == name and _fits(item, namespace)
        ]
        if not found:
            raise PackError(self._without_pools(cluster, name, namespace), field=FIELD)
        namespaces = sorted({_namespace(item) for item in found})
        if len(namespaces) > 1:
            wanted = listed([f"{one}/{name}" for one in namespaces])
            raise PackError(
                f"{FIELD}: {len(namespaces)} Clusters have the name {name}; give one of {wanted}", field=FIELD
            )
        holders = [data for item in found if isinstance(data := item.get(), dict)]
        machines = self._machines({_reference(holder) for holder in holders}, namespaces[0])
        pools: list[MachinePool] = []
        taken: set[object] = set()
        for holder in holders:
            if not _reference(holder)[1] and not isinstance(mapping(holder, "spec").get("replicas"), int):
                continue  # a control plane that the provider runs has no machines here
            pool = self._pool(holder, machines.get(_reference(holder), {}))
            if pool.name in taken:
                pool.name = f"{holder.get('kind')}/{mapping(holder.get('metadata')).get('name', '')}"
            taken.add(pool.name)
            pools.append(pool)
        return pools

    def _without_pools(self, cluster: str, name: str, namespace: str) -> str:
        clusters = [
            item for item in self.items if item.kind == "Cluster" and item.api_version.startswith(_GROUP)
        ]
        own = [item for item in clusters if item.name == name and _fits(item, namespace)]
        if any(item.get("spec", "topology") for item in own):
            return (
                f"{FIELD}: the Cluster {cluster} has a topology, and its machines are not among the items yet:"
                " run render-cluster-topology before validate-pack-constraints"
            )
        if own or not clusters:
            label = f'{CLUSTER_NAME}: "{name}"'
            return f"{FIELD}: no control plane, MachineDeployment or MachinePool has the label {label}"
        known = sorted({f"{_namespace(item)}/{item.name}" for item in clusters})
        return f"{FIELD}: there is no Cluster {cluster} among the items; there is {listed(known)}"

    def _machines(self, wanted: set[tuple[str, str]], namespace: str) -> dict[tuple[str, str], Object]:
        found: dict[tuple[str, str], Object] = {}
        kinds = {kind for kind, _ in wanted}
        for item in self.items:
            kind = item.kind
            if kind not in kinds:
                continue
            key = kind, item.name
            if key in wanted and _namespace(item) == namespace and isinstance(data := item.get(), dict):
                found[key] = data
        return found

    def _pool(self, holder: Object, machine: Object) -> MachinePool:
        metadata = mapping(holder, "metadata")
        own, notes = mapping(metadata, "labels"), mapping(metadata, "annotations")
        name = next((own[label] for label in _TOPOLOGY_NAMES if label in own), metadata.get("name", ""))
        entry: dict[str, object] = {"name": str(name)}
        kind, template = _reference(holder)
        what = f"{holder.get('kind')} {metadata.get('name', '')}"
        if str(holder.get("kind", "")).endswith("ControlPlane"):
            entry["controlPlane"] = True
        if isinstance(mapping(holder, "spec").get("replicas"), int):
            entry["size"] = mapping(holder, "spec")["replicas"]
        if str(notes.get(_LEAST, "")).isdecimal():
            entry["minSize"] = int(notes[_LEAST])
        if machine:
            entry.update(node_of(kind, machine, self.types, self.templates))
        pool = MachinePool.of(entry, dict(self.types))
        pool.without_size = f"the {what} has no spec.replicas"
        if machine:
            pool.without_node = f"the {kind} {template} does not say it: {advice(kind, machine)}"
        else:
            pool.without_node = (
                f"the {kind or 'machine template'} {template} of the {what} is not among the items"
            )
        return pool


def cluster_named(wanted: str, items: Iterable[Resource], config: Resource | None) -> str:
    """Return the name in poolsOfCluster, as earlier functions left the config's own item.

    A pipeline reads its configs before it starts, when macros are not resolved and the Cluster has the name
    of a blueprint. Two items that could be the config are none. Raises PackError where a macro is left.
    """
    if config is not None:
        kind, name = config.kind, config.name
        own = [item for item in items if item.kind == kind and item.name == name]
        if len(own) == 1:
            wanted = own[0].string("data" if kind == "ConfigMap" else "spec", FIELD) or wanted
    if _MACRO in wanted:
        raise PackError(
            f"{FIELD}: {wanted} holds a macro that is not resolved: run resolve-macros before, with this config among"
            " the items of the package",
            field=FIELD,
        )
    return wanted


def _is_holder(item: Resource) -> bool:
    kind = item.kind
    if kind in ("MachineDeployment", "MachinePool"):
        return item.api_version.startswith(_GROUP)
    return kind.endswith("ControlPlane") and item.may_hold(CLUSTER_NAME)


def _cluster_of(item: Resource) -> str:
    return item.labels.get(CLUSTER_NAME) or item.string("spec", "clusterName")


def _namespace(item: Resource) -> str:
    return item.namespace or "default"


def _fits(item: Resource, namespace: str) -> bool:
    return not namespace or _namespace(item) == namespace


def _reference(holder: Object) -> tuple[str, str]:
    """Kind and name of the template of a pool's machines, "" where it has none."""
    spec = mapping(holder, "spec")
    if str(holder.get("kind", "")).endswith("ControlPlane"):
        template = mapping(spec, "machineTemplate")
        template = template.get("spec") or template
    else:
        template = mapping(spec, "template", "spec")
    reference = mapping(template, "infrastructureRef")
    return str(reference.get("kind", "")), str(reference.get("name", ""))
