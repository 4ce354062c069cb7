"""Edit the text of an object into its converted form: entries move, with comments and order."""

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
_FAR: tuple[tuple[Path, Path], ...] = (
    (("rollout", "strategy", "rollingUpdate", "deletePolicy"), ("deletion", "order")),
    (("rollout", "strategy", "remediation", "maxInFlight"), ("healthCheck", "remediation", "maxInFlight")),
    (("rollout", "strategy", "remediation", "maxInFlight"), ("remediation", "maxInFlight")),
    (
        ("clusterConfiguration", "apiServer", "timeoutForControlPlane"),
        ("initConfiguration", "timeouts", "controlPlaneComponentHealthCheckSeconds"),
    ),
    (("joinConfiguration", "discovery", "timeout"), ("joinConfiguration", "timeouts", "tlsBootstrapSeconds")),
)
"""The places, from a mapping above both, of fields that go to another branch."""
_ELSEWHERE = ("variable", "namespace", "uid", "resourceVersion", "fieldPath")
"""Fields whose value a template reads, or which a reference inside a namespace does not need."""
_EMPTY: tuple[object, ...] = (None, "", False, [], {})
_OUTER = "template"
"""The map of a worker class in v1beta1 whose parts lie beside it in v1beta2."""


def reshape(node: Map, new: Object, path: str = "") -> list[str]:
    """Give a mapping the fields of `new`; return the paths, with comments, of removed fields."""
    lost: list[str] = []
    for entry in [one for one in node.entries if one.name not in new]:
        target = next((one for one in MOVES.get(str(entry.name), ()) if _is_free(node, one, new)), None)
        if target is not None:
            _move(node, node, entry, target)
        elif entry.name == _OUTER and isinstance(deref(entry.value), Map):
            lost += _told(entry, f"{path}.{_OUTER}", False)
            _unwrap(node, entry)
    for source, target in _FAR:
        holder = _at(node, source[:-1])
        far = holder.entry(source[-1]) if isinstance(holder, Map) else None
        if far is not None and _is_free(node, target, new):
            _move(node, holder, far, target)
    for entry in list(node.entries):
        if entry.name is not None and entry.name not in new:
            lost += _gone(entry, f"{path}.{entry.name}")
            node.remove(entry.name)
    for name, value in new.items():
        known = node.entry(name)
        if known is None:
            node.set(name, value)
        else:
            lost += _fit(node, known, value, f"{path}.{name}".lstrip("."))
    return lost


def _gone(entry: Entry, path: str) -> list[str]:
    """Return the paths of the values below a removed entry, with their comments."""
    value = deref(entry.value)
    inner = value.entries if isinstance(value, Map) else []
    has_value = not inner and entry.name not in _ELSEWHERE and go_data(value) not in _EMPTY
    return [
        *_told(entry, path, has_value),
        *(line for one in inner for line in _gone(one, f"{path}.{one.name}")),
    ]


def _told(entry: Entry, path: str, has_value: bool) -> list[str]:
    """Return the path of a removed field, with its comments; [] without value and comment."""
    path, source = path.lstrip("."), entry.key.source
    if source is None:
        return [path] if has_value else []
    found = [line_comment(source, entry.key, entry.value)]
    for line in reversed(source.text[: entry.key.start].split("\n")[:-1]):
        if not line.lstrip().startswith("#"):
            break
        found.insert(0, line.strip())
    said = " ".join(one for one in found if one)
    return [f"{path} (its comment: {said})"] if said else [path] if has_value else []


def _fit(holder: Map, entry: Entry, value: Any, path: str) -> list[str]:
    """Write a value into an entry, and keep the text of all parts whose form stays."""
    there = entry.value
    if isinstance(there, Map) and isinstance(value, dict) and value:
        return reshape(there, value, path)
    if isinstance(there, Seq) and isinstance(value, list) and len(there.items) == len(value):
        lost: list[str] = []
        for position, (item, wanted) in enumerate(zip(list(there.items), value, strict=True)):
            if isinstance(item, Map) and isinstance(wanted, dict) and wanted:
                lost += reshape(item, wanted, f"{path}[{position}]")
            elif go_data(item) != wanted:
                there.replace(position, wanted)
        return lost
    if isinstance(there, Map) and isinstance(value, list):
        holder.replace(entry, _as_list(there, value))
    elif go_data(there) != value:
        holder.replace(entry, value)
    return []


def _as_list(arguments: Map, value: list[Any]) -> Seq:
    """Convert a map of arguments to a list of names and values, in the order of the map."""
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


def _at(node: Any, path: Path) -> Any:
    """Return the value at a path, or None."""
    for name in path:
        node = node.get(name) if isinstance(node, Map) else None
    return node


def _is_free(node: Map, path: Path, new: Object) -> bool:
    """Return whether a field belongs at a place of `new` that the text lacks."""
    return _at(node, path) is None and lookup(new, path) is not MISSING


def _move(node: Map, holder: Map, entry: Entry, path: Path) -> None:
    """Move an entry to a path below the node; new maps are made at the entry's old position."""
    position = node.entries.index(entry) if holder is node else len(node.entries)
    target = node
    for depth, name in enumerate(path[:-1]):
        below = target.get(name)
        if not isinstance(below, Map):
            below = Map()
            target.insert(position if depth == 0 else len(target.entries), name, below)
        target = below
    holder.touch()
    entry.key = to_node(path[-1])
    if target is not holder:
        holder.entries.remove(entry)
        target.append_entry(entry)


def _unwrap(node: Map, entry: Entry) -> None:
    """Replace a map by its entries."""
    position = node.entries.index(entry)
    inner = deref(entry.value)
    assert isinstance(inner, Map)
    node.touch()
    moved = list(inner.entries)
    node.entries[position : position + 1] = moved
