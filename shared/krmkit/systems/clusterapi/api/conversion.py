"""Convert decoded v1beta1 objects to v1beta2, as in core/webhooks/conversion.

The engine works on v1beta2 only. Values that v1beta1 cannot tell from absent ones (`required: false`) and
namespaces of references are dropped: templates live in the namespace of their class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import drop, find, mapping
from krmkit.systems.clusterapi.api.moves import Move, changed, kept, moved, object_ref
from krmkit.systems.clusterapi.api.times import to_seconds

API_VERSION = "cluster.x-k8s.io/v1beta2"


def _template_ref(old: Object) -> Object:
    return kept(old, "kind", "name", "apiVersion")


def _conditions(old: list[Object]) -> list[Object]:
    return [
        {**kept(one, "type", "status"), "timeoutSeconds": to_seconds(one.get("timeout", "0s"))} for one in old
    ]


_TIMEOUTS: tuple[Move, ...] = tuple(
    ((name,), ("deletion", f"{name}Seconds"), to_seconds)
    for name in ("nodeDrainTimeout", "nodeVolumeDetachTimeout", "nodeDeletionTimeout")
)
_HEALTH_CHECK: tuple[Move, ...] = (
    (("enable",), ("enabled",), None),
    (("nodeStartupTimeout",), ("checks", "nodeStartupTimeoutSeconds"), to_seconds),
    (("unhealthyConditions",), ("checks", "unhealthyNodeConditions"), _conditions),
    (("unhealthyMachineConditions",), ("checks", "unhealthyMachineConditions"), _conditions),
    (("maxUnhealthy",), ("remediation", "triggerIf", "unhealthyLessThanOrEqualTo"), None),
    (("unhealthyRange",), ("remediation", "triggerIf", "unhealthyInRange"), None),
    (("remediationTemplate",), ("remediation", "templateRef"), _template_ref),
)
# The limit of rolling updates is left of a strategy once its policy for deletions has moved.
_STRATEGY: tuple[Move, ...] = (
    (("strategy", "rollingUpdate", "deletePolicy"), ("deletion", "order"), None),
    (("strategy", "type"), ("rollout", "strategy", "type"), None),
    (("strategy", "rollingUpdate"), ("rollout", "strategy", "rollingUpdate"), None),
)
_LIMIT = ("strategy", "remediation", "maxInFlight")
_CLASS: tuple[Move, ...] = (
    (("ref",), ("templateRef",), _template_ref),
    (("machineInfrastructure", "ref"), ("machineInfrastructure", "templateRef"), _template_ref),
    (("template", "metadata"), ("metadata",), None),
    (("template", "bootstrap", "ref"), ("bootstrap", "templateRef"), _template_ref),
    (("template", "infrastructure", "ref"), ("infrastructure", "templateRef"), _template_ref),
)
_TOPOLOGY: tuple[Move, ...] = (
    (("class",), ("classRef", "name"), None),
    (("classNamespace",), ("classRef", "namespace"), None),
)
_TOPOLOGY_ORDER = ("classRef", "version", "controlPlane", "workers", "variables")


def convert_cluster(old: Object) -> Object:
    """Convert a decoded v1beta1 Cluster to v1beta2.

    >>> convert_cluster({"spec": {"topology": {"class": "small", "version": "v1.33.1"}}})["spec"]
    {'topology': {'classRef': {'name': 'small'}, 'version': 'v1.33.1'}}
    """
    spec = mapping(old, "spec")
    for name in ("controlPlaneRef", "infrastructureRef"):
        spec = changed(spec, (name,), object_ref)
    spec = _without_empty(changed(spec, ("topology",), _topology), "topology")
    return _object(old, spec, _cluster_status(mapping(old, "status")))


def convert_cluster_class(old: Object) -> Object:
    """Convert a decoded v1beta1 ClusterClass to v1beta2."""
    spec = mapping(old, "spec")
    spec = changed(spec, ("infrastructure",), lambda one: moved(one, _CLASS))
    spec = moved(spec, [(("infrastructureNamingStrategy",), ("infrastructure", "naming"), None)])
    spec = _with_workers(_without_empty(spec, "infrastructure"), _worker_class)
    # `required` is not a pointer in v1beta1: absent means false.
    spec = changed(spec, ("variables",), lambda them: [{"required": False, **_variable(one)} for one in them])
    spec = changed(spec, ("patches",), lambda them: [_patch(one) for one in them])
    return _object(old, spec, _class_status(mapping(old, "status")))


def _without_empty(data: Object, name: str) -> Object:
    """Drop the struct `name` if it is empty: in Go it is absent."""
    return drop(data, (name,)) if data.get(name) == {} else data


def _object(old: Object, spec: Object, status: Object) -> Object:
    rest = {name: value for name, value in old.items() if name not in ("spec", "status")}
    parts = {"spec": spec, "status": status}
    return {**rest, "apiVersion": API_VERSION, **{name: value for name, value in parts.items() if value}}


def _with_workers(owner: Object, change: Callable[[Object], Object]) -> Object:
    """Convert the control plane and the workers of a class or a topology."""
    owner = changed(owner, ("controlPlane",), change)
    for kind in ("machineDeployments", "machinePools"):
        owner = changed(owner, ("workers", kind), lambda them: [change(one) for one in them])
    return owner


def _worker(old: Object) -> Object:
    """Convert the fields that control planes, MachineDeployments and MachinePools share."""
    new = changed(old, ("machineHealthCheck",), lambda one: moved(one, _HEALTH_CHECK))
    return moved(
        new,
        [
            *_STRATEGY,
            *_TIMEOUTS,
            (("machineHealthCheck",), ("healthCheck",), None),
            (_LIMIT, ("healthCheck", "remediation", "maxInFlight"), None),
            (("namingStrategy",), ("naming",), None),
        ],
    )


def _worker_class(old: Object) -> Object:
    return _without_empty(drop(moved(_worker(old), _CLASS), ("template",)), "machineInfrastructure")


def convert_worker_group(old: Object) -> Object:
    """Convert the spec of a v1beta1 MachineDeployment or MachinePool to v1beta2."""
    new = moved(
        old,
        [
            *_STRATEGY,
            (("rolloutAfter",), ("rollout", "after"), None),
            (_LIMIT, ("remediation", "maxInFlight"), None),
            (("machineNamingStrategy",), ("machineNaming",), None),
            (("minReadySeconds",), ("template", "spec", "minReadySeconds"), None),
        ],
    )
    new = drop(drop(new, ("strategy",)), ("progressDeadlineSeconds",))
    return changed(new, ("template", "spec"), _machine)


def _machine(old: Object) -> Object:
    new = moved(old, _TIMEOUTS)
    for path in (("bootstrap", "configRef"), ("infrastructureRef",)):
        new = changed(new, path, object_ref)
    return new


def convert_machine_health_check(old: Object) -> Object:
    """Convert the spec of a v1beta1 MachineHealthCheck to v1beta2."""
    return moved(old, _HEALTH_CHECK)


def _topology(old: Object) -> Object:
    new = _with_workers(moved(drop(old, ("rolloutAfter",)), _TOPOLOGY), _worker_topology)
    new = changed(new, ("variables",), _values)
    return dict(sorted(new.items(), key=lambda item: _TOPOLOGY_ORDER.index(item[0])))


def _worker_topology(old: Object) -> Object:
    return changed(_worker(old), ("variables", "overrides"), _values)


def _values(old: list[Object]) -> list[Object]:
    return [kept(one, "name", "value") for one in old]


def _variable(old: Object) -> Object:
    return {("deprecatedV1Beta1Metadata" if name == "metadata" else name): one for name, one in old.items()}


def _patch(old: Object) -> Object:
    names = {
        "generateExtension": "generatePatchesExtension",
        "validateExtension": "validateTopologyExtension",
    }
    return moved(old, [(("external", one), ("external", other), None) for one, other in names.items()])


def _cluster_status(old: Object) -> Object:
    """Convert the parts of a status that a topology reads."""
    ready = {
        "infrastructureProvisioned": old.get("infrastructureReady") is True,
        "controlPlaneInitialized": old.get("controlPlaneReady") is True,
    }
    return _status(
        old, ("phase",), {"initialization": {name: True for name, value in ready.items() if value}}
    )


def _class_status(old: Object) -> Object:
    """Convert status.variables, and the fields that show that the class is reconciled."""
    return changed(_status(old, ("variables",), {}), ("variables",), _status_variables)


def _status(old: Object, names: Iterable[str], more: Object) -> Object:
    more = {**more, "conditions": find(old, ("v1beta2", "conditions"))}
    return {**kept(old, *names, "observedGeneration"), **{name: one for name, one in more.items() if one}}


def _status_variables(old: Any) -> Any:
    if not isinstance(old, list):
        return old
    variables = [one for one in old if isinstance(one, dict)]
    return [
        changed(
            one if one.get("definitionsConflict") is not False else drop(one, ("definitionsConflict",)),
            ("definitions",),
            _status_definitions,
        )
        for one in variables
    ]


def _status_definitions(old: Any) -> Any:
    return [_variable(one) for one in old if isinstance(one, dict)] if isinstance(old, list) else old
