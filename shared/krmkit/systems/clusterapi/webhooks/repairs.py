"""Suggest repairs: near names for unknown names in a Cluster, and changes to a refused ClusterClass."""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.libraries.json import Object
from krmkit.libraries.kube.fielderror import FieldError
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.messages.nearest import proposal
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.clusterapi.webhooks import compatibility

_CLASS_SELECTORS = {
    compatibility.MACHINE_DEPLOYMENTS: "machineDeploymentClass",
    compatibility.MACHINE_POOLS: "machinePoolClass",
}


def meant(error: FieldError, cluster_class: Object | None) -> str:
    """Return `; did you mean "worker"?` for an error about a name that the class lacks, or ""."""
    if cluster_class is None:
        return ""
    spec = compatibility.spec_of(cluster_class)
    if error.detail == "variable is not defined":
        name = error.field.rpartition("[")[2].removesuffix("]")
        return proposal(name, [variable.get("name", "") for variable in spec.get("variables") or ()])
    if error.field.endswith(".class") and "does not exist in ClusterClass" in error.detail:
        for kind in compatibility.WORKER_KINDS:
            if error.field.startswith(f"spec.topology.workers.{kind}["):
                names = [worker.get("class", "") for worker in compatibility.workers_of(spec, kind)]
                return proposal(str(error.value), names)
    return ""


def class_need(error: FieldError, cluster_class: Object) -> str:
    """Return the repair for an error of a ClusterClass, "" if the error itself names it.

    For a selector that selects nothing: what selects templates of its kind, `; needed:
    matchResources.controlPlane: true`.
    """
    if error.detail != "no selector enabled":
        return ""
    spec = compatibility.spec_of(cluster_class)
    for position, patch in enumerate(spec.get("patches") or ()):
        for number, definition in enumerate(patch.get("definitions") or ()):
            if error.field == f"spec.patches[{position}].definitions[{number}].selector":
                selector = mapping(definition, "selector")
                known = " or ".join(_selections(selector, spec))
                return f"; needed: {known or 'no template of the class has this apiVersion and kind'}"
    return ""


def _selections(selector: Object, spec: Object) -> Iterator[str]:
    wanted = (selector.get("apiVersion"), selector.get("kind"))

    def is_wanted(holder: object) -> bool:
        reference = compatibility.template_ref(holder) if isinstance(holder, dict) else {}
        return (reference.get("apiVersion"), reference.get("kind")) == wanted

    control_plane = mapping(spec, "controlPlane")
    if is_wanted(spec.get("infrastructure")):
        yield "matchResources.infrastructureCluster: true"
    if is_wanted(control_plane) or is_wanted(control_plane.get("machineInfrastructure")):
        yield "matchResources.controlPlane: true"
    for kind, field in _CLASS_SELECTORS.items():
        names = [
            worker.get("class", "")
            for worker in compatibility.workers_of(spec, kind)
            if is_wanted(worker.get("infrastructure")) or is_wanted(worker.get("bootstrap"))
        ]
        if names:
            yield f"matchResources.{field}.names: [{listed(names)}]"
