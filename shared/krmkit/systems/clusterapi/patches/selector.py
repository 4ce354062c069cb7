"""The selectors of patch definitions. Source: matchesSelector in patches/inline/json_patch_generator.go."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.clusterapi.patches import request

_WORKER_REFS = (request.BOOTSTRAP_REF, request.MACHINE_INFRASTRUCTURE_REF)


def matches(item: request.RequestItem, selector: dict[str, Any]) -> bool:
    """Return whether a selector selects the item: equal apiVersion and kind, and one resource that matches.

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
    if resources.get("infrastructureCluster") and kind == "Cluster" and path == request.INFRASTRUCTURE_REF:
        return True
    if resources.get("controlPlane") and (
        (kind == "Cluster" and path == request.CONTROL_PLANE_REF)
        or path in request.CONTROL_PLANE_MACHINE_REFS
    ):
        return True
    if path not in _WORKER_REFS:
        return False
    for holder_kind, field, builtin in (
        ("MachineDeployment", "machineDeploymentClass", "machineDeployment"),
        ("MachinePool", "machinePoolClass", "machinePool"),
    ):
        names = find(resources, (field, "names"))
        if kind == holder_kind and names:
            name = find(item.builtin, (builtin, "class"))
            if isinstance(name, str) and any(matches_class(pattern, name) for pattern in names):
                return True
    return False


def matches_class(pattern: str, name: str) -> bool:
    """Return whether a class name fits a pattern: equal, `*`, or a star as first or last character."""
    return (
        pattern in ("*", name)
        or (pattern.startswith("*") and name.endswith(pattern[1:]))
        or (pattern.endswith("*") and name.startswith(pattern[:-1]))
    )
