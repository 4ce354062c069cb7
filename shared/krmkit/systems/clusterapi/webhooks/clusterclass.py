"""Validate ClusterClasses as the webhook does. Source: core/webhooks/admission/clusterclass.go.

`validate_class` checks a class alone and against its old state; `validate_class_for_clusters` checks the
effect of a changed class on the Clusters that use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.json import Object
from krmkit.libraries.kube.fielderror import FieldError, child, forbidden, index, invalid, key
from krmkit.libraries.kube.names import is_dns1123_subdomain
from krmkit.libraries.schema.fields import find, mapping
from krmkit.libraries.versions import Version
from krmkit.libraries.versions.blang import compare_with_build_tags, parse_tolerant
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.features import FeatureGates
from krmkit.systems.clusterapi.api.names import NamingTemplate
from krmkit.systems.clusterapi.variables.definitionvalidation import validate_class_variables
from krmkit.systems.clusterapi.webhooks import common
from krmkit.systems.clusterapi.webhooks.compatibility import (
    MACHINE_DEPLOYMENTS,
    MACHINE_POOLS,
    WORKER_KINDS,
    classes_are_compatible,
    name_of,
    spec_of,
    template_ref,
    templates_are_valid,
    topology_of,
    worker_classes_are_unique,
    workers_of,
)
from krmkit.systems.clusterapi.webhooks.patches import validate_patches

_RANDOM = "bcdfg"  # five characters of the alphabet that real names end in


def validate_class(new: Object, old: Object | None, features: FeatureGates) -> list[FieldError]:
    """Return the webhook's errors about a class, without its Clusters. old: its state before an update."""
    if not features.cluster_topology:
        return [forbidden("spec", "can be set only if the ClusterTopology feature flag is enabled")]
    spec = spec_of(new)
    errors = templates_are_valid(new)
    errors += worker_classes_are_unique(new, MACHINE_DEPLOYMENTS)
    errors += worker_classes_are_unique(new, MACHINE_POOLS)
    for worker in workers_of(spec, MACHINE_DEPLOYMENTS):
        errors += common.validate_rollout(worker, _worker_path(MACHINE_DEPLOYMENTS, worker))
    errors += _validate_health_checks(spec)
    errors += _validate_naming(spec)
    errors += _validate_taints(spec, features)
    errors += validate_class_variables(
        spec.get("variables") or [],
        spec_of(old).get("variables") if old is not None else None,
        "spec.variables",
    )
    errors += validate_patches(new, features)
    errors += _validate_metadata(spec)
    errors += _validate_versions(spec.get("kubernetesVersions") or [])
    if old is not None:
        errors += classes_are_compatible(old, new)
    return errors


def _worker_path(kind: str, worker: Object) -> str:
    return key(child("spec.workers", kind), worker.get("class", ""))


def _validate_health_checks(spec: Object) -> Iterator[FieldError]:
    control_plane = mapping(spec, "controlPlane")
    if common.is_defined(control_plane.get("healthCheck")):
        path = "spec.controlPlane.healthCheck"
        yield from common.validate_health_check(control_plane["healthCheck"], path)
        if not template_ref(control_plane.get("machineInfrastructure")):
            detail = "can be only set if spec.controlPlane.machineInfrastructure is set"
            yield forbidden(path, detail)
    for worker in workers_of(spec, MACHINE_DEPLOYMENTS):
        if common.is_defined(worker.get("healthCheck")):
            path = child(_worker_path(MACHINE_DEPLOYMENTS, worker), "healthCheck")
            yield from common.validate_health_check(worker["healthCheck"], path)
            yield from common.validate_max_in_flight(worker["healthCheck"], path)


def _validate_naming(spec: Object) -> Iterator[FieldError]:
    """Check that naming templates render valid names for example names."""
    cluster = {"cluster": {"name": "cluster"}, "random": _RANDOM}
    for part, what in (("infrastructure", "InfraCluster"), ("controlPlane", "ControlPlane")):
        yield from _validate_name_template(spec.get(part), cluster, what, child("spec", part))
    for kind, what in WORKER_KINDS.items():
        variable = what[0].lower() + what[1:]
        topology = "mdtopology" if kind == MACHINE_DEPLOYMENTS else "mptopology"
        data = {**cluster, variable: {"topologyName": topology}}
        for worker in workers_of(spec, kind):
            yield from _validate_name_template(worker, data, what, _worker_path(kind, worker))


def _validate_name_template(holder: Object | None, data: Object, what: str, path: str) -> list[FieldError]:
    template = find(holder, ("naming", "template"), "")
    if not template:
        return []
    path = child(path, "naming", "template")
    try:
        name = NamingTemplate(template).name(data, _RANDOM)
    except TopologyError as error:
        return [invalid(path, template, f"invalid {what} name template: {error}")]
    return [invalid(path, template, text) for text in is_dns1123_subdomain(name)]


def _validate_taints(spec: Object, features: FeatureGates) -> list[FieldError]:
    taints = find(spec, ("controlPlane", "taints"))
    found = common.validate_taints(taints, "spec.controlPlane.taints", features)
    for kind in WORKER_KINDS:
        for worker in workers_of(spec, kind):
            found += common.validate_taints(
                worker.get("taints"), child(_worker_path(kind, worker), "taints"), features
            )
    return found


def _validate_metadata(spec: Object) -> list[FieldError]:
    metadata = find(spec, ("controlPlane", "metadata"))
    found = common.validate_metadata(metadata, "spec.controlPlane.metadata")
    for kind in WORKER_KINDS:
        for worker in workers_of(spec, kind):
            path = child(_worker_path(kind, worker), "template", "metadata")
            found += common.validate_metadata(worker.get("metadata"), path)
    return found


def _validate_versions(versions: list[str]) -> Iterator[FieldError]:
    """Check that kubernetesVersions rise and skip no minor version."""
    previous: Version | None = None
    for position, text in enumerate(versions):
        path = index("spec.kubernetesVersion", position)
        try:
            version = parse_tolerant(text)
        except GoInputError:
            yield invalid(path, text, "version must be a valid semantic version")
            continue
        if previous is not None:
            if compare_with_build_tags(version, previous) <= 0:
                yield invalid(path, text, f"version must be greater than v{previous}")
            if version.minor not in (previous.minor, previous.minor + 1):
                detail = (
                    f"expecting a version with minor {previous.minor} or {previous.minor + 1},"
                    f" found version {version}"
                )
                yield invalid(path, text, detail)
        previous = version


# Updates: what breaks the Clusters that use the class


def validate_class_for_clusters(new: Object, old: Object, clusters: Iterable[Object]) -> list[FieldError]:
    """Return the webhook's errors about a class's update, for all Clusters that use it together."""
    clusters = list(clusters)
    found = _versions_in_use(new, clusters)
    for kind in WORKER_KINDS:
        found += _removed_classes_in_use(new, old, clusters, kind)
    found += _removed_health_checks_in_use(new, old, clusters)
    for cluster in clusters:
        found += common.validate_autoscaler(cluster, new)
    return found


def _versions_in_use(new: Object, clusters: list[Object]) -> list[FieldError]:
    versions = set(spec_of(new).get("kubernetesVersions") or ())
    if not versions:
        return []
    return [
        forbidden(
            "spec.kubernetesVersions",
            f"Kubernetes Version {version} is used by Cluster {quote(name_of(cluster))} but not set in ClusterClass",
        )
        for cluster in clusters
        if (version := topology_of(cluster).get("version", "")) not in versions
    ]


def _removed_classes_in_use(new: Object, old: Object, clusters: list[Object], kind: str) -> list[FieldError]:
    kept = {worker.get("class", "") for worker in workers_of(spec_of(new), kind)}
    removed = {worker.get("class", "") for worker in workers_of(spec_of(old), kind)} - kept
    if not removed:
        return []
    what = WORKER_KINDS[kind]
    return [
        forbidden(
            child("spec.workers", kind),
            f"{what}Class {quote(worker.get('class', ''))} cannot be deleted because it is used by Cluster"
            f" {quote(name_of(cluster))}",
        )
        for cluster in clusters
        for worker in workers_of(topology_of(cluster), kind)
        if worker.get("class", "") in removed
    ]


def relies_on_class(holder: Object | None) -> bool:
    """Return whether a topology enables a health check that only its class defines."""
    health_check = mapping(holder, "healthCheck")
    return health_check.get("enabled") is True and not common.is_defined(health_check)


def _removed_health_checks_in_use(new: Object, old: Object, clusters: list[Object]) -> Iterator[FieldError]:
    def error(path: str, names: list[str]) -> list[FieldError]:
        detail = f"healthCheck cannot be deleted because it is used by Cluster(s) {quote(','.join(names))}"
        return [forbidden(child(path, "healthCheck"), detail)] if names else []

    def removed(before: Object | None, after: Object | None) -> bool:
        return common.is_defined(find(before, ("healthCheck",))) and not common.is_defined(
            find(after, ("healthCheck",))
        )

    if removed(spec_of(old).get("controlPlane"), spec_of(new).get("controlPlane")):
        users = [name_of(one) for one in clusters if relies_on_class(topology_of(one).get("controlPlane"))]
        yield from error("spec.controlPlane", users)
    before: dict[str, Object] = {}
    for worker in workers_of(spec_of(old), MACHINE_DEPLOYMENTS):
        before.setdefault(worker.get("class", ""), worker)
    users_of: dict[str, list[str]] = {}
    for cluster in clusters:
        relying = {
            one.get("class", ""): None
            for one in workers_of(topology_of(cluster), MACHINE_DEPLOYMENTS)
            if relies_on_class(one)
        }
        for name in relying:
            users_of.setdefault(name, []).append(name_of(cluster))
    for worker in workers_of(spec_of(new), MACHINE_DEPLOYMENTS):
        name = worker.get("class", "")
        if name in before and removed(before[name], worker):
            yield from error(_worker_path(MACHINE_DEPLOYMENTS, worker), users_of.get(name, []))
