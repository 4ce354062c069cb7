"""Check KubeadmControlPlanes of the topology controller as their webhook does.

An apply of a Cluster does not show these errors: the controller gets them, and stops before the workers. Not
checked: image tags, the version of CoreDNS, and what the schema refuses.
Source: controlplane/kubeadm/internal/webhooks/kubeadmcontrolplane.go (validateKubeadmControlPlaneSpec,
ValidateUpdate).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any

from krmkit.libraries.kube.fielderror import FieldError, forbidden, invalid, required
from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.objectversion import CONTROL_PLANE, in_version

Object = dict[str, Any]

_VERSION = f"{CONTROL_PLANE}/v1beta2"
_CONFIG = "spec.kubeadmConfigSpec"
_CLUSTER = f"{_CONFIG}.clusterConfiguration"
_CLUSTER_PATH = ("spec", "kubeadmConfigSpec", "clusterConfiguration")
_LOOKED_AT = (_CONFIG, "spec.replicas", "spec.rollout")
_NODE = ("nodeRegistration", "patches", "skipPhases", "timeouts")
_CHANGEABLE = (
    *(
        f"{_CLUSTER}.{name}"
        for name in (
            "etcd", "dns", "imageRepository", "featureGates", "apiServer", "controllerManager", "scheduler",
            "certificateValidityPeriodDays", "encryptionAlgorithm",
        )
    ),
    *(f"{_CONFIG}.initConfiguration.{name}" for name in (*_NODE, "bootstrapTokens", "localAPIEndpoint")),
    *(f"{_CONFIG}.joinConfiguration.{name}" for name in (*_NODE, "caCertPath", "controlPlane", "discovery")),
    *(
        f"{_CONFIG}.{name}"
        for name in (
            "bootCommands", "preKubeadmCommands", "postKubeadmCommands", "files", "verbosity", "users", "ntp", "ignition",
            "diskSetup", "format", "mounts",
        )
    ),
)  # fmt: skip
"""Fields that may change, with all below them. A block may not go as a whole, so none is listed."""
_CA_DAYS = 3650


def created_errors(made: Object) -> list[FieldError]:
    """Return the webhook's errors about a new KubeadmControlPlane; [] for unknown kinds and versions."""
    new = _known(made)
    return [] if new is None else _spec_errors(new)


def updated_errors(running: Object, wanted: Object, fields: Iterable[str]) -> list[FieldError]:
    """Return the webhook's errors about setting fields of a running KubeadmControlPlane as in `wanted`.

    fields: paths such as `spec.replicas`, `spec.kubeadmConfigSpec.files[0].content`; a field that `wanted`
    lacks is removed.
    """
    old, target = _known(running), _known(wanted)
    if old is None or target is None:
        return []
    new = deepcopy(old)
    for path in fields:
        if path.startswith(_LOOKED_AT):
            _copy(target, new, path.partition("[")[0].split("."))
    old, new = without_empty(old), without_empty(new)
    errors = [
        forbidden(path, "cannot be modified")
        for path in _changed(old.get("spec"), new.get("spec"), "spec")
        if path.startswith(_CONFIG) and not _may_change(path)
    ]
    external = [bool(find(one, (*_CLUSTER_PATH, "etcd", "external"))) for one in (old, new)]
    if external[0] != external[1] and find(new, _CLUSTER_PATH):
        errors.append(forbidden(f"{_CLUSTER}.etcd.external", "cannot change between external and local etcd"))
    return errors + _spec_errors(new)


def _known(item: Object) -> Object | None:
    if item.get("kind") != "KubeadmControlPlane" or not str(item.get("apiVersion", "")).startswith(
        f"{CONTROL_PLANE}/"
    ):
        return None
    try:
        return in_version(item, _VERSION)
    except TopologyError:
        return None


def _copy(source: Object, target: Object, path: list[str]) -> None:
    """Copy a field from `source` to `target`, or remove it if `source` lacks it."""
    value, inner = find(source, tuple(path)), target
    *way, last = path
    for name in way:
        below = inner.get(name)
        if not isinstance(below, dict):
            if value is None:
                return
            below = inner[name] = {}
        inner = below
    if value is None:
        inner.pop(last, None)
    else:
        inner[last] = deepcopy(value)


def without_empty(value: Any) -> Any:
    """Drop empty fields, as Go does when it writes a struct."""
    if isinstance(value, dict):
        inner = {name: without_empty(one) for name, one in value.items()}
        return {name: one for name, one in inner.items() if one not in ({}, [], "", None)}
    return value


def _changed(old: Any, new: Any, path: str) -> Iterator[str]:
    """Yield the paths of a merge patch between two values; of a removed part only the top."""
    if isinstance(new, dict):
        before = old if isinstance(old, dict) else {}
        for name in sorted({*before, *new}):
            if name not in new:
                yield f"{path}.{name}"
            elif before.get(name) != new[name]:
                yield from _changed(before.get(name), new[name], f"{path}.{name}")
    elif old != new:
        yield path


def _may_change(path: str) -> bool:
    return any(path == one or path.startswith(f"{one}.") for one in _CHANGEABLE)


def _spec_errors(item: Object) -> list[FieldError]:
    spec, cluster = mapping(item, "spec"), mapping(item, *_CLUSTER_PATH)
    replicas = spec.get("replicas", 1)
    errors = []
    if type(replicas) is int:
        if replicas <= 0:
            errors.append(forbidden("spec.replicas", "cannot be less than or equal to 0"))
        if replicas % 2 == 0 and not find(cluster, ("etcd", "external")):
            errors.append(forbidden("spec.replicas", "cannot be an even number when etcd is stacked"))
    if find(cluster, ("etcd", "external")) and find(cluster, ("etcd", "local")):
        errors.append(forbidden(f"{_CLUSTER}.etcd.local", "cannot have both external and local etcd"))
    return errors + _rollout_errors(spec, cluster, replicas)


def _rollout_errors(spec: Object, cluster: Object, replicas: object) -> list[FieldError]:
    errors = []
    surge = find(spec, ("rollout", "strategy", "rollingUpdate", "maxSurge"))
    if type(surge) is int and surge not in (0, 1):
        errors.append(required("spec.rollout.strategy.rollingUpdate.maxSurge", "value must be 1 or 0"))
    if surge == 0 and type(replicas) is int and replicas < 3:
        detail = "when KubeadmControlPlane is configured to scale-in, replica count needs to be at least 3"
        errors.append(required("spec.rollout.strategy.rollingUpdate", detail))
    days, authority = (
        cluster.get("certificateValidityPeriodDays"),
        cluster.get("caCertificateValidityPeriodDays"),
    )
    longest = authority or _CA_DAYS
    if type(days) is int and type(longest) is int and days > longest:
        which = "" if authority else "the default value of "
        detail = f"must be less than or equal to {which}caCertificateValidityPeriodDays ({longest})"
        errors.append(invalid(f"{_CLUSTER}.certificateValidityPeriodDays", days, detail))
    return errors
