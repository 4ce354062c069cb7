"""A mapping of a text gets the data of a converted object: entries move and change their names, with their comments and in their order."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import MISSING, lookup
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.editing.linecomments import line_comment
from krmkit.libraries.yaml.tree import Entry, Map, Seq, deref, to_node

Path = tuple[str, ...]

MOVES: dict[str, tuple[Path, ...]] = {
    "apiVersion": (("apiGroup",),),
    "class": (("classRef", "name"),),
    "classNamespace": (("classRef", "namespace"),),
    "ref": (("templateRef",),),
    "machineHealthCheck": (("healthCheck",),),
    "enable": (("enabled",),),
    "nodeStartupTimeout": (("checks", "nodeStartupTimeoutSeconds"),),
    "unhealthyConditions": (("checks", "unhealthyNodeConditions"),),
    "unhealthyMachineConditions": (("checks", "unhealthyMachineConditions"),),
    "maxUnhealthy": (("remediation", "triggerIf", "unhealthyLessThanOrEqualTo"),),
    "unhealthyRange": (("remediation", "triggerIf", "unhealthyInRange"),),
    "remediationTemplate": (("remediation", "templateRef"),),
    "timeout": (("timeoutSeconds",),),
    "namingStrategy": (("naming",),),
    "infrastructureNamingStrategy": (("infrastructure", "naming"),),
    "machineNamingStrategy": (("machineNaming",),),
    "strategy": (("rollout", "strategy"),),
    "rolloutStrategy": (("rollout", "strategy"),),
    "rolloutBefore": (("rollout", "before"),),
    "rolloutAfter": (("rollout", "after"),),
    "remediationStrategy": (("remediation",),),
    "retryPeriod": (("retryPeriodSeconds",),),
    "minHealthyPeriod": (("minHealthyPeriodSeconds",),),
    "metadata": (("deprecatedV1Beta1Metadata",),),
    "generateExtension": (("generatePatchesExtension",),),
    "validateExtension": (("validateTopologyExtension",),),
    "ttl": (("ttlSeconds",),),
    "readinessGates": (("spec", "readinessGates"),),
    "taints": (("spec", "taints"),),
    "infrastructureRef": (("spec", "infrastructureRef"),),
    **{
        name: (("deletion", f"{name}Seconds"), ("spec", "deletion", f"{name}Seconds"))
        for name in ("nodeDrainTimeout", "nodeVolumeDetachTimeout", "nodeDeletionTimeout")
    },
}
"""The places, from the mapping that holds it, to which a field of v1beta1 goes."""
_ELSEWHERE = (
    "deletePolicy", "remediation", "timeout", "timeoutForControlPlane", "variable",
    "namespace", "uid", "resourceVersion", "fieldPath",
)  # fmt: skip
"""Fields whose value goes to a place far away, or which a reference inside a namespace does not need."""
_EMPTY: tuple[object, ...] = (None, "", False, [], {})
_OUTER = "template"
"""The map of a worker class in v1beta1 whose parts lie beside it in v1beta2."""


def reshape(node: Map, new: Object) -> list[str]:
    """Give a mapping the fields of `new`, and return the paths of what has no place any more."""
    return _reshape(node, new, "")


def _reshape(node: Map, new: Object, path: str) -> list[str]:
    lost: list[str] = []
    for entry in list(node.entries):
        name = entry.name
        if name is None or name in new:
            continue
        target = next((one for one in MOVES.get(name, ()) if _is_free(node, one, new)), None)
        if target is not None:
            _move(node, entry, target)
        elif name == _OUTER and isinstance(deref(entry.value), Map):
            lost += _comment(entry, f"{path}.{name}")
            _unwrap(node, entry)
        else:
            if name not in _ELSEWHERE and go_data(entry.value) not in _EMPTY:
                lost.append(f"{path}.{name}".lstrip("."))
            lost += _comment(entry, f"{path}.{name}")
            node.remove(name)
    for name, value in new.items():
        known = node.entry(name)
        place = f"{path}.{name}".lstrip(".")
        if known is None:
            node.set(name, value)
        else:
            lost += _fit(node, known, value, place)
    return lost


def _comment(entry: Entry, path: str) -> list[str]:
    """Return what is told of the comments above a field that goes, and on its line, [] if it has none."""
    source = entry.key.source
    if source is None:
        return []
    found = [line_comment(source, entry.key, entry.value)]
    for line in reversed(source.text[: entry.key.start].split("\n")[:-1]):
        if not line.lstrip().startswith("#"):
            break
        found.insert(0, line.strip())
    said = " ".join(one for one in found if one)
    return [f"{path.lstrip('.')} (its comment: {said})"] if said else []


def _fit(holder: Map, entry: Entry, value: Any, path: str) -> list[str]:
    """Give an entry a value, as deep in its tree as their forms agree."""
    there = entry.value
    if isinstance(there, Map) and isinstance(value, dict) and value:
        return _reshape(there, value, path)
    if isinstance(there, Seq) and isinstance(value, list) and len(there.items) == len(value):
        lost: list[str] = []
        for position, (item, wanted) in enumerate(zip(list(there.items), value, strict=True)):
            if isinstance(item, Map) and isinstance(wanted, dict) and wanted:
                lost += _reshape(item, wanted, f"{path}[{position}]")
            elif go_data(item) != wanted:
                there.replace(position, wanted)
        return lost
    if isinstance(there, Map) and isinstance(value, list):
        holder.replace(entry, _as_list(there, value))
    elif go_data(there) != value:
        holder.replace(entry, value)
    return []


def _as_list(arguments: Map, value: list[Any]) -> Seq:
    """Return a map of arguments as a list of names and values, in the order of the map."""
    order = {name: number for number, name in enumerate(arguments.names())}
    found = Seq(flow=arguments.flow and not arguments.entries)
    for one in sorted(value, key=lambda item: order.get(str(item.get("name")), 0)):
        old = arguments.entry(str(one.get("name")))
        item = Map()
        item.set("name", one["name"])
        if old is None:
            item.set("value", one["value"])
        else:
            old.key = to_node("value")
            item.append_entry(old)
        found.append(item)
    return found


def _is_free(node: Map, path: Path, new: Object) -> bool:
    """Return whether a field belongs to a place of the new data that the text does not have yet."""
    holder: Any = node
    for name in path:
        holder = holder.get(name) if isinstance(holder, Map) else None
    return holder is None and lookup(new, path) is not MISSING


def _move(node: Map, entry: Entry, path: Path) -> None:
    """Move an entry to a path, whose maps are made where the entry was."""
    position = node.entries.index(entry)
    entry_of = node
    for depth, name in enumerate(path[:-1]):
        below = entry_of.get(name)
        if not isinstance(below, Map):
            below = Map()
            entry_of.insert(position if depth == 0 else len(entry_of.entries), name, below)
            position += depth == 0
        entry_of = below
    node.touch()
    entry.key = to_node(path[-1])
    if entry_of is not node:
        node.entries.remove(entry)
        entry_of.append_entry(entry)


def _unwrap(node: Map, entry: Entry) -> None:
    """Put the entries of a map in its place."""
    position = node.entries.index(entry)
    inner = deref(entry.value)
    assert isinstance(inner, Map)
    node.touch()
    moved = list(inner.entries)
    node.entries[position : position + 1] = moved
