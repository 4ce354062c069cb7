"""Compute the control plane of the desired state. Source: computeControlPlane in desired_state.go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.json import Object
from krmkit.libraries.schema.errors import SchemaError
from krmkit.libraries.schema.fields import drop, find, mapping, put
from krmkit.systems.clusterapi.api import labels
from krmkit.systems.clusterapi.api.contracts import V1BETA1
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.times import go_duration
from krmkit.systems.clusterapi.desired.blueprint import ClusterBlueprint
from krmkit.systems.clusterapi.desired.cloning import (
    contract_reference,
    merged_metadata,
    object_from_template,
)
from krmkit.systems.clusterapi.model.causes import ObjectCauses

_MACHINE_TEMPLATE = ("spec", "machineTemplate")
_TIMEOUTS = ("nodeDrainTimeout", "nodeVolumeDetachTimeout", "nodeDeletionTimeout")


def control_plane_object(
    blueprint: ClusterBlueprint,
    cluster: Object,
    name: str,
    version: str,
    machine_template: Object | None,
    current: Object,
    causes: ObjectCauses | None = None,
) -> Object:
    """Return the desired control plane. Raises TopologyError.

    Fields of the topology override those of the class; both override the template. current: the existing
    control plane, {} if there is none. causes: records which source set each field.
    """
    topology = mapping(cluster, "spec", "topology", "controlPlane")
    class_spec = blueprint.control_plane_class
    own_labels = {
        **merged_metadata(mapping(topology, "metadata"), mapping(class_spec, "metadata"), "labels"),
        labels.CLUSTER_NAME: mapping(cluster, "metadata").get("name", ""),
        labels.OWNED: "",
    }
    own_annotations = merged_metadata(
        mapping(topology, "metadata"), mapping(class_spec, "metadata"), "annotations"
    )
    result = object_from_template(
        blueprint.control_plane_template,
        name,
        cluster,
        computed_labels=own_labels,
        computed_annotations=own_annotations,
    )
    if causes is not None:
        _record_metadata(causes, blueprint.control_plane_template, topology, class_spec)
    legacy = blueprint.contract == V1BETA1
    inner = _MACHINE_TEMPLATE if legacy else (*_MACHINE_TEMPLATE, "spec")
    try:
        if machine_template is not None:
            reference = (
                _reference(machine_template, current) if legacy else contract_reference(machine_template)
            )
            result = put(result, (*inner, "infrastructureRef"), reference)
            if causes is not None:
                causes.of_class((*inner, "infrastructureRef"), "machineInfrastructure", "templateRef", "name")
            result = _machine_metadata(result, own_labels, own_annotations)
        for path, value, source in _fields(topology, class_spec, inner, legacy):
            result = put(result, path, value)
            if causes is not None:
                causes.chosen(path, topology, class_spec, *source)
        if causes is not None and version == find(cluster, ("spec", "topology", "version")):
            causes.version(("spec", "version"))
        return put(result, ("spec", "version"), version)
    except SchemaError as error:
        raise TopologyError(f"failed to set a field in the ControlPlane object: {error}") from None


def _fields(
    topology: Object, class_spec: Object, inner: tuple[str, ...], legacy: bool
) -> Iterator[tuple[tuple[str, ...], Any, tuple[str, ...]]]:
    """Yield the path, the value and the source's path of each field that the topology or the class sets."""
    if topology.get("replicas") is not None:
        yield (("spec", "replicas"), topology["replicas"], ("replicas",))
    after = find(topology, ("rollout", "after"))
    if after:
        yield (("spec", "rollout", "after"), after, ("rollout", "after"))
    for name in ("readinessGates", "taints"):
        value = topology.get(name)
        value = class_spec.get(name) if value is None else value
        if value is not None:
            yield ((*inner, name), value, (name,))
    for name in _TIMEOUTS:
        key = name + "Seconds"
        seconds = find(topology, ("deletion", key))
        seconds = find(class_spec, ("deletion", key)) if seconds is None else seconds
        if seconds is not None:
            if legacy:
                yield ((*_MACHINE_TEMPLATE, name), go_duration(seconds), ("deletion", key))
            else:
                yield ((*_MACHINE_TEMPLATE, "spec", "deletion", key), seconds, ("deletion", key))


def _record_metadata(causes: ObjectCauses, template: Object, topology: Object, class_spec: Object) -> None:
    causes.cloned(template)
    for path in (("metadata",), (*_MACHINE_TEMPLATE, "metadata")):
        for name in ("labels", "annotations"):
            causes.metadata(path, name, topology, class_spec)
        causes.from_cluster((*path, "labels"))


def _machine_metadata(control_plane: Object, own_labels: Object, own_annotations: Object) -> Object:
    """Set the machines' labels and annotations; the control plane's override those of its template."""
    path = (*_MACHINE_TEMPLATE, "metadata")
    existing = mapping(control_plane, *path)
    for name, own in (("labels", own_labels), ("annotations", own_annotations)):
        value = {**(mapping(existing, name)), **own}
        if value:
            control_plane = put(control_plane, (*path, name), value)
        else:
            control_plane = drop(control_plane, (*path, name))
    return control_plane


def _reference(machine_template: Object, current: Object) -> Object:
    existing = find(current, (*_MACHINE_TEMPLATE, "infrastructureRef"))
    return reference_with_api_version(existing if isinstance(existing, dict) else None, machine_template)


def reference_with_api_version(current: Object | None, desired: Object) -> Object:
    """Return a v1beta1 reference; it keeps the current apiVersion if group and kind match.

    Source: calculateRefDesiredAPIVersion. Raises TopologyError.
    """
    metadata = mapping(desired, "metadata")
    api_version = str(desired.get("apiVersion", ""))
    reference = {
        "apiVersion": api_version,
        "kind": desired.get("kind", ""),
        "name": metadata.get("name", ""),
        "namespace": metadata.get("namespace", ""),
    }
    if current is None:
        return reference
    existing = str(current.get("apiVersion", ""))
    if existing.count("/") > 1:
        raise TopologyError(
            f"failed to parse apiVersion {quote(existing)} of current ref:"
            f" unexpected GroupVersion string: {existing}"
        )
    if labels.group_of(existing) == labels.group_of(api_version) and current.get("kind") == reference["kind"]:
        reference["apiVersion"] = existing
    return reference
