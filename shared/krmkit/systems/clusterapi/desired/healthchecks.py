"""Make MachineHealthChecks. Source: exp/topology/scope/blueprint.go."""

from __future__ import annotations

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.clusterapi.api import labels
from krmkit.systems.clusterapi.desired.cloning import compact

NODE_STARTUP_TIMEOUT_SECONDS = 600


def is_defined(health_check: Object) -> bool:
    """Return whether a healthCheck has any field but `enabled`. `is_defined({"enabled": True})` is False."""
    return bool(compact(health_check.get("checks")) or compact(health_check.get("remediation")))


def is_enabled(class_check: Object, topology_check: Object) -> bool:
    """Return whether class or topology define a health check and the topology does not disable it."""
    if not is_defined(class_check) and not is_defined(topology_check):
        return False
    enabled = topology_check.get("enabled")
    return True if enabled is None else bool(enabled)


def resolved(class_check: Object, topology_check: Object) -> tuple[Object, Object]:
    """Return checks and remediation: the topology's if it defines any, else the class's; never a mixture."""
    chosen = topology_check if is_defined(topology_check) else class_check
    return mapping(chosen, "checks"), mapping(chosen, "remediation")


def machine_health_check(
    target: Object,
    selector: Object,
    cluster_name: str,
    owner: Object | None,
    checks: Object,
    remediation: Object,
) -> Object:
    """Return the MachineHealthCheck of a control plane or MachineDeployment, whose name it has."""
    metadata = mapping(target, "metadata")
    spec_checks = {
        key: checks[key]
        for key in ("nodeStartupTimeoutSeconds", "unhealthyNodeConditions", "unhealthyMachineConditions")
        if checks.get(key) is not None and checks[key] != []
    }
    spec_checks.setdefault("nodeStartupTimeoutSeconds", NODE_STARTUP_TIMEOUT_SECONDS)
    spec: Object = {
        "clusterName": cluster_name,
        "selector": {"matchLabels": selector},
        "checks": spec_checks,
    }
    kept = compact({key: remediation.get(key) for key in ("triggerIf", "templateRef")})
    if kept:
        spec["remediation"] = kept
    meta: Object = {
        "name": metadata.get("name", ""),
        "namespace": metadata.get("namespace", ""),
        "labels": {labels.CLUSTER_NAME: cluster_name, labels.OWNED: ""},
    }
    if owner is not None:
        meta["ownerReferences"] = [owner]
    return {"apiVersion": labels.API_VERSION, "kind": "MachineHealthCheck", "metadata": meta, "spec": spec}
