"""The patch engine: all patches of a class, in their order, on all templates of a Cluster. Source: patches/engine.go.

The order contract: one request carries the templates through all patches; what a patch generates is made of the
templates as they were before it; after the last patch the extensions validate; then the results are written back.
"""

from __future__ import annotations

from krmkit.clusterapi import labels
from krmkit.clusterapi.contract import machine_infrastructure_path
from krmkit.clusterapi.errors import TopologyError
from krmkit.clusterapi.extensions import JSON_MERGE_PATCH
from krmkit.clusterapi.patches.apply import PROTECTED_CONTROL_PLANE, Patched, write_back
from krmkit.clusterapi.patches.external import ExternalPatch
from krmkit.clusterapi.patches.inline import InlinePatch
from krmkit.clusterapi.patches.request import (
    BOOTSTRAP_REF,
    CONTROL_PLANE_REF,
    INFRASTRUCTURE_REF,
    MACHINE_INFRASTRUCTURE_REF,
    Request,
    RequestItem,
)
from krmkit.clusterapi.patches.variables import (
    cluster_builtin,
    control_plane_builtin,
    named_values,
    worker_builtin,
)
from krmkit.lang.gotemplate.printing import quote
from krmkit.lang.nested import find, mapping, put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.clusterapi.blueprint import Blueprint
    from krmkit.clusterapi.extensions import Extensions
    from krmkit.clusterapi.state import ClusterState

    Object = dict[str, Any]

INLINE = "inline"


class PatchEngine:
    """The patches of one class, with their templates parsed, and which variables each of them sees.

    definitions: the class's status.variables; None where every patch sees every variable.
    """

    __slots__ = ("_names", "_patches")

    def __init__(self, patches: list[Object], definitions: list[Object] | None) -> None:
        self._patches: list[InlinePatch | ExternalPatch] = [
            InlinePatch(patch) if patch.get("definitions") else ExternalPatch(patch) for patch in patches
        ]
        self._names = None if definitions is None else _names_by_source(definitions)

    def apply(self, blueprint: Blueprint, desired: ClusterState, extensions: Extensions) -> None:
        """Patch the desired objects of a Cluster. Raises TopologyError."""
        if not self._patches:
            return
        request = create_request(blueprint, desired)
        drafts = {id(item): Patched(item) for item in request.items}
        names: frozenset[str] | None = None
        for patch in self._patches:
            names = self._visible(patch)
            if isinstance(patch, ExternalPatch) and not patch.generates:
                raise TopologyError(f"failed to create patch generator for patch {quote(patch.name)}")
            try:
                answers = patch.generate(request, names, extensions)
            except TopologyError as error:
                raise error.wrapped(f"failed to generate patches for patch {quote(patch.name)}") from None
            _apply(patch.name, drafts, answers)
        for patch in self._patches:
            if isinstance(patch, ExternalPatch) and patch.validates:
                try:
                    # The variables of the last patch: the reference does not compute them anew.
                    patch.validate(request, names, extensions)
                except TopologyError as error:
                    raise error.wrapped(f"validation of patch {quote(patch.name)} failed") from None
        update_desired_state(request, desired)

    def _visible(self, patch: InlinePatch | ExternalPatch) -> frozenset[str] | None:
        if self._names is None:
            return None
        source = INLINE if isinstance(patch, InlinePatch) else patch.name
        return self._names.get(source, frozenset())


def _apply(patch: str, drafts: dict[int, Patched], answers: list[tuple[RequestItem, str, Any]]) -> None:
    """Apply what one patch answers, in its order."""
    try:
        for item, kind, content in answers:
            if kind == JSON_MERGE_PATCH:
                drafts[id(item)].merge_patch(content)
            else:
                drafts[id(item)].json_patch(content)
    except TopologyError as error:
        raise error.wrapped(f"failed to apply patches for patch {quote(patch)}") from None


def _names_by_source(definitions: list[Object]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for variable in definitions:
        for definition in variable.get("definitions") or []:
            found.setdefault(str(definition.get("from", "")), set()).add(str(variable.get("name")))
    return {source: frozenset(names) for source, names in found.items()}


def create_request(blueprint: Blueprint, desired: ClusterState) -> Request:
    """The request for a Cluster's templates. Item uids are 1, 2, ... in the order of the items."""
    topology = mapping(desired.cluster, "spec", "topology")
    items: list[RequestItem] = []

    def add(
        role: str,
        template: Object,
        target: Object,
        holder: Object,
        path: str,
        variables: Object,
        builtin: Object | None,
        is_template: bool,
    ) -> None:
        metadata = mapping(holder, "metadata")
        reference = {
            "apiVersion": holder.get("apiVersion", labels.API_VERSION),
            "kind": holder.get("kind", "Cluster"),
            "namespace": metadata.get("namespace", ""),
            "name": metadata.get("name", ""),
            "fieldPath": path,
        }
        prepared = _with_metadata(template, target, is_template)
        items.append(RequestItem(str(len(items) + 1), role, reference, prepared, variables, builtin))

    cluster, control_plane = desired.cluster, desired.control_plane
    add("infrastructureCluster", blueprint.infrastructure_cluster_template, desired.infrastructure_cluster,
        cluster, INFRASTRUCTURE_REF, {}, None, False)  # fmt: skip
    cp_topology = mapping(topology, "controlPlane")
    machine_template = control_plane.infrastructure_machine_template
    builtin = {"controlPlane": control_plane_builtin(cp_topology, control_plane.object, machine_template)}
    overrides = _overrides(cp_topology)
    add("controlPlane", blueprint.control_plane_template, control_plane.object,
        cluster, CONTROL_PLANE_REF, overrides, builtin, False)  # fmt: skip
    if machine_template is not None:
        template = blueprint.control_plane_machine_template
        assert template is not None
        add("controlPlaneInfrastructureMachineTemplate", template, machine_template, control_plane.object,
            machine_infrastructure_path(blueprint.contract), overrides, builtin, True)  # fmt: skip
    topologies = {one.get("name"): one for one in find(topology, ("workers", "machineDeployments")) or []}
    for name, md in desired.machine_deployments.items():
        one = topologies[name]
        builtin = {
            "machineDeployment": worker_builtin(
                one, md.object, md.bootstrap_template, md.infrastructure_machine_template
            )
        }
        worker_class = blueprint.machine_deployments[one["class"]]
        base = f"machineDeployments/{name}/"
        add(base + "bootstrapTemplate", worker_class.bootstrap_template, md.bootstrap_template,
            md.object, BOOTSTRAP_REF, _overrides(one), builtin, True)  # fmt: skip
        add(base + "infrastructureMachineTemplate", worker_class.infrastructure_template,
            md.infrastructure_machine_template, md.object, MACHINE_INFRASTRUCTURE_REF, _overrides(one), builtin, True)  # fmt: skip
    topologies = {one.get("name"): one for one in find(topology, ("workers", "machinePools")) or []}
    for name, mp in desired.machine_pools.items():
        one = topologies[name]
        builtin = {
            "machinePool": worker_builtin(
                one, mp.object, mp.bootstrap_object, mp.infrastructure_machine_pool_object
            )
        }
        worker_class = blueprint.machine_pools[one["class"]]
        base = f"machinePools/{name}/"
        add(base + "bootstrapObject", worker_class.bootstrap_template, mp.bootstrap_object,
            mp.object, BOOTSTRAP_REF, _overrides(one), builtin, False)  # fmt: skip
        add(base + "infrastructureMachinePoolObject", worker_class.infrastructure_template,
            mp.infrastructure_machine_pool_object, mp.object, MACHINE_INFRASTRUCTURE_REF, _overrides(one), builtin,
            False)  # fmt: skip
    return Request(items, named_values(topology.get("variables")), {"cluster": cluster_builtin(cluster)})


def _overrides(topology: Object) -> Object:
    return named_values(find(topology, ("variables", "overrides")))


def _with_metadata(template: Object, target: Object, is_template: bool) -> Object:
    """The class's template with the labels and annotations of the desired object, without bookkeeping."""
    metadata = {key: value for key, value in mapping(template, "metadata").items() if key != "managedFields"}
    if metadata.get("annotations"):
        metadata["annotations"] = {
            key: value for key, value in metadata["annotations"].items() if key not in labels.BOOKKEEPING
        }
    result = {**template, "metadata": metadata}
    base = ("metadata",) if is_template else ("spec", "template", "metadata")
    for name in ("labels", "annotations"):
        value = find(target, ("metadata", name))
        if value is not None:
            result = put(result, (*base, name), value)
    return result


def update_desired_state(request: Request, desired: ClusterState) -> None:
    """Write all patched templates back to the desired objects. Raises TopologyError."""
    try:
        for item in request.items:
            _write(item, desired)
    except TopologyError as error:
        raise error.wrapped("failed to apply patches to desired state") from None


def _write(item: RequestItem, desired: ClusterState) -> None:
    group, _, rest = item.role.partition("/")
    control_plane = desired.control_plane
    if group == "infrastructureCluster":
        desired.infrastructure_cluster = write_back(desired.infrastructure_cluster, item.object, False)
    elif group == "controlPlane":
        control_plane.object = write_back(control_plane.object, item.object, False, PROTECTED_CONTROL_PLANE)
    elif group == "controlPlaneInfrastructureMachineTemplate":
        assert control_plane.infrastructure_machine_template is not None
        control_plane.infrastructure_machine_template = write_back(
            control_plane.infrastructure_machine_template, item.object, True
        )
    else:
        name, _, part = rest.rpartition("/")
        if group == "machineDeployments":
            md = desired.machine_deployments[name]
            if part == "bootstrapTemplate":
                md.bootstrap_template = write_back(md.bootstrap_template, item.object, True)
            else:
                md.infrastructure_machine_template = write_back(
                    md.infrastructure_machine_template, item.object, True
                )
        else:
            mp = desired.machine_pools[name]
            if part == "bootstrapObject":
                mp.bootstrap_object = write_back(mp.bootstrap_object, item.object, False)
            else:
                mp.infrastructure_machine_pool_object = write_back(
                    mp.infrastructure_machine_pool_object, item.object, False
                )
