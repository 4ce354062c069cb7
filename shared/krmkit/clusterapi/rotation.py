"""Template rotation: changes of a template that an existing control plane or MachineDeployment refers to.

Source: reconcileReferencedTemplate in core/reconcilers/topology/cluster/reconcile_state.go. No change: it stays. Changes
of metadata: it is changed in place and keeps its name. Changes of spec: a new template with a new name, to which the
reference points, so that the machines are replaced. The new name's suffix is a hash of the new content.
"""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.clusterapi import labels
from krmkit.clusterapi.errors import TopologyError
from krmkit.clusterapi.names import simple_name
from krmkit.clusterapi.workerkinds import DEPLOYMENT
from krmkit.lang.jsonequal import json_equal
from krmkit.lang.nested import find, mapping, put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from krmkit.clusterapi.names import ClusterNames
    from krmkit.clusterapi.state import ClusterState

    Object = dict[str, Any]

KEPT = "kept"
PATCHED = "patched"
ROTATED = "rotated"
CREATED = "created"
MOST_FIELDS = 20
"""Changed fields that are listed for one template."""


@dataclass(slots=True)
class Rotation:
    """The outcome for one template. `fields` are the changed paths of its spec, with the old and the new value."""

    role: str
    kind: str
    outcome: str
    current_name: str
    name: str
    fields: list[str]


def rotate(current: ClusterState, desired: ClusterState, names: ClusterNames, base: str) -> list[Rotation]:
    """Compare the referenced templates, rename those that rotate, and update the references.

    base: the Cluster's name, with which names begin. Changes the desired state. Raises TopologyError for a change of group
    or kind that is not allowed.
    """
    found: list[Rotation] = []
    control_plane = desired.control_plane
    template = control_plane.infrastructure_machine_template
    if template is not None:
        role = "controlPlaneInfrastructureMachineTemplate"
        old = current.control_plane.infrastructure_machine_template
        step, template = _template(old, template, role, names, f"{base}-", fixed_kind=True)
        found.append(step)
        control_plane.infrastructure_machine_template = template
        for path in (("spec", "machineTemplate", "spec"), ("spec", "machineTemplate")):
            if "infrastructureRef" in mapping(control_plane.object, *path):
                place = (*path, "infrastructureRef", "name")
                control_plane.object = put(control_plane.object, place, step.name)
    for topology_name, md in desired.machine_deployments.items():
        there = current.machine_deployments.get(topology_name)
        role = f"{DEPLOYMENT.listing}/{topology_name}/"
        prefix = f"{base}-{topology_name}-"
        old = there.infrastructure if there is not None else None
        step, md.infrastructure = _template(
            old, md.infrastructure, role + DEPLOYMENT.infrastructure, names, prefix, fixed_kind=True
        )
        found.append(step)
        inner = ("spec", "template", "spec")
        md.object = put(md.object, (*inner, "infrastructureRef", "name"), step.name)
        old = there.bootstrap if there is not None else None
        step, md.bootstrap = _template(
            old, md.bootstrap, role + DEPLOYMENT.bootstrap, names, prefix, fixed_kind=False
        )
        found.append(step)
        md.object = put(md.object, (*inner, "bootstrap", "configRef", "name"), step.name)
    return found


def _template(
    current: Object | None, desired: Object, role: str, names: ClusterNames, base: str, *, fixed_kind: bool
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
    fields = list(changed_fields(current, desired)) if same_kind else ["kind"]
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


def _group(item: Object) -> str:
    return labels.group_of(str(item.get("apiVersion", "")))


def changed_fields(current: Object, desired: Object) -> Iterator[str]:
    """Yield the paths of spec, labels and annotations that differ: `spec.template.spec.flavor`.

    An object from a cluster (it has a uid) may have more fields than the desired one: defaults of others are no change. An
    object from files has exactly the fields of its topology.
    """
    live = bool(find(current, ("metadata", "uid")))
    for name in ("labels", "annotations"):
        old, new = (dict(mapping(one, "metadata", name)) for one in (current, desired))
        for key in labels.BOOKKEEPING:
            old.pop(key, None)
        yield from _differences(old, new, f"metadata.{name}", live)
    yield from _differences(current.get("spec"), desired.get("spec"), "spec", live)


def _differences(old: Any, new: Any, path: str, live: bool) -> Iterator[str]:
    pending = [(old, new, path)]
    while pending:
        one, other, place = pending.pop()
        if one is other:
            continue
        if isinstance(one, dict) and isinstance(other, dict):
            for key in sorted({*one, *other}, reverse=True):
                if key not in other:
                    if not live:
                        yield f"{place}.{key}"
                else:
                    pending.append((one.get(key), other[key], f"{place}.{key}"))
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            pending += [
                (left, right, f"{place}[{index}]")
                for index, (left, right) in reversed(list(enumerate(zip(one, other, strict=True))))
            ]
        elif not json_equal(one, other):
            yield place


def _canonical(value: Any) -> str:
    """Return the same text for equal JSON values."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key!r}:{_canonical(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical, value)) + "]"
    if type(value) is float and value.is_integer():
        value = int(value)
    return repr(value)
