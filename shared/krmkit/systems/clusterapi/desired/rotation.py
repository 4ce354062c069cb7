"""Rotate templates that an existing control plane or MachineDeployment refers to.

An unchanged template stays. Changes of metadata are made in place. Changes of spec make a new template with a
new name, to which the reference points, so that the machines are replaced; its suffix is a hash of the
content. Source: reconcileReferencedTemplate in core/reconcilers/topology/cluster/reconcile_state.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import find, mapping, put
from krmkit.systems.clusterapi.api import labels
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.names import ClusterNames, simple_name
from krmkit.systems.clusterapi.api.objectversion import in_version, label, type_at
from krmkit.systems.clusterapi.api.roles import CONTROL_PLANE_MACHINES, DEPLOYMENT, Role
from krmkit.systems.clusterapi.desired.comparison import changed_fields, is_live
from krmkit.systems.clusterapi.model.state import ClusterState

KEPT = "kept"
PATCHED = "patched"
ROTATED = "rotated"
CREATED = "created"
MOST_FIELDS = 20
"""Changed fields that are listed for one template."""


@dataclass(slots=True)
class Rotation:
    """The outcome for one template. `fields`: the changed paths of its spec, with old and new values."""

    role: Role
    kind: str
    outcome: str
    current_name: str
    name: str
    fields: list[str]


def rotate(current: ClusterState, desired: ClusterState, names: ClusterNames, base: str) -> list[Rotation]:
    """Compare the referenced templates, rename rotated ones, and update the references in `desired`.

    base: the Cluster's name, with which names begin. Raises TopologyError if group or kind changes.
    """
    _check_versions(current, desired)
    found: list[Rotation] = []
    control_plane = desired.control_plane
    template = control_plane.infrastructure_machine_template
    if template is not None:
        role = CONTROL_PLANE_MACHINES
        old = current.control_plane.infrastructure_machine_template
        last = current.applied.get(role)
        step, template = _template(old, template, last, role, names, f"{base}-", fixed_kind=True)
        found.append(step)
        control_plane.infrastructure_machine_template = template
        for path in (("spec", "machineTemplate", "spec"), ("spec", "machineTemplate")):
            if "infrastructureRef" in mapping(control_plane.object, *path):
                place = (*path, "infrastructureRef", "name")
                control_plane.object = put(control_plane.object, place, step.name)
    for topology_name, md in desired.machine_deployments.items():
        there = current.machine_deployments.get(topology_name)
        prefix = f"{base}-{topology_name}-"
        old = there.infrastructure if there is not None else None
        role = Role(DEPLOYMENT.infrastructure, DEPLOYMENT, topology_name)
        last = current.applied.get(role)
        step, md.infrastructure = _template(
            old, md.infrastructure, last, role, names, prefix, fixed_kind=True
        )
        found.append(step)
        inner = ("spec", "template", "spec")
        md.object = put(md.object, (*inner, "infrastructureRef", "name"), step.name)
        old = there.bootstrap if there is not None else None
        role = Role(DEPLOYMENT.bootstrap, DEPLOYMENT, topology_name)
        last = current.applied.get(role)
        step, md.bootstrap = _template(old, md.bootstrap, last, role, names, prefix, fixed_kind=False)
        found.append(step)
        md.object = put(md.object, (*inner, "bootstrap", "configRef", "name"), step.name)
    return found


def _template(
    current: Object | None,
    desired: Object,
    applied: Object | None,
    role: Role,
    names: ClusterNames,
    base: str,
    *,
    fixed_kind: bool,
) -> tuple[Rotation, Object]:
    kind = str(desired.get("kind", ""))
    name = str(find(desired, ("metadata", "name"), ""))
    if not current:
        return Rotation(role, kind, CREATED, "", name, []), desired
    same_kind = current.get("kind") == kind and _group(current) == _group(desired)
    if fixed_kind and not same_kind:
        raise TopologyError(
            f"{role}: group and kind must not change from {current.get('kind')}.{_group(current)} to"
            f" {kind}.{_group(desired)}: the machines of the Cluster could not be replaced one by one"
        )
    old_name = str(find(current, ("metadata", "name"), ""))
    fields = list(changed_fields(current, desired, applied)) if same_kind else ["kind"]
    if any(not field.startswith("metadata.") for field in fields):
        if names.is_pinned(role):
            new_name = name
        else:
            new_name = simple_name(base, names.suffix(role, kind, _canonical(desired.get("spec"))))
        return (
            Rotation(role, kind, ROTATED, old_name, new_name, fields[:MOST_FIELDS]),
            put(desired, ("metadata", "name"), new_name),
        )
    outcome = PATCHED if fields else KEPT
    return Rotation(role, kind, outcome, old_name, name, fields[:MOST_FIELDS]), desired


def _check_versions(current: ClusterState, desired: ClusterState) -> None:
    """Refuse running templates that cannot be converted to the desired versions."""
    wanted = {role: item for role, item in desired.objects() if role.is_template}
    unknown: dict[str, str] = {}
    for role, item in current.objects():
        other = wanted.get(role)
        if not item or other is None or item.get("kind") != other.get("kind") or not is_live(item):
            continue
        given, version, kind = str(item["apiVersion"]), str(other["apiVersion"]), str(other["kind"])
        if _group(item) != _group(other) or in_version(item, version) or in_version(other, given):
            continue
        said = f"{role}: the running {label(item)} is in {given}, the desired one in {version}"
        unknown.setdefault(type_at(version, kind), said)
    if unknown:
        namespace = str(find(desired.cluster, ("metadata", "namespace"), ""))
        raise TopologyError(
            f"{'; '.join(unknown.values())}: no conversion between the versions is known; export the objects with:"
            f" kubectl get {','.join(unknown)} -n {namespace} -o yaml"
        )


def _group(item: Object) -> str:
    return labels.group_of(str(item.get("apiVersion", "")))


def _canonical(value: Any) -> str:
    """Serialise a JSON value so that equal values have equal texts."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key!r}:{_canonical(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical, value)) + "]"
    if type(value) is float and value.is_integer():
        value = int(value)
    return repr(value)
