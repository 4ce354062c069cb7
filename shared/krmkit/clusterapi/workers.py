"""MachineDeployments and MachinePools of the desired state. Source: desiredstate/desired_state.go."""

from __future__ import annotations

from krmkit.clusterapi import labels
from krmkit.clusterapi.cloning import (
    compact,
    contract_reference,
    merged_metadata,
    object_from_template,
    template_from_template,
)
from krmkit.lang.nested import find, mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.clusterapi.blueprint import WorkerBlueprint

    Object = dict[str, Any]

_TIMEOUTS = ("nodeDrainTimeoutSeconds", "nodeVolumeDetachTimeoutSeconds", "nodeDeletionTimeoutSeconds")


def machine_deployment_templates(
    blueprint: WorkerBlueprint,
    cluster: Object,
    topology_name: str,
    names: tuple[str, str],
    owner: Object | None,
) -> tuple[Object, Object]:
    """The bootstrap and the machine template of a MachineDeployment; `names` are theirs, in this order."""
    own = {labels.DEPLOYMENT_NAME: topology_name}
    bootstrap, infrastructure = (
        template_from_template(template, name, cluster, computed_labels=own, owner=owner)
        for template, name in zip(
            (blueprint.bootstrap_template, blueprint.infrastructure_template), names, strict=True
        )
    )
    return bootstrap, infrastructure


def machine_pool_objects(
    blueprint: WorkerBlueprint,
    cluster: Object,
    topology_name: str,
    names: tuple[str, str],
    owner: Object | None,
) -> tuple[Object, Object]:
    """The bootstrap config and the infrastructure of a MachinePool; `names` are theirs, in this order."""
    own = {labels.POOL_NAME: topology_name}
    bootstrap, infrastructure = (
        object_from_template(template, name, cluster, computed_labels=own, owner=owner)
        for template, name in zip(
            (blueprint.bootstrap_template, blueprint.infrastructure_template), names, strict=True
        )
    )
    return bootstrap, infrastructure


def machine_deployment(
    blueprint: WorkerBlueprint,
    cluster: Object,
    topology: Object,
    name: str,
    version: str,
    bootstrap: Object,
    infrastructure: Object,
) -> Object:
    """The desired MachineDeployment. What the topology sets goes over what the class sets, field by field."""
    worker_class = blueprint.worker_class
    own_labels = _labels(worker_class, cluster, topology, labels.DEPLOYMENT_NAME)
    own_annotations = _annotations(worker_class, topology)
    template_spec = _template_spec(worker_class, cluster, topology, version, bootstrap, infrastructure)
    failure_domain = topology.get("failureDomain") or worker_class.get("failureDomain")
    if failure_domain:
        template_spec["failureDomain"] = failure_domain
    gates = _first(topology, worker_class, "readinessGates")
    if gates:
        template_spec["readinessGates"] = gates
    cluster_name = mapping(cluster, "metadata").get("name", "")
    spec: Object = {
        "clusterName": cluster_name,
        "selector": {
            "matchLabels": {
                labels.CLUSTER_NAME: cluster_name,
                labels.OWNED: "",
                labels.DEPLOYMENT_NAME: topology.get("name", ""),
            }
        },
        "template": {"metadata": _meta(own_labels, own_annotations), "spec": template_spec},
    }
    if topology.get("replicas") is not None:
        spec["replicas"] = topology["replicas"]
    rollout = _rollout(worker_class, topology)
    if rollout:
        spec["rollout"] = rollout
    order = find(topology, ("deletion", "order")) or find(worker_class, ("deletion", "order"))
    if order:
        spec["deletion"] = {"order": order}
    in_flight = find(topology, ("healthCheck", "remediation", "maxInFlight"))
    if in_flight is None:
        in_flight = find(worker_class, ("healthCheck", "remediation", "maxInFlight"))
    if in_flight is not None:
        spec["remediation"] = {"maxInFlight": in_flight}
    return _worker("MachineDeployment", name, cluster, own_labels, own_annotations, spec)


def machine_pool(
    blueprint: WorkerBlueprint,
    cluster: Object,
    topology: Object,
    name: str,
    version: str,
    bootstrap: Object,
    infrastructure: Object,
) -> Object:
    """The desired MachinePool."""
    worker_class = blueprint.worker_class
    own_labels = _labels(worker_class, cluster, topology, labels.POOL_NAME)
    own_annotations = _annotations(worker_class, topology)
    spec: Object = {
        "clusterName": mapping(cluster, "metadata").get("name", ""),
        "template": {
            "metadata": _meta(own_labels, own_annotations),
            "spec": _template_spec(worker_class, cluster, topology, version, bootstrap, infrastructure),
        },
    }
    if topology.get("replicas") is not None:
        spec["replicas"] = topology["replicas"]
    domains = _first(topology, worker_class, "failureDomains")
    if domains:
        spec["failureDomains"] = domains
    return _worker("MachinePool", name, cluster, own_labels, own_annotations, spec)


def _first(topology: Object, worker_class: Object, name: str) -> Any:
    value = topology.get(name)
    return worker_class.get(name) if value is None else value


def _labels(worker_class: Object, cluster: Object, topology: Object, topology_label: str) -> Object:
    return {
        **merged_metadata(mapping(topology, "metadata"), mapping(worker_class, "metadata"), "labels"),
        labels.CLUSTER_NAME: mapping(cluster, "metadata").get("name", ""),
        labels.OWNED: "",
        topology_label: topology.get("name", ""),
    }


def _annotations(worker_class: Object, topology: Object) -> Object:
    """Annotations without those that steer the order of upgrades, which stay in the topology."""
    merged = merged_metadata(mapping(topology, "metadata"), mapping(worker_class, "metadata"), "annotations")
    merged.pop(labels.DEFER_UPGRADE, None)
    merged.pop(labels.HOLD_UPGRADE_SEQUENCE, None)
    return merged


def _template_spec(
    worker_class: Object,
    cluster: Object,
    topology: Object,
    version: str,
    bootstrap: Object,
    infrastructure: Object,
) -> Object:
    spec: Object = {
        "clusterName": mapping(cluster, "metadata").get("name", ""),
        "version": version,
        "bootstrap": {"configRef": contract_reference(bootstrap)},
        "infrastructureRef": contract_reference(infrastructure),
    }
    for name in ("minReadySeconds", "taints"):
        value = _first(topology, worker_class, name)
        if value is not None and value != []:
            spec[name] = value
    timeouts = {
        name: _first(mapping(topology, "deletion"), mapping(worker_class, "deletion"), name)
        for name in _TIMEOUTS
    }
    timeouts = {name: value for name, value in timeouts.items() if value is not None}
    if timeouts:
        spec["deletion"] = timeouts
    return spec


def _rollout(worker_class: Object, topology: Object) -> Object:
    """The rollout, taken whole: the class's strategy is lost as soon as the topology sets any part of its own."""
    own = compact(mapping(topology, "rollout"))
    if own:
        rollout = {key: own[key] for key in ("after", "strategy") if key in own}
    else:
        rollout = compact({"strategy": find(worker_class, ("rollout", "strategy"))})
    strategy = rollout.get("strategy") or {}
    # Limits of a rolling update mean nothing, and are refused, beside another type.
    if strategy.get("type") not in (None, "RollingUpdate") and "rollingUpdate" in strategy:
        rollout["strategy"] = {key: value for key, value in strategy.items() if key != "rollingUpdate"}
    return rollout


def _meta(own_labels: Object, own_annotations: Object) -> Object:
    return (
        {"labels": own_labels, "annotations": own_annotations} if own_annotations else {"labels": own_labels}
    )


def _worker(
    kind: str, name: str, cluster: Object, own_labels: Object, own_annotations: Object, spec: Object
) -> Object:
    metadata = {
        "name": name,
        "namespace": mapping(cluster, "metadata").get("namespace", ""),
        **_meta(own_labels, own_annotations),
    }
    return {"apiVersion": labels.API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}
