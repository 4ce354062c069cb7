"""Requests for the contract test: those of a package's real Clusters, or small built-in ones."""

from __future__ import annotations

from typing import Any

from krmkit.analysis.plans.sources import collected, package_options, read_items
from krmkit.krm.finding import ERROR
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import mapping
from krmkit.services.extension.client import Caller
from krmkit.services.extension.live import LiveExtensions, Recorder
from krmkit.systems.clusterapi.desired.topologies import Topologies
from krmkit.systems.clusterapi.hooks.extensionitems import package_extensions
from krmkit.systems.clusterapi.model.causes import ClusterCauses
from krmkit.systems.clusterapi.model.extensions import Extensions
from krmkit.systems.clusterapi.model.state import ClusterState
from krmkit.systems.clusterapi.patches.external import ExternalPatch
from krmkit.systems.clusterapi.patches.request import Request
from krmkit.systems.clusterapi.webhooks.cluster import class_key

_CORE = "cluster.x-k8s.io/v1beta2"
_CONTROL_PLANE = "controlplane.cluster.x-k8s.io/v1beta2"
_BOOTSTRAP = "bootstrap.cluster.x-k8s.io/v1beta2"
_INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io/v1beta2"
_BUILTIN_CONTROL_PLANE: Object = {"controlPlane": {"version": "v1.33.1", "name": "check-cp", "replicas": 3}}
_GROUP = {"version": "v1.33.1", "class": "worker", "name": "check-md-0", "topologyName": "md-0"}
_BUILTIN_WORKERS: Object = {"machineDeployment": _GROUP}
_BY_TYPE = {"string": "text", "integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}


class _Everywhere(dict[str, "Caller"]):
    """The extension under test, in the place of every ExtensionConfig."""

    def __init__(self, caller: Caller) -> None:
        super().__init__()
        self._caller = caller

    def get(self, name: Any, default: Any = None) -> Any:
        return self._caller


class _Capture:
    has_patches = True

    def __init__(self, requests: list[Object]) -> None:
        self._requests = requests
        self._patch = ExternalPatch({"name": "check"})

    def apply(
        self,
        request: Request,
        desired: ClusterState,
        extensions: Extensions,
        causes: ClusterCauses | None = None,
    ) -> None:
        self._requests.append(self._patch.wire("GeneratePatchesRequest", request, None, with_uid=True))


def of_package(folder: str, caller: Caller) -> tuple[list[Object], list[str]]:
    """Return a request for each Cluster of a package, with the discovered variables, and the problems.

    Raises Refused.
    """
    items = read_items(folder)
    found = collected(items)
    options = package_options(items)
    options.feature_gates = {**options.feature_gates, "RuntimeSDK": True}
    others, findings = package_extensions(found)
    topologies = Topologies(found, options, LiveExtensions(_Everywhere(caller), others, Recorder()))
    requests: list[Object] = []
    engine: Any = _Capture(requests)
    for decoded in topologies.managed():
        work = topologies.class_work(class_key(decoded.data))
        if work is not None and work.blueprint is not None:
            work.blueprint.engine = engine
        topologies.render(decoded)
    problems = [str(one) for one in (*findings, *topologies.findings) if one.severity == ERROR]
    if not requests and not problems:
        problems.append(
            f"{folder} has no Cluster with a topology, so patches and validations were not called"
        )
    return requests, problems


def of_our_own(definitions: list[Object]) -> list[Object]:
    """Return a request with kubeadm's and the Docker provider's templates and a value for each variable."""
    labels = {"cluster.x-k8s.io/cluster-name": "check", "topology.cluster.x-k8s.io/owned": ""}
    cluster: Object = {"apiVersion": _CORE, "kind": "Cluster", "namespace": "default", "name": "check"}
    workers = {**cluster, "kind": "MachineDeployment", "name": "check-md-0"}
    templates = [
        (_INFRASTRUCTURE, "DevClusterTemplate", {**cluster, "fieldPath": "spec.infrastructureRef"}, {}),
        (_CONTROL_PLANE, "KubeadmControlPlaneTemplate", {**cluster, "fieldPath": "spec.controlPlaneRef"}, _BUILTIN_CONTROL_PLANE),
        (_BOOTSTRAP, "KubeadmConfigTemplate", {**workers, "fieldPath": "spec.template.spec.bootstrap.configRef"}, _BUILTIN_WORKERS),
        (_INFRASTRUCTURE, "DevMachineTemplate", {**workers, "fieldPath": "spec.template.spec.infrastructureRef"}, _BUILTIN_WORKERS),
    ]  # fmt: skip
    items = []
    for number, (api_version, kind, holder, builtin) in enumerate(templates, 1):
        template = {
            "apiVersion": api_version,
            "kind": kind,
            "metadata": {"name": kind.lower(), "namespace": "default", "labels": labels},
            "spec": {"template": {"metadata": {"labels": labels}, "spec": {}}},
        }
        item: Object = {"uid": str(number), "holderReference": holder, "object": template}
        if builtin:
            item["variables"] = [{"name": "builtin", "value": builtin}]
        items.append(item)
    topology = {"version": "v1.33.1", "class": "check", "classRef": {"name": "check", "namespace": "default"}}
    variables = [
        {"name": str(one.get("name")), "value": _of_schema(mapping(one, "schema", "openAPIV3Schema"))}
        for one in definitions
    ]
    builtin = {"cluster": {"name": "check", "namespace": "default", "topology": topology}}
    return [{"variables": [*variables, {"name": "builtin", "value": builtin}], "items": items}]


def _of_schema(schema: Object) -> Any:
    """Return a value for a schema: its default, example, first enum value, or one of its type."""
    for key in ("default", "example"):
        if schema.get(key) not in (None, ""):
            return schema[key]
    allowed = schema.get("enum")
    if isinstance(allowed, list) and allowed:
        return allowed[0]
    if schema.get("type") == "object":
        return {name: _of_schema(mapping(inner)) for name, inner in mapping(schema, "properties").items()}
    return _BY_TYPE.get(str(schema.get("type")))
