"""Convert the kubeadm kinds between v1beta1 and v1beta2, both ways.

Arguments are a map in v1beta1 and a list in v1beta2, durations are texts and whole seconds, and fields of
rollouts and time-outs have moved. Source: api/bootstrap/kubeadm/v1beta1/conversion.go and
api/controlplane/kubeadm/v1beta1/conversion.go.
"""

from __future__ import annotations

from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import drop, find, put
from krmkit.systems.clusterapi.api.moves import Move, Path, changed, moved, object_ref
from krmkit.systems.clusterapi.api.times import go_duration, to_seconds

ARGUMENTS: tuple[Path, ...] = (
    ("clusterConfiguration", "apiServer", "extraArgs"),
    ("clusterConfiguration", "controllerManager", "extraArgs"),
    ("clusterConfiguration", "scheduler", "extraArgs"),
    ("clusterConfiguration", "etcd", "local", "extraArgs"),
    ("initConfiguration", "nodeRegistration", "kubeletExtraArgs"),
    ("joinConfiguration", "nodeRegistration", "kubeletExtraArgs"),
)
_ONLY_V1BETA1: tuple[Path, ...] = (
    ("useExperimentalRetryJoin",),
    *(
        (part, name)
        for part in ("clusterConfiguration", "initConfiguration", "joinConfiguration")
        for name in ("apiVersion", "kind")
    ),
    ("clusterConfiguration", "kubernetesVersion"),
    ("clusterConfiguration", "clusterName"),
    ("clusterConfiguration", "networking"),
)
"""Fields that v1beta2 does not have: a conversion loses them."""
_TIMEOUT_V1BETA1 = ("clusterConfiguration", "apiServer", "timeoutForControlPlane")
_HEALTH_CHECK = ("timeouts", "controlPlaneComponentHealthCheckSeconds")
_DISCOVERY_TIMEOUT = ("joinConfiguration", "discovery", "timeout")
_TLS_BOOTSTRAP = ("joinConfiguration", "timeouts", "tlsBootstrapSeconds")
_TOKENS = ("initConfiguration", "bootstrapTokens")
_NODE_TIMEOUTS = ("nodeDrainTimeout", "nodeVolumeDetachTimeout", "nodeDeletionTimeout")
# A false in v1beta1 is what Go writes for a field that is not set; v1beta2 leaves it out.
_BOOLEANS: tuple[Path, ...] = (
    ("joinConfiguration", "discovery", "bootstrapToken", "unsafeSkipCAVerification"),
    ("joinConfiguration", "discovery", "file", "kubeConfig", "cluster", "insecureSkipTLSVerify"),
    ("joinConfiguration", "discovery", "file", "kubeConfig", "user", "exec", "provideClusterInfo"),
    ("ignition", "containerLinuxConfig", "strict"),
)
_BOOLEANS_IN_LISTS: tuple[tuple[Path, str], ...] = (
    (("files",), "append"),
    *(
        (("clusterConfiguration", part, "extraVolumes"), "readOnly")
        for part in ("apiServer", "controllerManager", "scheduler")
    ),
)

STRUCTS: tuple[Path, ...] = (
    *(
        ("clusterConfiguration", part)
        for part in ("etcd", "networking", "apiServer", "controllerManager", "scheduler", "dns")
    ),
    ("initConfiguration", "nodeRegistration"),
    ("initConfiguration", "localAPIEndpoint"),
    ("joinConfiguration", "nodeRegistration"),
    ("joinConfiguration", "discovery"),
)
"""The structs of v1beta1 that are no pointers."""


def dropped_paths() -> tuple[Path, ...]:
    """Return the v1beta1 fields that have no equal field in v1beta2."""
    return (*_ONLY_V1BETA1, _TIMEOUT_V1BETA1, _DISCOVERY_TIMEOUT)


def config_to_v1beta2(spec: Object) -> Object:
    """Return a KubeadmConfigSpec of v1beta1 as v1beta2.

    >>> config_to_v1beta2({"joinConfiguration": {"nodeRegistration": {"kubeletExtraArgs": {"v": "2"}}}})
    {'joinConfiguration': {'nodeRegistration': {'kubeletExtraArgs': [{'name': 'v', 'value': '2'}]}}}
    """
    for path in ARGUMENTS:
        spec = changed(spec, path, _argument_list)
    for path in _ONLY_V1BETA1:
        spec = drop(spec, path)
    for path in _BOOLEANS:
        spec = drop(spec, path) if find(spec, path) is False else spec
    for path, name in _BOOLEANS_IN_LISTS:
        items = find(spec, path)
        if isinstance(items, list):
            false = [find(one, (name,)) is False for one in items]
            kept = [drop(one, (name,)) if gone else one for one, gone in zip(items, false, strict=True)]
            spec = put(spec, path, kept)
    spec = changed(spec, _TOKENS, lambda tokens: [moved(one, _TTL) for one in tokens])
    limit = find(spec, _TIMEOUT_V1BETA1)
    if limit is not None:
        spec = drop(spec, _TIMEOUT_V1BETA1)
        for part in ("initConfiguration", "joinConfiguration"):
            spec = put(spec, (part, *_HEALTH_CHECK), _seconds(limit))
    limit = find(spec, _DISCOVERY_TIMEOUT)
    if limit is not None:
        spec = put(drop(spec, _DISCOVERY_TIMEOUT), _TLS_BOOTSTRAP, _seconds(limit))
    return spec


def config_to_v1beta1(spec: Object) -> Object:
    """Convert a KubeadmConfigSpec of v1beta2 to v1beta1; time-outs that only v1beta2 has are lost."""
    for path in ARGUMENTS:
        spec = changed(spec, path, _argument_map)
    spec = changed(spec, _TOKENS, lambda tokens: [moved(one, _TTL_SECONDS) for one in tokens])
    health_check = find(spec, ("initConfiguration", *_HEALTH_CHECK))
    bootstrap = find(spec, _TLS_BOOTSTRAP)
    for part in ("initConfiguration", "joinConfiguration"):
        if isinstance(find(spec, (part, "timeouts")), dict):
            spec = drop(spec, (part, "timeouts"))
            if not find(spec, (part,)):
                spec = drop(spec, (part,))
    if health_check is not None:
        spec = put(spec, _TIMEOUT_V1BETA1, _duration(health_check))
    return spec if bootstrap is None else put(spec, _DISCOVERY_TIMEOUT, _duration(bootstrap))


_MOVED: tuple[tuple[Path, Path], ...] = (
    (("rolloutBefore",), ("rollout", "before")),
    (("rolloutAfter",), ("rollout", "after")),
    (("rolloutStrategy",), ("rollout", "strategy")),
    (("machineNamingStrategy",), ("machineNaming",)),
    (("remediationStrategy", "maxRetry"), ("remediation", "maxRetry")),
    (("machineTemplate", "readinessGates"), ("machineTemplate", "spec", "readinessGates")),
    (("machineTemplate", "taints"), ("machineTemplate", "spec", "taints")),
)
"""(v1beta1, v1beta2): places of the fields of a KubeadmControlPlane with the same value in both."""
_DURATIONS: tuple[tuple[Path, Path], ...] = (
    (("remediationStrategy", "retryPeriod"), ("remediation", "retryPeriodSeconds")),
    (("remediationStrategy", "minHealthyPeriod"), ("remediation", "minHealthyPeriodSeconds")),
    *(
        (("machineTemplate", name), ("machineTemplate", "spec", "deletion", f"{name}Seconds"))
        for name in _NODE_TIMEOUTS
    ),
)
_REFERENCE_V1BETA1 = ("machineTemplate", "infrastructureRef")
_REFERENCE_V1BETA2 = ("machineTemplate", "spec", "infrastructureRef")
_CONFIG = ("kubeadmConfigSpec",)


def control_plane_to_v1beta2(spec: Object) -> Object:
    """Convert the spec of a v1beta1 KubeadmControlPlane, or of its template, to v1beta2."""
    spec = changed(spec, _CONFIG, config_to_v1beta2)
    spec = moved(spec, [(old, new, None) for old, new in _MOVED])
    spec = moved(spec, [(old, new, _seconds) for old, new in _DURATIONS])
    if isinstance(find(spec, _REFERENCE_V1BETA1), dict):
        spec = moved(spec, [(_REFERENCE_V1BETA1, _REFERENCE_V1BETA2, object_ref)])
    return spec


def control_plane_to_v1beta1(spec: Object) -> Object:
    """Convert the control plane's spec in a v1beta2 KubeadmControlPlaneTemplate to v1beta1."""
    spec = changed(spec, _CONFIG, config_to_v1beta1)
    spec = moved(spec, [(new, old, None) for old, new in _MOVED])
    return moved(spec, [(new, old, _duration) for old, new in _DURATIONS])


def _argument_list(arguments: Any) -> Any:
    if not isinstance(arguments, dict):
        return arguments
    return [{"name": name, "value": arguments[name]} for name in sorted(arguments)]


def _argument_map(arguments: Any) -> Any:
    if not isinstance(arguments, list):
        return arguments
    return {str(one.get("name", "")): one.get("value", "") for one in arguments if isinstance(one, dict)}


def _seconds(duration: Any) -> Any:
    """Return whole seconds. An invalid duration stays, so that the comparison shows it."""
    try:
        return to_seconds(duration) if isinstance(duration, str) else duration
    except ValueError:
        return duration


def _duration(seconds: Any) -> Any:
    return go_duration(seconds) if type(seconds) is int else seconds


_TTL: tuple[Move, ...] = ((("ttl",), ("ttlSeconds",), _seconds),)
_TTL_SECONDS: tuple[Move, ...] = ((("ttlSeconds",), ("ttl",), _duration),)
