"""Check what classes and topologies share: metadata, taints, rollout, health checks, autoscaler.

Source: core/webhooks/admission/{cluster,machinedeployment,machinehealthcheck}.go and internal/util/taints.
"""

from __future__ import annotations

from krmkit.libraries.go.fmt.numbers import check_int_or_percent
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.json import Object
from krmkit.libraries.kube.fielderror import FieldError, child, forbidden, index, invalid, key
from krmkit.libraries.kube.names import validate_annotations, validate_labels
from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.clusterapi.api.features import FeatureGates
from krmkit.systems.clusterapi.webhooks.compatibility import (
    MACHINE_DEPLOYMENTS,
    spec_of,
    topology_of,
    workers_of,
)

_AUTOSCALER = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-"
AUTOSCALER_SIZES = (_AUTOSCALER + "min-size", _AUTOSCALER + "max-size")
_MIN_STARTUP = 30
_RESERVED_TAINTS = frozenset(
    ("node.cluster.x-k8s.io/uninitialized", "node.cluster.x-k8s.io/outdated-revision")
)
_NODE = "node.kubernetes.io/"
_OUT_OF_SERVICE = _NODE + "out-of-service"
_CLOUD = "node.cloudprovider.kubernetes.io/"


def validate_metadata(metadata: Object | None, path: str) -> list[FieldError]:
    """Check labels, and keys and size of annotations (ObjectMeta.Validate)."""
    metadata = metadata or {}
    return [
        *validate_labels(mapping(metadata, "labels"), child(path, "labels")),
        *validate_annotations(mapping(metadata, "annotations"), child(path, "annotations")),
    ]


def validate_taints(taints: list[Object] | None, path: str, features: FeatureGates) -> list[FieldError]:
    """Refuse taints with keys reserved for Cluster API, the kubelet or the cloud (ValidateMachineTaints)."""
    found = []
    if taints and not features.machine_taint_propagation:
        detail = "taints are not allowed to be set when the feature gate MachineTaintPropagation is disabled"
        found.append(forbidden(path, detail))
    for position, taint in enumerate(taints or ()):
        name = taint.get("key", "")
        detail = ""
        if name in _RESERVED_TAINTS:
            detail = "taint key is not allowed"
        elif name.startswith(_NODE) and name != _OUT_OF_SERVICE:
            detail = f"taint key must not have the prefix {_NODE}, except for {_OUT_OF_SERVICE}"
        elif name.startswith(_CLOUD):
            detail = f"taint key must not have the prefix {_CLOUD}"
        elif name == "node-role.kubernetes.io/master":
            detail = "taint is deprecated since 1.24 and should not be used anymore"
        if detail:
            found.append(invalid(child(index(path, position), "key"), name, detail))
    return found


def _int_or_percent(value: int | str | None, path: str) -> list[FieldError]:
    problem = "" if value is None else check_int_or_percent(value)
    return [invalid(path, str(value), f"must be either an int or a percentage: {problem}")] if problem else []


def validate_rollout(worker: Object, path: str) -> list[FieldError]:
    """Check that limits are numbers or percentages, and not both 0 (validateRolloutStrategy)."""
    strategy = mapping(worker, "rollout", "strategy")
    rolling = mapping(strategy, "rollingUpdate")
    path = child(path, "rollout", "strategy", "rollingUpdate")
    unavailable, surge = rolling.get("maxUnavailable"), rolling.get("maxSurge")
    found = _int_or_percent(unavailable, child(path, "maxUnavailable"))
    found += _int_or_percent(surge, child(path, "maxSurge"))
    if unavailable == 0 and surge == 0:
        found.append(invalid(path, "0", "maxUnavailable and maxSurge cannot both be 0"))
    return found


def is_defined(health_check: Object | None) -> bool:
    """Return whether a healthCheck has checks or remediation; `enabled` alone does not define it."""
    return bool(health_check and (health_check.get("checks") or health_check.get("remediation")))


def validate_health_check(health_check: Object, path: str) -> list[FieldError]:
    """Check the start-up time, and the number of machines that may be unhealthy."""
    found = []
    startup = find(health_check, ("checks", "nodeStartupTimeoutSeconds"))
    if startup is not None and startup != 0 and startup < _MIN_STARTUP:
        place = child(path, "checks", "nodeStartupTimeoutSeconds")
        found.append(invalid(place, startup, "must be at least 30s"))
    trigger = mapping(health_check, "remediation", "triggerIf")
    place = child(path, "remediation", "triggerIf", "unhealthyLessThanOrEqualTo")
    return found + _int_or_percent(trigger.get("unhealthyLessThanOrEqualTo"), place)


def validate_max_in_flight(health_check: Object, path: str) -> list[FieldError]:
    """Check how many machines of a MachineDeployment may be remediated at once."""
    limit = find(health_check, ("remediation", "maxInFlight"))
    return _int_or_percent(limit, child(path, "remediation", "maxInFlight"))


def has_autoscaler_size(holder: Object) -> bool:
    """Return whether the annotations give the cluster autoscaler a minimum or maximum size."""
    annotations = mapping(holder, "metadata", "annotations")
    return any(name in annotations for name in AUTOSCALER_SIZES)


def validate_autoscaler(cluster: Object, cluster_class: Object | None) -> list[FieldError]:
    """Refuse replicas beside annotations for the autoscaler (validateAutoscalerAnnotationsForCluster)."""
    scaled = [] if cluster_class is None else workers_of(spec_of(cluster_class), MACHINE_DEPLOYMENTS)
    classes = [worker.get("class", "") for worker in scaled if has_autoscaler_size(worker)]
    metadata = mapping(cluster, "metadata")
    name, namespace = quote(metadata.get("name", "")), quote(metadata.get("namespace", ""))
    found = []
    for worker in workers_of(topology_of(cluster), MACHINE_DEPLOYMENTS):
        replicas = worker.get("replicas")
        if replicas is None:
            continue
        path = child(key("spec.topology.workers.machineDeployments", worker.get("name", "")), "replicas")
        text = f"cannot be set for cluster {name} in namespace {namespace} if the"
        if has_autoscaler_size(worker):
            detail = f"{text} same MachineDeploymentTopology has autoscaler annotations"
            found.append(invalid(path, replicas, detail))
        wanted = worker.get("class", "")
        detail = f"{text} source class {quote(wanted)} of this MachineDeploymentTopology has autoscaler annotations"
        found += [invalid(path, replicas, detail)] * classes.count(wanted)
    return found
