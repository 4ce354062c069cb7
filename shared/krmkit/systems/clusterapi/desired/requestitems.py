"""Make the request for a Cluster's patches. Source: patches/engine.go (createRequest)."""

from __future__ import annotations

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import find, mapping, put
from krmkit.systems.clusterapi.api import labels, roles
from krmkit.systems.clusterapi.api.contracts import machine_infrastructure_path
from krmkit.systems.clusterapi.api.roles import WORKER_KINDS
from krmkit.systems.clusterapi.desired.blueprint import ClusterBlueprint, worker_blueprint
from krmkit.systems.clusterapi.model.state import ClusterState
from krmkit.systems.clusterapi.patches import request
from krmkit.systems.clusterapi.patches.variables import (
    cluster_builtin,
    control_plane_builtin,
    named_values,
    worker_builtin,
)


def create_request(blueprint: ClusterBlueprint, desired: ClusterState) -> request.Request:
    """Return the request for a Cluster's templates. Item uids are 1, 2, ... in the order of the items."""
    topology = mapping(desired.cluster, "spec", "topology")
    items: list[request.RequestItem] = []

    def add(
        role: roles.Role,
        template: Object,
        target: Object,
        holder: Object,
        path: str,
        variables: Object,
        builtin: Object | None,
        is_template: bool,
    ) -> None:
        metadata = mapping(holder, "metadata")
        reference = {
            "apiVersion": holder.get("apiVersion", labels.API_VERSION),
            "kind": holder.get("kind", "Cluster"),
            "namespace": metadata.get("namespace", ""),
            "name": metadata.get("name", ""),
            "fieldPath": path,
        }
        prepared = _with_metadata(template, target, is_template)
        items.append(request.RequestItem(str(len(items) + 1), role, reference, prepared, variables, builtin))

    cluster, control_plane = desired.cluster, desired.control_plane
    add(roles.INFRASTRUCTURE_CLUSTER, blueprint.infrastructure_cluster_template, desired.infrastructure_cluster,
        cluster, request.INFRASTRUCTURE_REF, {}, None, False)  # fmt: skip
    cp_topology = mapping(topology, "controlPlane")
    machine_template = control_plane.infrastructure_machine_template
    builtin = {"controlPlane": control_plane_builtin(cp_topology, control_plane.object, machine_template)}
    overrides = _overrides(cp_topology)
    add(roles.CONTROL_PLANE, blueprint.control_plane_template, control_plane.object,
        cluster, request.CONTROL_PLANE_REF, overrides, builtin, False)  # fmt: skip
    if machine_template is not None:
        template = blueprint.control_plane_machine_template
        assert template is not None
        add(roles.CONTROL_PLANE_MACHINES, template, machine_template, control_plane.object,
            machine_infrastructure_path(blueprint.contract), overrides, builtin, True)  # fmt: skip
    for kind in WORKER_KINDS:
        topologies = {entry.get("name"): entry for entry in find(topology, ("workers", kind.listing)) or []}
        for name, group in desired.workers(kind).items():
            entry = topologies[name]
            builtin = {kind.role: worker_builtin(entry, group.object, group.bootstrap, group.infrastructure)}
            worker_class = worker_blueprint(blueprint, kind, entry["class"])
            overrides = _overrides(entry)
            add(roles.Role(kind.bootstrap, kind, name), worker_class.bootstrap_template, group.bootstrap,
                group.object, request.BOOTSTRAP_REF, overrides, builtin, kind.templates)  # fmt: skip
            add(roles.Role(kind.infrastructure, kind, name), worker_class.infrastructure_template, group.infrastructure,
                group.object, request.MACHINE_INFRASTRUCTURE_REF, overrides, builtin, kind.templates)  # fmt: skip
    return request.Request(
        items, named_values(topology.get("variables")), {"cluster": cluster_builtin(cluster)}
    )


def _overrides(topology: Object) -> Object:
    return named_values(find(topology, ("variables", "overrides")))


def _with_metadata(template: Object, target: Object, is_template: bool) -> Object:
    """Give the template the desired object's labels and annotations, without krmkit's own."""
    metadata = {key: value for key, value in mapping(template, "metadata").items() if key != "managedFields"}
    if metadata.get("annotations"):
        metadata["annotations"] = {
            key: value for key, value in metadata["annotations"].items() if key not in labels.BOOKKEEPING
        }
    result = {**template, "metadata": metadata}
    base = ("metadata",) if is_template else ("spec", "template", "metadata")
    for name in ("labels", "annotations"):
        value = find(target, ("metadata", name))
        if value is not None:
            result = put(result, (*base, name), value)
    return result
