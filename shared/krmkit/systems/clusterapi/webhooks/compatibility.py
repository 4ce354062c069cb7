"""Check references and names in ClusterClasses, and their changes.

Source: internal/topology/check/compatibility.go; names in parentheses are its functions.
"""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.json import Object
from krmkit.libraries.kube.fielderror import FieldError, child, forbidden, index, invalid, required
from krmkit.libraries.schema.fields import find, mapping

TEMPLATE_SUFFIX = "Template"
MACHINE_DEPLOYMENTS = "machineDeployments"
MACHINE_POOLS = "machinePools"
WORKER_KINDS = {MACHINE_DEPLOYMENTS: "MachineDeployment", MACHINE_POOLS: "MachinePool"}


def spec_of(data: Object) -> Object:
    return mapping(data, "spec")


def topology_of(cluster: Object) -> Object:
    return mapping(cluster, "spec", "topology")


def workers_of(owner: Object, kind: str) -> list[Object]:
    """Return workers.machineDeployments or workers.machinePools of a class's spec or a topology."""
    workers: list[Object] = find(owner, ("workers", kind)) or []
    return workers


def name_of(data: Object) -> str:
    return str(find(data, ("metadata", "name")) or "")


def template_ref(holder: Object | None) -> Object:
    return mapping(holder, "templateRef")


def template_refs(cluster_class: Object) -> Iterator[tuple[str, Object]]:
    """Yield path and templateRef ({} if unset) of each part of a class that has a template."""
    spec = spec_of(cluster_class)
    for part in (("infrastructure",), ("controlPlane",), ("controlPlane", "machineInfrastructure")):
        yield child("spec", *part), template_ref(mapping(spec, *part))
    for kind in WORKER_KINDS:
        for position, worker in enumerate(workers_of(spec, kind)):
            for name in ("bootstrap", "infrastructure"):
                yield (
                    child(index(child("spec.workers", kind), position), name),
                    template_ref(worker.get(name)),
                )


def _group(reference: Object) -> str:
    """Return the group of a reference; "" for an invalid apiVersion."""
    parts = reference.get("apiVersion", "").split("/")
    return parts[0] if len(parts) == 2 else ""


def template_are_compatible(current: Object, desired: Object, path: str) -> list[FieldError]:
    """Refuse a change of a reference's group or kind (ClusterClassTemplateAreCompatible)."""
    found = []
    for field, what, old, new in (
        ("apiVersion", "group of apiVersion", _group(current), _group(desired)),
        ("kind", "kind", current.get("kind", ""), desired.get("kind", "")),
    ):
        if old != new:
            found.append(
                forbidden(
                    child(path, field),
                    f"{what} cannot be changed from {quote(old)} to {quote(new)}"
                    " to prevent incompatible changes in the Clusters",
                )
            )
    return found


def template_is_valid(reference: Object, path: str) -> list[FieldError]:
    """Check name, kind and apiVersion of a reference (ClusterClassTemplateIsValid)."""
    found = []
    if not reference.get("name"):
        found.append(required(child(path, "ref", "name"), "template name must be defined"))
    kind = reference.get("kind", "")
    if len(kind) <= len(TEMPLATE_SUFFIX) or not kind.endswith(TEMPLATE_SUFFIX):
        found.append(
            invalid(
                child(path, "ref", "kind"), kind, f'template kind must be of form "<name>{TEMPLATE_SUFFIX}"'
            )
        )
    version = reference.get("apiVersion", "")
    if version.count("/") > 1:
        found.append(
            invalid(
                child(path, "ref", "apiVersion"),
                version,
                "template apiVersion must be a valid Kubernetes apiVersion:"
                f" unexpected GroupVersion string: {version}",
            )
        )
    elif version in ("", "/"):
        found.append(required(child(path, "ref", "apiVersion"), "template apiVersion must be defined"))
    return found


def templates_are_valid(cluster_class: Object) -> list[FieldError]:
    """Check every reference of a class (ClusterClassTemplatesAreValid)."""
    spec = spec_of(cluster_class)
    control_plane = mapping(spec, "controlPlane")
    found = template_is_valid(template_ref(spec.get("infrastructure")), "spec.infrastructure")
    found += template_is_valid(template_ref(control_plane), "spec.controlPlane")
    machines = template_ref(control_plane.get("machineInfrastructure"))
    if machines:
        found += template_is_valid(machines, "spec.controlPlane.machineInfrastructure")
    for kind in WORKER_KINDS:
        for position, worker in enumerate(workers_of(spec, kind)):
            path = child(index(child("spec.workers", kind), position), "template")
            for part in ("bootstrap", "infrastructure"):
                found += template_is_valid(template_ref(worker.get(part)), child(path, part))
    return found


def classes_are_compatible(current: Object | None, desired: Object | None) -> list[FieldError]:
    """Return the errors of a change of the class, or to another class (ClusterClassesAreCompatible)."""
    for which, one in (("current", current), ("desired", desired)):
        if one is None:
            detail = f"could not compare ClusterClass compatibility: {which} ClusterClass must not be nil"
            return [invalid("", "", detail)]
    assert current is not None and desired is not None
    old, new = spec_of(current), spec_of(desired)
    found = template_are_compatible(
        template_ref(old.get("infrastructure")),
        template_ref(new.get("infrastructure")),
        "spec.infrastructure.templateRef",
    )
    old_plane, new_plane = mapping(old, "controlPlane"), mapping(new, "controlPlane")
    found += template_are_compatible(
        template_ref(old_plane), template_ref(new_plane), "spec.controlPlane.templateRef"
    )
    # Adding or removing it changes its group and kind.
    found += template_are_compatible(
        template_ref(old_plane.get("machineInfrastructure")),
        template_ref(new_plane.get("machineInfrastructure")),
        "spec.controlPlane.machineInfrastructure.templateRef",
    )
    for kind in WORKER_KINDS:
        found += worker_classes_are_compatible(current, desired, kind)
    return found


def worker_classes_are_compatible(current: Object, desired: Object, kind: str) -> list[FieldError]:
    """Refuse a change of machines' infrastructure (MachineDeploymentClassesAreCompatible, and for pools)."""
    known: dict[str, list[Object]] = {}
    for worker in workers_of(spec_of(current), kind):
        known.setdefault(worker.get("class", ""), []).append(worker)
    found = []
    for position, worker in enumerate(workers_of(spec_of(desired), kind)):
        path = child(index(child("spec.workers", kind), position), "infrastructure", "templateRef")
        for old in known.get(worker.get("class", ""), ()):
            found += template_are_compatible(
                template_ref(old.get("infrastructure")), template_ref(worker.get("infrastructure")), path
            )
    return found


def worker_classes_are_unique(cluster_class: Object, kind: str) -> list[FieldError]:
    """Refuse repeated worker classes (MachineDeploymentClassesAreUnique, and for pools)."""
    what = WORKER_KINDS[kind]
    found = []
    seen: set[str] = set()
    for position, worker in enumerate(workers_of(spec_of(cluster_class), kind)):
        name = worker.get("class", "")
        if name in seen:
            found.append(
                invalid(
                    child(index(child("spec.workers", kind), position), "class"),
                    name,
                    f"{what} class must be unique. {what} with class {quote(name)} is defined more than once",
                )
            )
        seen.add(name)
    return found


def worker_topologies_are_valid(cluster: Object, cluster_class: Object, kind: str) -> list[FieldError]:
    """Check worker names and classes (MachineDeploymentTopologiesAreUniqueAndDefinedInClusterClass)."""
    what = WORKER_KINDS[kind]
    classes = {worker.get("class", "") for worker in workers_of(spec_of(cluster_class), kind)}
    found = []
    seen: set[str] = set()
    for position, worker in enumerate(workers_of(topology_of(cluster), kind)):
        path = index(child("spec.topology.workers", kind), position)
        class_name, name = worker.get("class", ""), worker.get("name", "")
        if class_name not in classes:
            found.append(
                invalid(
                    child(path, "class"),
                    class_name,
                    f"{what}Class with name {quote(class_name)} does not exist in ClusterClass"
                    f" {quote(name_of(cluster_class))}",
                )
            )
        if not name:
            found.append(required(child(path, "name"), "name must not be empty"))
        elif name in seen:
            detail = f"name must be unique. {what} with name {quote(name)} is defined more than once"
            found.append(invalid(child(path, "name"), name, detail))
        seen.add(name)
    return found
