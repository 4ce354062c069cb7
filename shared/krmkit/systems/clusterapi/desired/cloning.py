"""Make objects and templates of a Cluster from the templates of its class, and MachineHealthChecks.

Sources: templateToObject and templateToTemplate in exp/topology/desiredstate/desired_state.go; for health
checks exp/topology/scope/blueprint.go.
"""

from __future__ import annotations

from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.clusterapi.api import labels

_SERVER_FIELDS = ("resourceVersion", "finalizers", "uid", "selfLink", "creationTimestamp", "managedFields")


def object_from_template(
    template: Object,
    name: str,
    cluster: Object,
    *,
    computed_labels: Object | None = None,
    computed_annotations: Object | None = None,
    owner: Object | None = None,
) -> Object:
    """Return the object that a template's `spec.template` describes.

    Labels and annotations come from spec.template; computed ones override them, and Cluster API's own
    override both. apiVersion and kind are those of `made_type`.
    """
    source = mapping(template, "spec", "template")
    api_version, kind = made_type(template)
    metadata = _metadata(source, name, cluster)
    metadata["annotations"] = {
        **mapping(metadata, "annotations"),
        **(computed_annotations or {}),
        **cloned_from(template),
    }
    metadata["labels"] = {
        **mapping(metadata, "labels"),
        **(computed_labels or {}),
        labels.CLUSTER_NAME: mapping(cluster, "metadata").get("name", ""),
        labels.OWNED: "",
    }
    if owner is not None:
        metadata["ownerReferences"] = [owner]
    return {**source, "apiVersion": api_version, "kind": kind, "metadata": metadata}


def made_type(template: Object) -> tuple[str, str]:
    """Return apiVersion and kind of the objects made from a template: AWSCluster for an AWSClusterTemplate.

    spec.template may override both; a value that is not text counts as absent.
    """
    source = mapping(template, "spec", "template")
    api_version, kind = (
        own
        if isinstance(own := source.get(name), str) and own
        else str(template.get(name, "")).removesuffix(suffix)
        for name, suffix in (("apiVersion", ""), ("kind", "Template"))
    )
    return api_version, kind


def template_from_template(
    template: Object,
    name: str,
    cluster: Object,
    *,
    computed_labels: Object | None = None,
    owner: Object | None = None,
) -> Object:
    """Copy a template for one Cluster, with the template's own labels and annotations."""
    metadata = _metadata(template, name, cluster)
    annotations = dict(mapping(metadata, "annotations"))
    annotations.pop(labels.LAST_APPLIED, None)
    metadata["annotations"] = {**annotations, **cloned_from(template)}
    metadata["labels"] = {
        **mapping(metadata, "labels"),
        labels.CLUSTER_NAME: mapping(cluster, "metadata").get("name", ""),
        labels.OWNED: "",
        **(computed_labels or {}),
    }
    metadata.pop("ownerReferences", None)
    if owner is not None:
        metadata["ownerReferences"] = [owner]
    return {**template, "metadata": metadata}


def _metadata(source: Object, name: str, cluster: Object) -> Object:
    metadata = {key: value for key, value in mapping(source, "metadata").items() if key not in _SERVER_FIELDS}
    metadata["name"] = name
    metadata["namespace"] = mapping(cluster, "metadata").get("namespace", "")
    return metadata


def cloned_from(template: Object) -> Object:
    """Return the annotations of a clone that name its template: name, and `Kind.group`."""
    kind, group = template.get("kind", ""), labels.group_of(str(template.get("apiVersion", "")))
    return {
        labels.CLONED_FROM_NAME: mapping(template, "metadata").get("name", ""),
        labels.CLONED_FROM_GROUP_KIND: f"{kind}.{group}" if group else kind,
    }


def owner_reference(cluster: Object) -> Object:
    """Return the reference to a Cluster for generated templates; the uid is empty if the Cluster has none."""
    metadata = mapping(cluster, "metadata")
    return {
        "apiVersion": labels.API_VERSION,
        "kind": "Cluster",
        "name": metadata.get("name", ""),
        "uid": metadata.get("uid", ""),
    }


def contract_reference(target: Object) -> Object:
    """Refer to an object by group, kind and name: `{"apiGroup": "g", "kind": "K", "name": "n"}`."""
    return {
        "apiGroup": labels.group_of(str(target.get("apiVersion", ""))),
        "kind": target.get("kind", ""),
        "name": mapping(target, "metadata").get("name", ""),
    }


def compact(value: Any) -> Any:
    """Drop what Go omits: absent fields, empty texts, lists and maps; 0 and False stay.

    compact({"a": None, "b": {"c": ""}, "d": 0})   # {"d": 0}
    """
    if isinstance(value, dict):
        found = {key: compact(item) for key, item in value.items()}
        return {key: item for key, item in found.items() if item is not None and item not in ("", [], {})}
    return value


def merged_metadata(first: Object, second: Object, name: str) -> Object:
    """Merge "labels" or "annotations" of two metadata; entries of the first override."""
    return {**mapping(second, name), **mapping(first, name)}


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
    """Return the MachineHealthCheck for a control plane or MachineDeployment, with its name."""
    metadata = mapping(target, "metadata")
    spec_checks = {
        key: checks[key]
        for key in ("nodeStartupTimeoutSeconds", "unhealthyNodeConditions", "unhealthyMachineConditions")
        if checks.get(key) is not None and checks[key] != []
    }
    spec_checks.setdefault("nodeStartupTimeoutSeconds", NODE_STARTUP_TIMEOUT_SECONDS)
    spec: Object = {"clusterName": cluster_name, "selector": {"matchLabels": selector}, "checks": spec_checks}
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
