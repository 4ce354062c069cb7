"""Read a ClusterClass with its templates into a blueprint. Source: exp/topology/scope/blueprint.go.

A blueprint holds the parts that all Clusters of a class share: templates, naming templates and patches, read
and parsed once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.json import Object
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.clusterapi.api.collection import Collected, CollectedObject
from krmkit.systems.clusterapi.api.contracts import Contracts
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.labels import group_of
from krmkit.systems.clusterapi.api.names import NamingTemplate
from krmkit.systems.clusterapi.api.objectversion import how_to_export, in_version
from krmkit.systems.clusterapi.api.roles import DEPLOYMENT, WorkerKind
from krmkit.systems.clusterapi.desired.cloning import made_type
from krmkit.systems.clusterapi.patches.engine import PatchEngine

_DEFAULT_NAME = "{{ .cluster.name }}-{{ .random }}"
_DEFAULT_WORKER_NAME = "{{ .cluster.name }}-{{ .%s.topologyName }}-{{ .random }}"


@dataclass(slots=True)
class WorkerBlueprint:
    """A worker class: its entry in the ClusterClass, its two templates and its naming template."""

    worker_class: Object
    bootstrap_template: Object
    infrastructure_template: Object
    naming: NamingTemplate


@dataclass(slots=True)
class ClusterBlueprint:
    """A ClusterClass (v1beta2) with its templates.

    contract: the contract version of the control plane's kind; contract_source names its source.
    """

    cluster_class: Object
    infrastructure_cluster_template: Object
    control_plane_template: Object
    control_plane_machine_template: Object | None
    contract: str
    contract_source: str
    engine: PatchEngine
    infrastructure_naming: NamingTemplate
    control_plane_naming: NamingTemplate
    machine_deployments: dict[str, WorkerBlueprint] = field(default_factory=dict)
    machine_pools: dict[str, WorkerBlueprint] = field(default_factory=dict)

    @property
    def control_plane_class(self) -> Object:
        return mapping(self.cluster_class, "spec", "controlPlane")

    @property
    def kubernetes_versions(self) -> list[str]:
        return [str(version) for version in find(self.cluster_class, ("spec", "kubernetesVersions")) or []]

    @property
    def label(self) -> str:
        """Return `namespace/name` of the class."""
        metadata = mapping(self.cluster_class, "metadata")
        return f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"


def read_blueprint(
    cluster_class: Object,
    template: Callable[[Object, str], Object],
    contracts: Contracts,
    definitions: list[Object] | None,
) -> ClusterBlueprint:
    """Return the blueprint of a class.

    template: (templateRef, field) -> the template without the keys of tools; raises TopologyError if there is
    none. definitions: the class's status.variables; None if every patch sees every variable.
    """
    spec = mapping(cluster_class, "spec")

    def read(*path: str) -> Object:
        reference = mapping(spec, *path, "templateRef")
        return template(reference, ".".join(("spec", *path, "templateRef")))

    control_plane_template = read("controlPlane")
    has_machines = bool(mapping(spec, "controlPlane", "machineInfrastructure", "templateRef"))
    contract, source = contracts.of(*made_type(control_plane_template))
    workers: dict[str, dict[str, WorkerBlueprint]] = {}
    for listing, data in (("machineDeployments", "machineDeployment"), ("machinePools", "machinePool")):
        workers[listing] = {}
        for index, worker in enumerate(find(spec, ("workers", listing)) or []):
            where = f"spec.workers.{listing}[{index}]"
            bootstrap = mapping(worker, "bootstrap", "templateRef")
            infrastructure = mapping(worker, "infrastructure", "templateRef")
            workers[listing][str(worker.get("class", ""))] = WorkerBlueprint(
                worker,
                template(bootstrap, where + ".bootstrap.templateRef"),
                template(infrastructure, where + ".infrastructure.templateRef"),
                NamingTemplate(find(worker, ("naming", "template")) or _DEFAULT_WORKER_NAME % data),
            )
    return ClusterBlueprint(
        cluster_class,
        read("infrastructure"),
        control_plane_template,
        read("controlPlane", "machineInfrastructure") if has_machines else None,
        contract,
        source,
        PatchEngine(spec.get("patches") or [], definitions),
        NamingTemplate(find(spec, ("infrastructure", "naming", "template")) or _DEFAULT_NAME),
        NamingTemplate(find(spec, ("controlPlane", "naming", "template")) or _DEFAULT_NAME),
        workers["machineDeployments"],
        workers["machinePools"],
    )


def worker_blueprint(blueprint: ClusterBlueprint, kind: WorkerKind, name: str) -> WorkerBlueprint:
    """Return the worker class called `name`. Raises TopologyError if the ClusterClass has none."""
    known = blueprint.machine_deployments if kind is DEPLOYMENT else blueprint.machine_pools
    found = known.get(name)
    if found is None:
        raise TopologyError(f"{kind.kind} class {name} not found in ClusterClass {blueprint.label}")
    return found


class ClassTemplates:
    """The templates of one class: (templateRef, field) -> data. `found`: their items by the data's id."""

    def __init__(self, collected: Collected, owner: CollectedObject) -> None:
        self.found: dict[int, CollectedObject] = {}
        self._collected = collected
        self._owner = owner

    def __call__(self, reference: Object, where: str) -> Object:
        kind, name = str(reference.get("kind", "")), str(reference.get("name", ""))
        group = group_of(str(reference.get("apiVersion", "")))
        template = self._collected.find(group, kind, self._owner.namespace, name)
        if template is None:
            place = (group, kind, self._owner.namespace)
            hint = did_you_mean(name, [key[3] for key in self._collected.others if key[:3] == place])
            raise TopologyError(
                f"{where} must name a template among the items, got {kind}.{group} {quote(name)} in namespace"
                f" {self._owner.namespace}" + hint
            ).at(where)
        problem = _misshapen(template.data)
        if problem:
            raise TopologyError(f"{where} names {template.label}, whose {problem}").at(where)
        version = str(reference.get("apiVersion", ""))
        # The controller reads a template at the version that the class names, which patches select.
        data = in_version(template.data, version)
        if data is None:
            raise TopologyError(
                f"{where}.apiVersion is {version}, and {template.label} is in {template.api_version}: no conversion between the two is"
                f" known; name the same version in both, or export it with:"
                f" {how_to_export(version, kind, self._owner.namespace, name)}"
            )
        self.found[id(data)] = template
        return data


def _misshapen(template: Object) -> str:
    """Return a message about the first part of a template that has a wrong type, or ""."""
    for path in (("metadata",), ("spec",), ("spec", "template"), ("spec", "template", "metadata")):
        holder = mapping(template, *path[:-1])
        if path[-1] in holder and not isinstance(holder[path[-1]], dict):
            return f"{'.'.join(path)} must be a map"
        if path[-1] == "metadata":
            for part in ("labels", "annotations"):
                texts = mapping(holder, "metadata").get(part)
                if texts is not None and not is_text_map(texts):
                    return f"{'.'.join(path)}.{part} must be a map of strings"
    return ""


def is_text_map(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
