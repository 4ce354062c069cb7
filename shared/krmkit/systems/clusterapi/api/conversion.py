"""Convert decoded v1beta1 objects to v1beta2, as in core/webhooks/conversion.

The engine works on v1beta2 only. Values that v1beta1 cannot tell from absent ones (`required: false`) and
namespaces of references are dropped: templates live in the namespace of their class.
"""

from __future__ import annotations

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.clusterapi.api.times import to_seconds

API_VERSION = "cluster.x-k8s.io/v1beta2"
_TIMEOUTS = ("nodeDrainTimeout", "nodeVolumeDetachTimeout", "nodeDeletionTimeout")


def convert_cluster(old: Object) -> Object:
    """Convert a decoded v1beta1 Cluster to v1beta2.

    >>> convert_cluster({"spec": {"topology": {"class": "small", "version": "v1.33.1"}}})["spec"]
    {'topology': {'classRef': {'name': 'small'}, 'version': 'v1.33.1'}}
    """
    spec = dict(mapping(old, "spec"))
    for name in ("controlPlaneRef", "infrastructureRef"):
        if name in spec:
            spec[name] = _object_ref(spec[name])
    _put(spec, "topology", _topology(spec.pop("topology", None) or {}))
    return _object(old, spec, _cluster_status(mapping(old, "status")))


def convert_cluster_class(old: Object) -> Object:
    """Convert a decoded v1beta1 ClusterClass to v1beta2."""
    spec = dict(mapping(old, "spec"))
    infrastructure = _template(spec.pop("infrastructure", None))
    _put(infrastructure, "naming", spec.pop("infrastructureNamingStrategy", None))
    _put(spec, "infrastructure", infrastructure)
    _put(spec, "controlPlane", _control_plane_class(spec.pop("controlPlane", None) or {}))
    workers = dict(spec.pop("workers", None) or {})
    for kind in ("machineDeployments", "machinePools"):
        if kind in workers:
            workers[kind] = [_worker_class(one) for one in workers[kind]]
    _put(spec, "workers", workers)
    if "variables" in spec:
        # `required` is not a pointer in v1beta1: absent means false.
        spec["variables"] = [
            {"required": False, **_renamed(one, metadata="deprecatedV1Beta1Metadata")}
            for one in spec["variables"]
        ]
    if "patches" in spec:
        spec["patches"] = [_patch(one) for one in spec["patches"]]
    return _object(old, spec, _class_status(mapping(old, "status")))


def _object(old: Object, spec: Object, status: Object) -> Object:
    new = {**old, "apiVersion": API_VERSION}
    new.pop("spec", None)
    new.pop("status", None)
    _put(new, "spec", spec)
    _put(new, "status", status)
    return new


def _put(target: Object, name: str, value: object) -> None:
    """Set a field; empty structs are absent in Go."""
    if value:
        target[name] = value


def _renamed(old: Object, **names: str) -> Object:
    return {names.get(name, name): value for name, value in old.items()}


def _object_ref(old: Object) -> Object:
    """Drop version and namespace of an ObjectReference; the group comes from the apiVersion."""
    group, slash, _ = old.get("apiVersion", "").partition("/")
    new = {"apiGroup": group if slash else "", "kind": old.get("kind"), "name": old.get("name")}
    return {name: value for name, value in new.items() if value}


def _template_ref(old: Object) -> Object:
    return {name: old[name] for name in ("kind", "name", "apiVersion") if name in old}


def _template(old: Object | None) -> Object:
    """Return a LocalObjectTemplate as {templateRef}; {} if there is none."""
    new: Object = {}
    _put(new, "templateRef", _template_ref(mapping(old, "ref")))
    return new


def _take_deletion(values: Object) -> Object:
    """Take the timeouts out of `values`; return them as `deletion`."""
    found = {}
    for name in _TIMEOUTS:
        duration = values.pop(name, None)
        if duration is not None:
            found[name + "Seconds"] = to_seconds(duration)
    return found


def _conditions(old: list[Object]) -> list[Object]:
    new = []
    for one in old:
        converted: Object = {name: one[name] for name in ("type", "status") if name in one}
        converted["timeoutSeconds"] = to_seconds(one.get("timeout", "0s"))
        new.append(converted)
    return new


def _health_check(old: Object) -> Object:
    """Convert machineHealthCheck to healthCheck: the checks, and the rules for replacing machines."""
    checks: Object = {}
    if "nodeStartupTimeout" in old:
        checks["nodeStartupTimeoutSeconds"] = to_seconds(old["nodeStartupTimeout"])
    _put(checks, "unhealthyNodeConditions", _conditions(old.get("unhealthyConditions") or []))
    _put(checks, "unhealthyMachineConditions", _conditions(old.get("unhealthyMachineConditions") or []))
    trigger: Object = {}
    if "maxUnhealthy" in old:
        trigger["unhealthyLessThanOrEqualTo"] = old["maxUnhealthy"]
    _put(trigger, "unhealthyInRange", old.get("unhealthyRange"))
    remediation: Object = {}
    _put(remediation, "triggerIf", trigger)
    _put(remediation, "templateRef", _template_ref(mapping(old, "remediationTemplate")))
    new: Object = {}
    if "enable" in old:
        new["enabled"] = old["enable"]
    _put(new, "checks", checks)
    _put(new, "remediation", remediation)
    return new


def _worker(old: Object) -> Object:
    """Convert the fields that control planes, MachineDeployments and MachinePools share."""
    new = dict(old)
    deletion = _take_deletion(new)
    health = _health_check(new.pop("machineHealthCheck", None) or {})
    strategy = new.pop("strategy", None) or {}
    rolling = dict(mapping(strategy, "rollingUpdate"))
    _put(deletion, "order", rolling.pop("deletePolicy", None))
    limit = find(strategy, ("remediation", "maxInFlight"))
    if limit is not None:
        health["remediation"] = {"maxInFlight": limit, **health.get("remediation", {})}
    rollout: Object = {}
    _put(rollout, "type", strategy.get("type"))
    _put(rollout, "rollingUpdate", rolling)
    _put(new, "rollout", {"strategy": rollout} if rollout else None)
    _put(new, "deletion", deletion)
    _put(new, "healthCheck", health)
    _put(new, "naming", new.pop("namingStrategy", None))
    return new


def convert_worker_group(old: Object) -> Object:
    """Convert the spec of a v1beta1 MachineDeployment or MachinePool to v1beta2."""
    worker = {name: old[name] for name in ("strategy",) if name in old}
    moved = _worker(worker)
    new = {
        name: value
        for name, value in old.items()
        if name not in ("strategy", "rolloutAfter", "minReadySeconds", "progressDeadlineSeconds")
    }
    rollout = dict(mapping(moved, "rollout"))
    _put(rollout, "after", old.get("rolloutAfter"))
    _put(new, "rollout", rollout)
    _put(new, "deletion", moved.get("deletion"))
    _put(new, "remediation", find(moved, ("healthCheck", "remediation")))
    _put(new, "machineNaming", new.pop("machineNamingStrategy", None))
    template = dict(mapping(new, "template"))
    template["spec"] = _machine_spec(mapping(template, "spec"))
    if "minReadySeconds" in old:
        template["spec"]["minReadySeconds"] = old["minReadySeconds"]
    return {**new, "template": template}


def _machine_spec(old: Object) -> Object:
    new = dict(old)
    _put(new, "deletion", _take_deletion(new))
    bootstrap = dict(mapping(new, "bootstrap"))
    if isinstance(bootstrap.get("configRef"), dict):
        bootstrap["configRef"] = _object_ref(bootstrap["configRef"])
        new["bootstrap"] = bootstrap
    if isinstance(new.get("infrastructureRef"), dict):
        new["infrastructureRef"] = _object_ref(new["infrastructureRef"])
    return new


def convert_machine_health_check(old: Object) -> Object:
    """Convert the spec of a v1beta1 MachineHealthCheck to v1beta2."""
    kept: Object = {name: old[name] for name in ("clusterName", "selector") if name in old}
    return {**kept, **_health_check(old)}


def _control_plane_class(old: Object) -> Object:
    new = _worker(old)
    _put(new, "templateRef", _template_ref(new.pop("ref", None) or {}))
    _put(new, "machineInfrastructure", _template(new.pop("machineInfrastructure", None)))
    return new


def _worker_class(old: Object) -> Object:
    new = _worker(old)
    template = new.pop("template", None) or {}
    _put(new, "metadata", template.get("metadata"))
    _put(new, "bootstrap", _template(template.get("bootstrap")))
    _put(new, "infrastructure", _template(template.get("infrastructure")))
    return new


def _variables(old: list[Object]) -> list[Object]:
    return [{name: one[name] for name in ("name", "value") if name in one} for one in old]


def _worker_topology(old: Object) -> Object:
    new = _worker(old)
    overrides = (new.pop("variables", None) or {}).get("overrides")
    if overrides is not None:
        new["variables"] = {"overrides": _variables(overrides)}
    return new


def _topology(old: Object) -> Object:
    new = dict(old)
    new.pop("rolloutAfter", None)
    reference = {"name": new.pop("class", None), "namespace": new.pop("classNamespace", None)}
    _put(new, "classRef", {name: value for name, value in reference.items() if value})
    _put(new, "controlPlane", _worker_topology(new.pop("controlPlane", None) or {}))
    workers = dict(new.pop("workers", None) or {})
    for kind in ("machineDeployments", "machinePools"):
        if kind in workers:
            workers[kind] = [_worker_topology(one) for one in workers[kind]]
    _put(new, "workers", workers)
    if "variables" in new:
        new["variables"] = _variables(new["variables"])
    return dict(sorted(new.items(), key=lambda item: _TOPOLOGY_ORDER.index(item[0])))


_TOPOLOGY_ORDER = ("classRef", "version", "controlPlane", "workers", "variables")


def _patch(old: Object) -> Object:
    new = dict(old)
    if new.get("external") is not None:
        new["external"] = _renamed(
            new["external"],
            generateExtension="generatePatchesExtension",
            validateExtension="validateTopologyExtension",
        )
    return new


def _cluster_status(old: Object) -> Object:
    """Convert the parts of a status that a topology reads."""
    new: Object = {name: old[name] for name in ("phase", "observedGeneration") if name in old}
    ready = {
        "infrastructureProvisioned": old.get("infrastructureReady") is True,
        "controlPlaneInitialized": old.get("controlPlaneReady") is True,
    }
    _put(new, "initialization", {name: value for name, value in ready.items() if value})
    conditions = old.get("v1beta2")
    if isinstance(conditions, dict):
        _put(new, "conditions", conditions.get("conditions"))
    return new


def _class_status(old: Object) -> Object:
    """Convert status.variables, and the fields that show that the class is reconciled."""
    new: Object = {name: old[name] for name in ("variables", "observedGeneration") if name in old}
    conditions = old.get("v1beta2")
    if isinstance(conditions, dict):
        _put(new, "conditions", conditions.get("conditions"))
    variables = new.get("variables")
    if isinstance(variables, list):
        new["variables"] = [_status_variable(one) for one in variables if isinstance(one, dict)]
    return new


def _status_variable(old: Object) -> Object:
    new = dict(old)
    if new.get("definitionsConflict") is False:
        del new["definitionsConflict"]
    definitions = new.get("definitions")
    if isinstance(definitions, list):
        new["definitions"] = [
            _renamed(one, metadata="deprecatedV1Beta1Metadata")
            for one in definitions
            if isinstance(one, dict)
        ]
    return new
