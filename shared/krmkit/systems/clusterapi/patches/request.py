"""The GeneratePatches request: templates with their holders and variables, in the reference's order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.roles import Role

INFRASTRUCTURE_REF = "spec.infrastructureRef"
CONTROL_PLANE_REF = "spec.controlPlaneRef"
BOOTSTRAP_REF = "spec.template.spec.bootstrap.configRef"
MACHINE_INFRASTRUCTURE_REF = "spec.template.spec.infrastructureRef"
CONTROL_PLANE_MACHINE_REFS = (
    "spec.machineTemplate.infrastructureRef",
    "spec.machineTemplate.spec.infrastructureRef",
)


@dataclass(slots=True)
class RequestItem:
    """One template of a request.

    role: the object that gets the patched template (`controlPlane`,
    `machineDeployments/md-0/bootstrapTemplate`). holder: the holderReference. variables: the overrides of the
    item's control plane or worker group, by name. builtin: the item's own part of the builtin variable; None
    for the infrastructure cluster.
    """

    uid: str
    role: Role
    holder: Object
    object: Object
    variables: Mapping[str, Any] = field(default_factory=dict)
    builtin: Object | None = None


@dataclass(slots=True)
class Request:
    """All items, the Cluster's variables by name, and `builtin.cluster`."""

    items: list[RequestItem]
    variables: Mapping[str, Any]
    builtin: Object

    def variables_for(self, names: frozenset[str] | None) -> Object:
        """Return the global variables that a patch sees: those defined for it (None: all), and `builtin`."""
        return {**_seen(self.variables, names), "builtin": self.builtin}


def item_variables(item: RequestItem, names: frozenset[str] | None) -> Object:
    """Return the variables of one item that a patch sees: its overrides, filtered, and `builtin`."""
    own = {} if item.builtin is None else {"builtin": item.builtin}
    return {**_seen(item.variables, names), **own}


def _seen(variables: Mapping[str, Any], names: frozenset[str] | None) -> Object:
    return {
        name: value
        for name, value in variables.items()
        if name != "builtin" and (names is None or name in names)
    }


def merge_variables(shared: Object, own: Object) -> Object:
    """Merge global variables and an item's: `builtin` field by field, others replace global ones."""
    merged = {**shared, **own}
    if "builtin" in shared and "builtin" in own:
        merged["builtin"] = _over(shared["builtin"], own["builtin"])
    return merged


def _over(below: Any, above: Any) -> Any:
    """Merge mappings at every level; `above` replaces everything else, as Go's decoder does."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    return {**below, **{name: _over(below.get(name), value) for name, value in above.items()}}


def wire_variables(variables: Object) -> list[Object]:
    """Return variables in the form of hooks. `wire_variables({"a": 1})` is [{"name": "a", "value": 1}]."""
    return [{"name": name, "value": value} for name, value in variables.items()]
