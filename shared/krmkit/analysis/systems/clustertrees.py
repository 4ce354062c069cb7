"""Show Clusters as trees: control plane and worker groups with their machines, and the steps of replacements.

cluster_trees(items, places, plan)
# [{"namespace": "plants", "name": "lyon", "version": "v1.31.4", "class": "plants/plant", "groups": [...]}]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import entries, find, mapping, sequence, text
from krmkit.render.findings.fieldtable import field_table
from krmkit.systems.clusterapi.api.collection import CollectedObject, collect
from krmkit.systems.clusterapi.api.labels import CLUSTER_NAME
from krmkit.systems.clusterapi.api.roles import CONTROL_PLANE, WORKER_KINDS, Role, WorkerKind

Data = dict[str, Any]
Key = tuple[str, str]

# v1beta2 first, then v1beta1.
_LIMITS: tuple[Path, ...] = (
    ("spec", "rollout", "strategy", "rollingUpdate"),
    ("spec", "strategy", "rollingUpdate"),
)
_MACHINES: tuple[Path, ...] = (
    ("spec", "machineTemplate", "spec", "infrastructureRef"),
    ("spec", "machineTemplate", "infrastructureRef"),
)
_NOTES = ("metadata", "annotations")
_MACHINE = ("spec", "template", "spec")
_NUMBERS = ("replicas", "maxSurge", "maxUnavailable")
_LEAST, _MOST = (f"cluster.x-k8s.io/cluster-api-autoscaler-node-group-{end}-size" for end in ("min", "max"))


def cluster_trees(items: Sequence[Resource], places: Mapping[int, str], plan: Data) -> list[Data]:
    """Return the Clusters among the items of a package. Raises Refused, YamlError.

    places: an item's place in a file, by id(). plan: the data of `krmkit topology plan`; {} without one.
    """
    collected = collect(items)
    owned: dict[Key, list[CollectedObject]] = {}
    for item in collected.others.values():
        resource = item.resource
        if resource is not None and _is_part(item):
            name = resource.string("metadata", "labels", CLUSTER_NAME) or resource.string(
                "spec", "clusterName"
            )
            owned.setdefault((item.namespace, name), []).append(item)
    plans = {(one["namespace"], one["name"]): one for one in entries(plan.get("clusters"))}
    return [_tree(one, owned.get(one.key, []), places, plans.get(one.key, {})) for one in collected.clusters]


def _is_part(item: CollectedObject) -> bool:
    """Return whether an object holds machines of a Cluster, or is its infrastructure."""
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
    effects = _Effects(plan)
    tree["groups"] = [_control_plane(topology, owned, effects)]
    for kind in WORKER_KINDS:
        tree["groups"] += _workers(kind, topology, owned, effects)
    return tree


def _class(topology: Data, namespace: str) -> str:
    """Return `namespace/name` of the ClusterClass; in v1beta1 the fields are class and classNamespace."""
    reference = mapping(topology.get("classRef"))
    name = text(reference.get("name")) or text(topology.get("class"))
    space = text(reference.get("namespace")) or text(topology.get("classNamespace")) or namespace
    return f"{space}/{name}" if name else ""


def _control_plane(topology: Data, owned: Sequence[CollectedObject], effects: _Effects) -> Data:
    given = mapping(topology.get("controlPlane"))
    item = next((one for one in owned if one.kind.endswith("ControlPlane")), None)
    values = _values(item)
    group: Data = {"role": CONTROL_PLANE, "name": ""}
    _add(
        group,
        object=f"{item.kind} {item.name}" if item is not None else "",
        replicas=values.get(("spec", "replicas"), given.get("replicas")),
        version=values.get(("spec", "version"), topology.get("version")),
        template=next((name for path in _MACHINES if (name := _reference(values, path))), ""),
        **_limits(values),
    )
    return effects.added(group, CONTROL_PLANE)


def _workers(
    kind: WorkerKind, topology: Data, owned: Sequence[CollectedObject], effects: _Effects
) -> list[Data]:
    """Return a kind's groups: the topology's in its order, then those of objects, then removed ones."""
    made: dict[str, CollectedObject] = {}
    for item in owned:
        if item.kind == kind.kind and item.resource is not None:
            made[item.resource.string("metadata", "labels", kind.label) or item.name] = item
    given = {text(one.get("name")): one for one in entries(mapping(topology, "workers").get(kind.listing))}
    gone = {role.group: None for role, action in effects.holders if action == "remove" and role.kind is kind}
    groups = []
    for name in {**given, **made, **gone}:
        entry, found = given.get(name, {}), made.get(name)
        values = _values(found)
        group: Data = {"role": kind.role, "name": name}
        notes = mapping(entry, *_NOTES)
        _add(
            group,
            object=f"{found.kind} {found.name}" if found is not None else "",
            **{"class": text(entry.get("class"))},
            replicas=values.get(("spec", "replicas"), entry.get("replicas")),
            minReplicas=values.get((*_NOTES, _LEAST), notes.get(_LEAST)),
            maxReplicas=values.get((*_NOTES, _MOST), notes.get(_MOST)),
            version=values.get((*_MACHINE, "version")) or (topology.get("version") if entry else None),
            failureDomain=values.get((*_MACHINE, "failureDomain")) or entry.get("failureDomain"),
            template=_reference(values, (*_MACHINE, "infrastructureRef")),
            bootstrap=_reference(values, (*_MACHINE, "bootstrap", "configRef")),
            **_limits(values),
        )
        groups.append(effects.added(group, f"{kind.kind} {name}"))
    return groups


def _values(item: CollectedObject | None) -> Mapping[Path, object]:
    """Return the values of an object by path, {} without an object. Raises Refused, YamlError."""
    if item is None or item.resource is None:
        return {}
    # The answers of `krmkit why` have read these texts, and no tree of them is needed.
    values = field_table(item.resource.text, item.kind).values
    if not values:
        item.resource.get()  # raises the reason
    return values


def _limits(values: Mapping[Path, object]) -> Data:
    names = ("maxSurge", "maxUnavailable")
    limits = [{name: values.get((*path, name)) for name in names} for path in _LIMITS]
    return next((found for found in limits if any(value is not None for value in found.values())), {})


def _reference(values: Mapping[Path, object], path: Path) -> str:
    """Return `Kind name` of the reference at a path."""
    return f"{values.get((*path, 'kind'), '')} {values.get((*path, 'name'), '')}".strip()


def _add(group: Data, **values: object) -> None:
    """Add known values to a group. A value of a wrong type counts as absent: validation reports it."""
    for name, value in values.items():
        fits = (isinstance(value, str) and name != "replicas") or (type(value) is int and name in _NUMBERS)
        if fits and value != "":
            group[name] = value


class _Effects:
    """The effects of a Cluster's plan on its groups. `holders`: roles of objects with machines, and actions.

    The later plan of a blocked change counts as well.
    """

    def __init__(self, plan: Data) -> None:
        later = mapping(plan.get("then"))
        changes = [*entries(plan.get("changes")), *entries(later.get("changes"))]
        for step in (*entries(plan.get("steps")), *entries(later.get("steps"))):
            changes += entries(step.get("changes"))
        roles = [(Role.of(change["role"]), change["action"]) for change in changes]
        self.holders = [(role, action) for role, action in roles if role.is_holder]
        known = later or plan
        self._rolls = entries(known.get("rolls"))
        self._steps = [entries(step.get("rolls")) for step in entries(known.get("steps"))]

    def added(self, group: Data, name: str) -> Data:
        """Return the group with its effects: `action`, and `rolls` with the steps that replace machines."""
        action = next((action for role, action in self.holders if role.owner == name), "")
        if action:
            group["action"] = action
        roll = next((one for one in self._rolls if one["group"] == name), None)
        if roll is not None:
            steps = [
                number
                for number, rolls in enumerate(self._steps, 1)
                if any(one["group"] == name for one in rolls)
            ]
            group["rolls"] = {**{key: value for key, value in roll.items() if key != "group"}, "steps": steps or [1]}  # fmt: skip
        return group
