"""Model the GeneratePatches request, and the selectors of patches over its templates.

Source of the selectors: matchesSelector in patches/inline/json_patch_generator.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import find, mapping
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
        """Return `builtin` and the global variables in `names`, those defined for a patch (None: all)."""
        return {**_seen(self.variables, names), "builtin": self.builtin}


def item_variables(item: RequestItem, names: frozenset[str] | None) -> Object:
    """Return `builtin` and an item's overrides, as far as they are defined for a patch (names)."""
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
    """Merge mappings at every level; other values of `above` replace, as in Go's decoder."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    return {**below, **{name: _over(below.get(name), value) for name, value in above.items()}}


def wire_variables(variables: Object) -> list[Object]:
    """Return variables in the hooks' form. `wire_variables({"a": 1})` is [{"name": "a", "value": 1}]."""
    return [{"name": name, "value": value} for name, value in variables.items()]


_WORKER_REFS = (BOOTSTRAP_REF, MACHINE_INFRASTRUCTURE_REF)


def matches(item: RequestItem, selector: dict[str, Any]) -> bool:
    """Return whether a selector selects the item: same apiVersion and kind, and one matching resource.

    matches(item, {"apiVersion": "i/v1", "kind": "T", "matchResources": {"infrastructureCluster": True}})
    """
    template, versions = item.object, selector.get("apiVersion")
    version = template.get("apiVersion")
    if template.get("kind") != selector.get("kind"):
        return False
    # A ClusterClass names one version; an extension may name several, because it serves several.
    if version not in versions if isinstance(versions, list) else version != versions:
        return False
    resources = mapping(selector, "matchResources")
    holder = item.holder
    kind, path = holder.get("kind"), holder.get("fieldPath")
    if resources.get("infrastructureCluster") and kind == "Cluster" and path == INFRASTRUCTURE_REF:
        return True
    if resources.get("controlPlane") and (
        (kind == "Cluster" and path == CONTROL_PLANE_REF) or path in CONTROL_PLANE_MACHINE_REFS
    ):
        return True
    if path not in _WORKER_REFS:
        return False
    for holder_kind, label, builtin in (
        ("MachineDeployment", "machineDeploymentClass", "machineDeployment"),
        ("MachinePool", "machinePoolClass", "machinePool"),
    ):
        names = find(resources, (label, "names"))
        if kind == holder_kind and names:
            name = find(item.builtin, (builtin, "class"))
            if isinstance(name, str) and any(matches_class(pattern, name) for pattern in names):
                return True
    return False


def matches_class(pattern: str, name: str) -> bool:
    """Return whether a class name matches a pattern: equal, `*`, or with a star at one end."""
    return (
        pattern in ("*", name)
        or (pattern.startswith("*") and name.endswith(pattern[1:]))
        or (pattern.endswith("*") and name.startswith(pattern[:-1]))
    )
