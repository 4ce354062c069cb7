"""Check Clusters as the webhook does, except for variables. Source: core/webhooks/admission/cluster.go."""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.numbers import atoi
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.go.net.addresses import parse_cidr
from krmkit.libraries.json import Object
from krmkit.libraries.kube.fielderror import (
    INTERNAL,
    FieldError,
    child,
    forbidden,
    index,
    invalid,
    key,
    required,
)
from krmkit.libraries.kube.names import is_valid_label_value
from krmkit.libraries.schema.fields import find, mapping
from krmkit.libraries.versions import Version
from krmkit.libraries.versions import blang as blangsemver
from krmkit.systems.clusterapi.api.features import FeatureGates
from krmkit.systems.clusterapi.webhooks import common
from krmkit.systems.clusterapi.webhooks.compatibility import (
    MACHINE_DEPLOYMENTS,
    WORKER_KINDS,
    classes_are_compatible,
    name_of,
    spec_of,
    template_ref,
    topology_of,
    worker_topologies_are_valid,
    workers_of,
)
from krmkit.systems.clusterapi.webhooks.versionupdate import CurrentState, validate_version_update

UPGRADE_CONCURRENCY = "topology.cluster.x-k8s.io/upgrade-concurrency"
UNSAFE_CLASS_NAME = "unsafe.topology.cluster.x-k8s.io/disable-update-class-name-check"
UNSAFE_VERSION = "unsafe.topology.cluster.x-k8s.io/disable-update-version-check"
_TOPOLOGY = "spec.topology"
_CLASS = "spec.topology.class"
_VERSION = "spec.topology.version"
_NO_VERSION = "version must be a valid semantic version"


@dataclass(slots=True)
class Surroundings:
    """The context in which a Cluster is validated.

    cluster_class: its class, None if there is none. reconciled: the class's variables are ready. old_class:
    the class before the update, None if it cannot be found. state: the objects of the topology, None if
    unknown.
    """

    features: FeatureGates
    cluster_class: Object | None
    reconciled: bool = True
    old_class: Object | None = None
    state: CurrentState | None = None


def class_key(cluster: Object) -> tuple[str, str]:
    """Return namespace and name of the class (GetClassKey); by default the Cluster's namespace."""
    reference = topology_of(cluster).get("classRef") or {}
    namespace = reference.get("namespace") or find(cluster, ("metadata", "namespace"), "")
    return namespace, reference.get("name", "")


def default_version(cluster: Object) -> Object:
    """Add `v` in front of the topology's version if it lacks one; return the Cluster.

    >>> default_version({"spec": {"topology": {"version": "1.33.1"}}})["spec"]["topology"]["version"]
    'v1.33.1'
    """
    topology = topology_of(cluster)
    version = topology.get("version", "")
    if not topology or version.startswith("v"):
        return cluster
    return {**cluster, "spec": {**spec_of(cluster), "topology": {**topology, "version": "v" + version}}}


def validate_class_name(cluster: Object) -> list[FieldError]:
    """Return the defaulting error about a topology without a class."""
    if topology_of(cluster) and not class_key(cluster)[1]:
        return [required("spec.topology.classRef.name", "cannot be empty")]
    return []


def validate_cluster(
    new: Object, old: Object | None, around: Surroundings
) -> tuple[list[FieldError], list[str]]:
    """Return errors and warnings about a Cluster; old: its state before an update, None for a new one."""
    spec, old_spec = spec_of(new), spec_of(old or {})
    errors = [
        invalid("metadata.name", name_of(new), f"must be a valid label value {problem}")
        for problem in is_valid_label_value(name_of(new))
    ]
    if not spec.get("infrastructureRef") and old_spec.get("infrastructureRef"):
        errors.append(forbidden("spec.infrastructureRef", "cannot be removed"))
    if not (spec.get("controlPlaneRef") or spec.get("infrastructureRef") or spec.get("topology")):
        detail = "one of spec.controlPlaneRef, spec.infrastructureRef or spec.topology must be set"
        errors.append(forbidden("spec", detail))
    if not spec.get("controlPlaneRef") and old_spec.get("controlPlaneRef"):
        errors.append(forbidden("spec.controlPlaneRef", "cannot be removed"))
    network = mapping(spec, "clusterNetwork")
    for part in ("pods", "services"):
        blocks = find(network, (part, "cidrBlocks")) or []
        path = child("spec.clusterNetwork", part, "cidrBlocks")
        errors += [
            invalid(index(path, position), block, f"invalid CIDR address: {block}")
            for position, block in enumerate(blocks)
            if parse_cidr(block) is None
        ]
    warnings: list[str] = []
    if spec.get("topology"):
        errors += _validate_topology(new, old, around, warnings)
    elif old_spec.get("topology"):
        errors.append(forbidden(_TOPOLOGY, "cannot be removed from an existing Cluster"))
    return errors, warnings


def _validate_topology(
    new: Object, old: Object | None, around: Surroundings, warnings: list[str]
) -> list[FieldError]:
    if not around.features.cluster_topology:
        return [forbidden(_TOPOLOGY, "can be set only if the ClusterTopology feature flag is enabled")]
    namespace, name = class_key(new)
    if not name:
        return [required(_CLASS, "classRef.name cannot be empty")]
    topology = topology_of(new)
    errors = _validate_version(topology.get("version", ""))
    errors += _validate_parts(topology, around.features)
    errors += _validate_concurrency(new)
    cluster_class = around.cluster_class
    refers = f"Cluster refers to ClusterClass {namespace}/{name}, but this ClusterClass"
    incomplete = "Cluster topology has not been fully validated."
    if cluster_class is None:
        warnings.append(
            f"{refers} does not exist. {incomplete} The ClusterClass must be created to reconcile the Cluster"
        )
    else:
        if not around.reconciled:
            warnings.append(
                f"{refers} hasn't been successfully reconciled. {incomplete}"
                " Please take a look at the ClusterClass status"
            )
        errors += validate_cluster_for_class(new, cluster_class)
    errors += common.validate_autoscaler(new, cluster_class)
    if old is not None:
        errors += _validate_update(new, old, around, warnings)
    return errors


def _validate_version(version: str) -> list[FieldError]:
    found = []
    if not version.startswith("v"):
        found.append(invalid(_VERSION, version, "must start with v"))
    try:
        blangsemver.parse(version.removeprefix("v"))
    except GoInputError:
        found.append(invalid(_VERSION, version, _NO_VERSION))
    return found


def _validate_parts(topology: Object, features: FeatureGates) -> list[FieldError]:
    """Check metadata, rollout and taints of the control plane and the workers."""
    control_plane = mapping(topology, "controlPlane")
    path = "spec.topology.controlPlane"
    metadata = common.validate_metadata(control_plane.get("metadata"), child(path, "metadata"))
    taints = common.validate_taints(control_plane.get("taints"), child(path, "taints"), features)
    rollout: list[FieldError] = []
    for kind in WORKER_KINDS:
        for worker in workers_of(topology, kind):
            path = key(child("spec.topology.workers", kind), worker.get("name", ""))
            metadata += common.validate_metadata(worker.get("metadata"), child(path, "metadata"))
            taints += common.validate_taints(worker.get("taints"), child(path, "taints"), features)
            if kind == MACHINE_DEPLOYMENTS:
                rollout += common.validate_rollout(worker, path)
    return metadata + rollout + taints


def _validate_concurrency(cluster: Object) -> list[FieldError]:
    text = find(cluster, ("metadata", "annotations", UPGRADE_CONCURRENCY))
    if text is None:
        return []
    path = child("metadata.annotations", UPGRADE_CONCURRENCY)
    try:
        count = atoi(text)
    except GoInputError as error:
        return [invalid(path, text, f"could not parse the value of the annotation: {error}")]
    return [invalid(path, text, "value cannot be less than 1")] if count < 1 else []


def validate_cluster_for_class(cluster: Object, cluster_class: Object) -> list[FieldError]:
    """Check version, worker classes and health checks (ValidateClusterForClusterClass)."""
    found = []
    versions = spec_of(cluster_class).get("kubernetesVersions") or []
    version = topology_of(cluster).get("version", "")
    if versions and version not in versions:
        detail = "version must match one of the versions defined in the ClusterClass"
        found.append(invalid(_VERSION, version, detail))
    for kind in WORKER_KINDS:
        found += worker_topologies_are_valid(cluster, cluster_class, kind)
    return found + _validate_health_checks(topology_of(cluster), spec_of(cluster_class))


def _validate_health_checks(topology: Object, class_spec: Object) -> list[FieldError]:
    control_plane = mapping(class_spec, "controlPlane")
    health_check = mapping(topology, "controlPlane", "healthCheck")
    path = "spec.topology.controlPlane.healthCheck"
    found = []
    if common.is_defined(health_check):
        if not template_ref(control_plane.get("machineInfrastructure")):
            detail = "can be only set if spec.controlPlane.machineInfrastructure is set in ClusterClass"
            found.append(forbidden(path, detail))
        found += common.validate_health_check(health_check, path)
    found += _validate_enabled(health_check, control_plane, path)
    classes: dict[str, Object] = {}
    for worker in workers_of(class_spec, MACHINE_DEPLOYMENTS):
        classes.setdefault(worker.get("class", ""), worker)
    for worker in workers_of(topology, MACHINE_DEPLOYMENTS):
        health_check = mapping(worker, "healthCheck")
        path = child(key("spec.topology.workers.machineDeployments", worker.get("name", "")), "healthCheck")
        if common.is_defined(health_check):
            found += common.validate_health_check(health_check, path)
            found += common.validate_max_in_flight(health_check, path)
        owner = classes.get(worker.get("class", ""))
        if owner is not None:
            found += _validate_enabled(health_check, owner, path)
    return found


def _validate_enabled(health_check: Object, owner: Object, path: str) -> list[FieldError]:
    """Check that a health check with `enabled: true` is defined in the topology or in the class."""
    if health_check.get("enabled") is not True:
        return []
    if common.is_defined(health_check) or common.is_defined(owner.get("healthCheck")):
        return []
    detail = "cannot be set to true as healthCheck definition is not available in the Cluster topology or the ClusterClass"
    return [forbidden(child(path, "enable"), detail)]


def _validate_update(new: Object, old: Object, around: Surroundings, warnings: list[str]) -> list[FieldError]:
    key_now, key_before = class_key(new), class_key(old)
    cluster_class = around.cluster_class
    if cluster_class is None:
        return [FieldError(INTERNAL, _CLASS, "", f"ClusterClass {'/'.join(key_now)} not found")]
    annotations = mapping(new, "metadata", "annotations")
    if not topology_of(old) or not key_before[1]:
        if UNSAFE_CLASS_NAME in annotations:
            return []
        return [forbidden(_CLASS, "classRef cannot be set on an existing Cluster")]
    found: list[FieldError] = []
    version, old_version = topology_of(new).get("version", ""), topology_of(old).get("version", "")
    now = _parse(version, _NO_VERSION, found)
    before = _parse(old_version, f"old {_NO_VERSION}", found)
    if UNSAFE_VERSION in annotations:
        warnings.append(
            f"Skipping version validation for Cluster because annotation {quote(UNSAFE_VERSION)} is set."
        )
    else:
        spec = spec_of(cluster_class)
        external = mapping(spec, "upgrade", "external")
        # With a list of versions, or an extension that plans them, the upgrade goes step by step.
        ceiling = not spec.get("kubernetesVersions") and not external.get("generateUpgradePlanExtension")
        error = validate_version_update(version, now, before, new, around.state, ceiling)
        if error is not None:
            found.append(error)
    if key_before != key_now:
        if around.old_class is None:
            was, now_is = quote("/".join(key_before)), quote("/".join(key_now))
            detail = (
                f"valid ClusterClass with name {was} could not be retrieved, change from class {was} to class"
                f" {now_is} cannot be validated."
                f' Error: clusterclasses.cluster.x-k8s.io "{key_before[1]}" not found'
            )
            return [*found, forbidden(_CLASS, detail)]
        found += classes_are_compatible(around.old_class, cluster_class)
    return found


def _parse(text: str, detail: str, found: list[FieldError]) -> Version:
    """Parse a version; add an error to `found` and return 0.0.0 if the text is not a version."""
    try:
        return blangsemver.parse_tolerant(text)
    except GoInputError:
        found.append(invalid(_VERSION, text, detail))
        return Version(0, 0, 0)
