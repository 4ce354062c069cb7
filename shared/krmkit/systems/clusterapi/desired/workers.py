"""Compute the MachineDeployments and MachinePools of the desired state. Source: desired_state.go."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.clusterapi.api import labels
from krmkit.systems.clusterapi.api.roles import DEPLOYMENT, WorkerKind
from krmkit.systems.clusterapi.desired import cloning
from krmkit.systems.clusterapi.desired.blueprint import WorkerBlueprint
from krmkit.systems.clusterapi.model.causes import ObjectCauses

_TIMEOUTS = ("nodeDrainTimeoutSeconds", "nodeVolumeDetachTimeoutSeconds", "nodeDeletionTimeoutSeconds")


def referred_objects(
    kind: WorkerKind,
    blueprint: WorkerBlueprint,
    cluster: Object,
    topology_name: str,
    names: tuple[str, str],
    owner: Object | None,
) -> tuple[Object, Object]:
    """Return the bootstrap and the infrastructure object of a worker group. `names`: their names."""
    own = {kind.label: topology_name}
    make = cloning.template_from_template if kind.templates else cloning.object_from_template
    bootstrap, infrastructure = (
        make(template, name, cluster, computed_labels=own, owner=owner)
        for template, name in zip(
            (blueprint.bootstrap_template, blueprint.infrastructure_template), names, strict=True
        )
    )
    return bootstrap, infrastructure


def worker_group(
    kind: WorkerKind,
    worker_class: Object,
    cluster: Object,
    topology: Object,
    name: str,
    version: str,
    bootstrap: Object,
    infrastructure: Object,
    causes: ObjectCauses | None = None,
) -> Object:
    """Return the desired worker group: the topology's fields override the class's.

    causes: records the source.
    """
    cluster_name = mapping(cluster, "metadata").get("name", "")
    own_labels = {
        **cloning.merged_metadata(mapping(topology, "metadata"), mapping(worker_class, "metadata"), "labels"),
        labels.CLUSTER_NAME: cluster_name,
        labels.OWNED: "",
        kind.label: topology.get("name", ""),
    }
    metadata: Object = {"labels": own_labels}
    annotations = _annotations(worker_class, topology)
    if annotations:
        metadata["annotations"] = annotations
    template_spec = _template_spec(worker_class, cluster, topology, version, bootstrap, infrastructure)
    if causes is not None:
        _record(causes, kind, worker_class, cluster, topology, version)
    spec: Object = {"clusterName": cluster_name}
    if kind is DEPLOYMENT:
        selected = (labels.CLUSTER_NAME, labels.OWNED, labels.DEPLOYMENT_NAME)
        spec["selector"] = {"matchLabels": {name: own_labels[name] for name in selected}}
    spec["template"] = {"metadata": metadata, "spec": template_spec}
    if topology.get("replicas") is not None:
        spec["replicas"] = topology["replicas"]
    if kind is DEPLOYMENT:
        _complete_deployment(spec, template_spec, worker_class, topology)
    else:
        domains = _first(topology, worker_class, "failureDomains")
        if domains:
            spec["failureDomains"] = domains
    namespace = mapping(cluster, "metadata").get("namespace", "")
    return {
        "apiVersion": labels.API_VERSION,
        "kind": kind.kind,
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "spec": spec,
    }


def _record(
    causes: ObjectCauses,
    kind: WorkerKind,
    worker_class: Object,
    cluster: Object,
    topology: Object,
    version: str,
) -> None:
    """Record the source of each field of a worker group."""
    causes.topology(())
    causes.named()
    template: tuple[str, ...] = ("spec", "template")
    for path in (("metadata",), (*template, "metadata")):
        for name in ("labels", "annotations"):
            causes.metadata(path, name, topology, worker_class)
        causes.from_cluster((*path, "labels"))
        causes.topology((*path, "labels", kind.label), "name")
    inner = (*template, "spec")
    for above in (("spec",), inner):
        causes.named_by_cluster((*above, "clusterName"))
    causes.from_cluster(("spec", "selector", "matchLabels"))
    causes.topology(("spec", "selector", "matchLabels", kind.label), "name")
    if version == find(cluster, ("spec", "topology", "version")):
        causes.version((*inner, "version"))
    causes.of_class((*inner, "bootstrap", "configRef"), "bootstrap", "templateRef", "name")
    causes.of_class((*inner, "infrastructureRef"), "infrastructure", "templateRef", "name")
    for name in ("minReadySeconds", "taints", "failureDomain", "readinessGates"):
        causes.chosen((*inner, name), topology, worker_class, name)
    for name in _TIMEOUTS:
        causes.chosen((*inner, "deletion", name), topology, worker_class, "deletion", name)
    causes.topology(("spec", "replicas"), "replicas")
    causes.chosen(("spec", "failureDomains"), topology, worker_class, "failureDomains")
    causes.chosen(("spec", "deletion", "order"), topology, worker_class, "deletion", "order")
    if cloning.compact(mapping(topology, "rollout")):
        causes.topology(("spec", "rollout"), "rollout")
    elif cloning.compact(find(worker_class, ("rollout", "strategy"))):
        causes.of_class(("spec", "rollout"), "rollout")
    in_flight = ("healthCheck", "remediation", "maxInFlight")
    causes.chosen(("spec", "remediation", "maxInFlight"), topology, worker_class, *in_flight)


def _complete_deployment(spec: Object, template_spec: Object, worker_class: Object, topology: Object) -> None:
    """Set the fields that MachinePools do not have."""
    failure_domain = topology.get("failureDomain") or worker_class.get("failureDomain")
    if failure_domain:
        template_spec["failureDomain"] = failure_domain
    gates = _first(topology, worker_class, "readinessGates")
    if gates:
        template_spec["readinessGates"] = gates
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


def _first(topology: Object, worker_class: Object, name: str) -> Any:
    value = topology.get(name)
    return worker_class.get(name) if value is None else value


def _annotations(worker_class: Object, topology: Object) -> Object:
    """Merge the annotations of class and topology; those about the order of upgrades stay in the topology."""
    merged = cloning.merged_metadata(
        mapping(topology, "metadata"), mapping(worker_class, "metadata"), "annotations"
    )
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
        "bootstrap": {"configRef": cloning.contract_reference(bootstrap)},
        "infrastructureRef": cloning.contract_reference(infrastructure),
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
    """Return the topology's rollout if it sets any field of it, else the class's; never a mixture."""
    own = cloning.compact(mapping(topology, "rollout"))
    if own:
        rollout = {key: own[key] for key in ("after", "strategy") if key in own}
    else:
        rollout = cloning.compact({"strategy": find(worker_class, ("rollout", "strategy"))})
    strategy = mapping(rollout, "strategy")
    # Other types refuse the limits of a rolling update.
    if strategy.get("type") not in (None, "RollingUpdate") and "rollingUpdate" in strategy:
        rollout["strategy"] = {key: value for key, value in strategy.items() if key != "rollingUpdate"}
    return rollout
