"""Clusters as trees, for a report: the control plane and the worker groups with their machines, and the steps in which
they roll.

cluster_trees(items, places, plan)
# [{"namespace": "plants", "name": "lyon", "version": "v1.31.4", "class": "plants/plant", "groups": [...]}]
"""

from __future__ import annotations

from krmkit.clusterapi.api.collection import collect
from krmkit.clusterapi.api.labels import CLUSTER_NAME
from krmkit.clusterapi.api.roles import CONTROL_PLANE, Role
from krmkit.clusterapi.api.workerkinds import WORKER_KINDS
from krmkit.schema.fields import entries, find, mapping, sequence, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from krmkit.clusterapi.api.collection import CollectedObject
    from krmkit.clusterapi.api.workerkinds import WorkerKind
    from krmkit.krm.resource import Resource

    Data = dict[str, Any]
    Key = tuple[str, str]

# v1beta2 first, then v1beta1.
_LIMITS = (("spec", "rollout", "strategy", "rollingUpdate"), ("spec", "strategy", "rollingUpdate"))
_MACHINES = (("spec", "machineTemplate", "spec", "infrastructureRef"), ("spec", "machineTemplate", "infrastructureRef"))  # fmt: skip
_NUMBERS = ("replicas", "maxSurge", "maxUnavailable")
_LEAST, _MOST = (f"cluster.x-k8s.io/cluster-api-autoscaler-node-group-{end}-size" for end in ("min", "max"))


def cluster_trees(items: Sequence[Resource], places: Mapping[int, str], plan: Data) -> list[Data]:
    """The Clusters among the items of a package. Raises ListError, YamlError.

    places: an item's place in a file, by id(). plan: the data of `krmkit topology plan`; {} without one.
    """
    collected = collect(items)
    owned: dict[Key, list[CollectedObject]] = {}
    for item in collected.others.values():
        resource = item.resource
        if resource is not None and _is_part(item):
            name = resource.labels.get(CLUSTER_NAME) or resource.string("spec", "clusterName")
            owned.setdefault((item.namespace, name), []).append(item)
    plans = {(one["namespace"], one["name"]): one for one in entries(plan.get("clusters"))}
    return [_tree(one, owned.get(one.key, []), places, plans.get(one.key, {})) for one in collected.clusters]


def _is_part(item: CollectedObject) -> bool:
    """Whether an object holds machines of a Cluster, or is its infrastructure."""
    kind = item.kind
    return kind in ("MachineDeployment", "MachinePool") or kind.endswith(("ControlPlane", "Cluster"))


def _tree(
    cluster: CollectedObject, owned: Sequence[CollectedObject], places: Mapping[int, str], plan: Data
) -> Data:
    data = cluster.data
    topology = mapping(data, "spec", "topology")
    tree: Data = {"namespace": cluster.namespace, "name": cluster.name}
    place = places.get(id(cluster.resource), "")
    facts = {
        "place": place,
        "version": text(topology.get("version")),
        "class": _class(topology, cluster.namespace),
        "paused": find(data, ("spec", "paused")) is True,
        "infrastructure": next(
            (f"{one.kind} {one.name}" for one in owned if one.kind.endswith("Cluster")), ""
        ),
        "variables": [
            {"name": text(one.get("name")), "value": one.get("value")}
            for one in entries(topology.get("variables"))
        ],
        "action": text(plan.get("action")),
        "waits": sequence(plan.get("waits")),
        "errors": sequence(plan.get("errors")),
    }
    tree.update((name, value) for name, value in facts.items() if value)
    tree["groups"] = [_control_plane(topology, owned, plan)]
    for kind in WORKER_KINDS:
        tree["groups"] += _workers(kind, topology, owned, plan)
    return tree


def _class(topology: Data, namespace: str) -> str:
    """`namespace/name` of the ClusterClass; in v1beta1 the fields are class and classNamespace."""
    reference = mapping(topology.get("classRef"))
    name = text(reference.get("name")) or text(topology.get("class"))
    space = text(reference.get("namespace")) or text(topology.get("classNamespace")) or namespace
    return f"{space}/{name}" if name else ""


def _control_plane(topology: Data, owned: Sequence[CollectedObject], plan: Data) -> Data:
    given = mapping(topology.get("controlPlane"))
    item = next((one for one in owned if one.kind.endswith("ControlPlane")), None)
    data = item.data if item is not None else {}
    machines = next((found for path in _MACHINES if (found := mapping(data, *path))), {})
    group: Data = {"role": CONTROL_PLANE, "name": ""}
    _add(
        group,
        object=f"{item.kind} {item.name}" if item is not None else "",
        replicas=find(data, ("spec", "replicas"), given.get("replicas")),
        version=find(data, ("spec", "version"), topology.get("version")),
        template=_reference(machines),
        **_limits(data),
    )
    return _planned(group, CONTROL_PLANE, plan)


def _workers(kind: WorkerKind, topology: Data, owned: Sequence[CollectedObject], plan: Data) -> list[Data]:
    """The groups of one kind: the topology's in its order, then those known only from objects, then removed ones."""
    made: dict[str, CollectedObject] = {}
    for item in owned:
        if item.kind == kind.kind and item.resource is not None:
            made[item.resource.labels.get(kind.label) or item.name] = item
    given = {text(one.get("name")): one for one in entries(mapping(topology, "workers").get(kind.listing))}
    gone = {
        role.group: None
        for change in _changes(plan)
        if change["action"] == "remove" and (role := Role.of(change["role"])).is_holder and role.kind is kind
    }
    groups = []
    for name in {**given, **made, **gone}:
        entry, found = given.get(name, {}), made.get(name)
        data = found.data if found is not None else {}
        spec = mapping(data, "spec", "template", "spec")
        group: Data = {"role": kind.role, "name": name}
        notes = mapping(data, "metadata", "annotations") or mapping(entry, "metadata", "annotations")
        _add(
            group,
            object=f"{found.kind} {found.name}" if found is not None else "",
            **{"class": text(entry.get("class"))},
            replicas=find(data, ("spec", "replicas"), entry.get("replicas")),
            minReplicas=notes.get(_LEAST),
            maxReplicas=notes.get(_MOST),
            version=spec.get("version") or (topology.get("version") if entry else None),
            failureDomain=spec.get("failureDomain") or entry.get("failureDomain"),
            template=_reference(mapping(spec, "infrastructureRef")),
            bootstrap=_reference(mapping(spec, "bootstrap", "configRef")),
            **_limits(data),
        )
        groups.append(_planned(group, f"{kind.kind} {name}", plan))
    return groups


def _limits(data: Data) -> Data:
    limits = next((found for path in _LIMITS if (found := mapping(data, *path))), {})
    return {name: limits.get(name) for name in ("maxSurge", "maxUnavailable")}


def _reference(value: Data) -> str:
    return f"{value.get('kind', '')} {value.get('name', '')}".strip()


def _add(group: Data, **values: object) -> None:
    """Put known values into a group; a value of a wrong type counts as absent: validation reports it."""
    for name, value in values.items():
        fits = (isinstance(value, str) and name != "replicas") or (type(value) is int and name in _NUMBERS)
        if fits and value != "":
            group[name] = value


def _changes(plan: Data) -> list[Data]:
    """The changes of a plan, including its steps, or those of the later plan of a change that is held up."""
    later = mapping(plan.get("then"))
    changes = [*entries(plan.get("changes")), *entries(later.get("changes"))]
    for step in (*entries(plan.get("steps")), *entries(later.get("steps"))):
        changes += entries(step.get("changes"))
    return changes


def _planned(group: Data, name: str, plan: Data) -> Data:
    """The group with the plan's effects: `action`, and `rolls` with the numbers of the steps in which machines roll."""
    holder = next(
        (
            change["action"]
            for change in _changes(plan)
            if (role := Role.of(change["role"])).is_holder and role.owner == name
        ),
        "",
    )
    if holder:
        group["action"] = holder
    known = mapping(plan.get("then")) or plan
    roll = next((one for one in entries(known.get("rolls")) if one["group"] == name), None)
    if roll is not None:
        steps = [
            number
            for number, step in enumerate(entries(known.get("steps")), 1)
            if any(one["group"] == name for one in entries(step.get("rolls")))
        ]
        group["rolls"] = {**{key: value for key, value in roll.items() if key != "group"}, "steps": steps or [1]}  # fmt: skip
    return group
