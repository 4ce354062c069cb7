"""Read a ClusterClass with its templates into a blueprint. Source: exp/topology/scope/blueprint.go.

A blueprint holds what is the same for all Clusters of a class: templates, naming templates and patches are
read and parsed once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.clusterapi.api.contracts import Contracts
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.names import NamingTemplate
from krmkit.systems.clusterapi.api.workerkinds import DEPLOYMENT, WorkerKind
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
        """Return spec.controlPlane of the class."""
        return mapping(self.cluster_class, "spec", "controlPlane")

    @property
    def kubernetes_versions(self) -> list[str]:
        """Return spec.kubernetesVersions of the class, [] if it lists none."""
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
    """Return the worker class of a name. Raises TopologyError if the ClusterClass has none."""
    known = blueprint.machine_deployments if kind is DEPLOYMENT else blueprint.machine_pools
    found = known.get(name)
    if found is None:
        raise TopologyError(f"{kind.kind} class {name} not found in ClusterClass {blueprint.label}")
    return found
