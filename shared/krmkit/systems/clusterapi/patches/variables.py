"""The builtin variable. Source: patches/variables/variables.go and topologymutation_variable_types.go."""

from __future__ import annotations

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.clusterapi.api.labels import BOOKKEEPING


def cluster_builtin(cluster: Object) -> Object:
    """Return `builtin.cluster` of a desired Cluster: name, namespace, uid, metadata, topology, network."""
    metadata = mapping(cluster, "metadata")
    topology = mapping(cluster, "spec", "topology")
    class_ref = mapping(topology, "classRef")
    class_name = class_ref.get("name", "")
    class_namespace = class_ref.get("namespace") or metadata.get("namespace", "")
    builtin: Object = {
        "name": metadata.get("name", ""),
        "namespace": metadata.get("namespace", ""),
        "topology": {
            "version": topology.get("version", ""),
            "classRef": {"name": class_name, "namespace": class_namespace},
            "class": class_name,
            "classNamespace": class_namespace,
        },
    }
    if metadata.get("uid"):
        builtin["uid"] = metadata["uid"]
    _add_metadata(builtin, metadata)
    network = mapping(cluster, "spec", "clusterNetwork")
    found = {
        "serviceDomain": network.get("serviceDomain"),
        "services": find(network, ("services", "cidrBlocks")),
        "pods": find(network, ("pods", "cidrBlocks")),
    }
    found = {key: value for key, value in found.items() if value}
    if found:
        builtin["network"] = found
    return builtin


def control_plane_builtin(topology: Object, control_plane: Object, machine_template: Object | None) -> Object:
    """Return `builtin.controlPlane`; replicas only if the topology sets them."""
    builtin: Object = {
        "version": find(control_plane, ("spec", "version"), ""),
        "name": find(control_plane, ("metadata", "name"), ""),
    }
    _add_metadata(builtin, mapping(control_plane, "metadata"))
    if topology.get("replicas") is not None:
        builtin["replicas"] = find(control_plane, ("spec", "replicas"))
    if machine_template is not None:
        builtin["machineTemplate"] = {"infrastructureRef": {"name": machine_template["metadata"]["name"]}}
    return builtin


def worker_builtin(
    topology: Object, worker: Object, bootstrap: Object | None, infrastructure: Object | None
) -> Object:
    """Return `builtin.machineDeployment` or `builtin.machinePool`, which have equal fields."""
    builtin: Object = {
        "version": find(worker, ("spec", "template", "spec", "version"), ""),
        "class": topology.get("class", ""),
        "name": find(worker, ("metadata", "name"), ""),
        "topologyName": topology.get("name", ""),
    }
    _add_metadata(builtin, mapping(worker, "metadata"))
    replicas = find(worker, ("spec", "replicas"))
    if replicas is not None:
        builtin["replicas"] = replicas
    if bootstrap is not None:
        builtin["bootstrap"] = {"configRef": {"name": bootstrap["metadata"]["name"]}}
    if infrastructure is not None:
        builtin["infrastructureRef"] = {"name": infrastructure["metadata"]["name"]}
    return builtin


def _add_metadata(builtin: Object, metadata: Object) -> None:
    labels = metadata.get("labels")
    annotations = {
        key: value for key, value in mapping(metadata, "annotations").items() if key not in BOOKKEEPING
    }
    found = {}
    if labels:
        found["labels"] = labels
    if annotations:
        found["annotations"] = annotations
    if labels is not None or metadata.get("annotations") is not None:
        builtin["metadata"] = found


def named_values(variables: object) -> Object:
    """Return the values of a list of variables by name: {"a": 1} for [{"name": "a", "value": 1}]."""
    if not isinstance(variables, list):
        return {}
    return {one["name"]: one.get("value") for one in variables if isinstance(one, dict) and "name" in one}
