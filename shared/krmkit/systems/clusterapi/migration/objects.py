"""The migration of one object of a text, and of all objects of a package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from krmkit.krm.finding import ERROR, WARNING, Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.libraries.json.equal import json_equal
from krmkit.libraries.schema.fields import entries, find, mapping, put
from krmkit.libraries.yaml.tree import Map
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.labels import API_VERSION, GROUP, group_of, version_of
from krmkit.systems.clusterapi.api.objects import decode_cluster, decode_cluster_class
from krmkit.systems.clusterapi.api.objectversion import V1BETA1, config_place, in_version
from krmkit.systems.clusterapi.migration.patches import converted_definition, newer
from krmkit.systems.clusterapi.migration.reshape import reshape
from krmkit.systems.clusterapi.webhooks.kubeadmcontrolplane import without_empty

RULE = "not-migrated"
_GROUPS = (GROUP, f"bootstrap.{GROUP}", f"controlplane.{GROUP}", f"infrastructure.{GROUP}")


@dataclass(slots=True)
class Migration:
    """What became of the objects: those that changed, and what a person has to do, each with its object."""

    changed: list[Resource] = field(default_factory=list)
    findings: list[tuple[Resource, Finding]] = field(default_factory=list)


def migrate(items: Sequence[Resource]) -> Migration:
    """Convert the objects of Cluster API among items to v1beta2, in their texts."""
    found = Migration()
    for item in items:
        if group_of(item.api_version) in _GROUPS:
            _migrate(item, found)
    return found


def _migrate(item: Resource, found: Migration) -> None:
    data, root = item.get(), item.node()
    if not isinstance(data, dict) or not isinstance(root, Map):
        return
    is_class = item.kind == "ClusterClass" and group_of(item.api_version) == GROUP
    try:
        new = _converted(item, data, found)
    except (TopologyError, ValueError) as error:
        found.findings.append((item, Finding(RULE, f"stays as it is: {error}", ERROR, item)))
        return
    if new is None:
        return
    if is_class:
        new = _with_patches(item, new, found)
    if json_equal(new, data):
        return
    if new.get("apiVersion") != data.get("apiVersion"):
        root.set("apiVersion", new["apiVersion"])
    spec = root.get("spec")
    if isinstance(spec, Map) and isinstance(new.get("spec"), dict):
        for path in reshape(spec, new["spec"]):
            message = f"spec.{path} has no place in v1beta2, and is gone"
            found.findings.append((item, Finding(RULE, message, WARNING, item, f"spec.{path}")))
    item.changed = True
    found.changed.append(item)


def _converted(item: Resource, data: Object, found: Migration) -> Object | None:
    """Return an object in v1beta2; None if it is not one that changes."""
    if group_of(item.api_version) == GROUP and item.kind in ("Cluster", "ClusterClass"):
        if version_of(item.api_version) != V1BETA1:
            return data
        made, problems = (decode_cluster_class if item.kind == "ClusterClass" else decode_cluster)(data)
        wrong = [f"{one.field}: {one.message}" for one in problems if not one.unknown]
        if wrong:
            raise ValueError("; ".join(wrong))
        return {**data, "apiVersion": API_VERSION, "spec": mapping(made, "spec")}
    wanted = newer(item.api_version, item.kind)
    if wanted == item.api_version:
        if version_of(item.api_version) == V1BETA1:
            message = f"{item.kind} stays at {item.api_version}: its provider's conversion is not known; see what its release offers"
            found.findings.append((item, Finding("provider-kind", message, "info", item, "apiVersion")))
        return None
    moved = in_version(data, wanted)
    # v1beta2 refuses what is empty; Go leaves it out as it converts.
    if moved is None or config_place(moved) is None:
        return moved
    return {**moved, "spec": without_empty(moved.get("spec"))}


def _with_patches(item: Resource, new: Object, found: Migration) -> Object:
    """Return a class whose references and patches are those of v1beta2.

    A kind whose patches cannot all be converted stays at its version in references and patches: the API serves both.
    """
    spec = mapping(new, "spec")
    made: dict[tuple[int, int], Object] = {}
    held: set[str] = set()
    for number, patch in enumerate(entries(spec.get("patches"))):
        for position, definition in enumerate(entries(patch.get("definitions"))):
            made[number, position], problems = converted_definition(definition)
            kind = str(find(definition, ("selector", "kind"), ""))
            for index, why in problems:
                held.add(kind)
                field = f"spec.patches[{number}].definitions[{position}].jsonPatches[{index}]"
                path = entries(definition.get("jsonPatches"))[index].get("path", "")
                message = f"patch {patch.get('name', '')}, {path}: {why}; until then the class reads {kind} in v1beta1"
                found.findings.append((item, Finding(RULE, message, ERROR, item, field)))
    spec = _references(spec, held)
    patches = [
        {
            **patch,
            "definitions": [
                definition if find(definition, ("selector", "kind")) in held else made[number, position]
                for position, definition in enumerate(entries(patch.get("definitions")))
            ],
        }
        if patch.get("definitions")
        else patch
        for number, patch in enumerate(entries(spec.get("patches")))
    ]
    return {**new, "spec": {**spec, "patches": patches} if patches else spec}


def _references(spec: Object, held: set[str]) -> Object:
    """Return the spec of a class whose templateRefs name v1beta2 where the conversion is known. held: kinds that stay."""

    def moved(holder: Object, *path: str) -> Object:
        reference = mapping(holder, *path, "templateRef")
        kind = str(reference.get("kind", ""))
        old = str(reference.get("apiVersion", ""))
        new = old if kind in held else newer(old, kind)
        return holder if new == old else put(holder, (*path, "templateRef", "apiVersion"), new)

    for path in (("infrastructure",), ("controlPlane",), ("controlPlane", "machineInfrastructure")):
        spec = moved(spec, *path)
    for listing in ("machineDeployments", "machinePools"):
        workers = find(spec, ("workers", listing))
        if isinstance(workers, list):
            made = [moved(moved(one, "bootstrap"), "infrastructure") for one in workers]
            spec = put(spec, ("workers", listing), made)
    return spec
