"""Migrate one object, and all objects of a package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from krmkit.krm.finding import ERROR, WARNING, Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.libraries.json.equal import json_equal
from krmkit.libraries.schema.fields import entries, find, mapping, put, sequence
from krmkit.libraries.yaml.tree import Map
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.labels import API_VERSION, GROUP, group_of, version_of
from krmkit.systems.clusterapi.api.objects import decode_cluster, decode_cluster_class
from krmkit.systems.clusterapi.api.objectversion import V1BETA1, config_place, in_version
from krmkit.systems.clusterapi.migration.arguments import Path
from krmkit.systems.clusterapi.migration.patches import appended, converted_definition, newer, segments
from krmkit.systems.clusterapi.migration.reshape import reshape
from krmkit.systems.clusterapi.patches.request import matches_class
from krmkit.systems.clusterapi.webhooks.kubeadmcontrolplane import without_empty

RULE = "not-migrated"
_GROUPS = (GROUP, f"bootstrap.{GROUP}", f"controlplane.{GROUP}", f"infrastructure.{GROUP}")


@dataclass(slots=True)
class Migration:
    """The outcome: changed objects, and open tasks for a person, each with its object."""

    changed: list[Resource] = field(default_factory=list)
    findings: list[tuple[Resource, Finding]] = field(default_factory=list)
    templates: Mapping[tuple[str, str], Object] = field(default_factory=dict)


def templates_among(items: Iterable[Resource]) -> dict[tuple[str, str], Object]:
    named = {(one.kind, one.name): one.get() for one in items if one.kind.endswith("Template")}
    return {key: data for key, data in named.items() if isinstance(data, dict)}


def migrate(
    items: Sequence[Resource], templates: Mapping[tuple[str, str], Object] | None = None
) -> Migration:
    """Convert the Cluster API objects among items to v1beta2, in their texts.

    templates: the package's templates before the migration, by kind and name; by default the items' own.
    """
    known = templates if templates is not None else templates_among(items)
    found = Migration(templates=known)
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
        found.findings.append((item, Finding(RULE, f"stays as it is: {error}", item, severity=ERROR)))
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
            place = f"spec.{path.partition(' (')[0]}"
            found.findings.append((item, Finding(RULE, message, item, place, severity=WARNING)))
    item.changed = True
    found.changed.append(item)


def _converted(item: Resource, data: Object, found: Migration) -> Object | None:
    """Return an object in v1beta2; None if it does not change."""
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
            found.findings.append((item, Finding("provider-kind", message, item, "apiVersion")))
        return None
    moved = in_version(data, wanted)
    # v1beta2 refuses what is empty; Go leaves it out as it converts.
    if moved is None or config_place(moved) is None:
        return moved
    return {**moved, "spec": without_empty(moved.get("spec"))}


def _with_patches(item: Resource, new: Object, found: Migration) -> Object:
    """Convert the references and patches of a class to v1beta2.

    A kind with a patch that cannot be converted stays at its version everywhere: the API serves both.
    """
    spec = mapping(new, "spec")
    made: dict[tuple[int, int], Object] = {}
    held: set[str] = set()
    patched: dict[int, list[Path]] = {}
    for number, patch in enumerate(entries(spec.get("patches"))):
        for position, definition in enumerate(entries(patch.get("definitions"))):
            selected = _selected(spec, definition, found.templates)
            before = [path for one in selected for path in patched.get(id(one), ())]
            made[number, position], problems = converted_definition(definition, selected, before)
            for one in selected:
                patched.setdefault(id(one), []).extend(map(segments, entries(definition.get("jsonPatches"))))
            kind = str(find(definition, ("selector", "kind"), ""))
            for index, why in problems:
                held.add(kind)
                field = f"spec.patches[{number}].definitions[{position}].jsonPatches[{index}]"
                path = entries(definition.get("jsonPatches"))[index].get("path", "")
                message = f"patch {patch.get('name', '')}, {path}: {why}; until then the class reads {kind} in v1beta1"
                found.findings.append((item, Finding(RULE, message, item, field, severity=ERROR)))
    _tell_twice(
        item,
        spec,
        {key: one for key, one in made.items() if find(one, ("selector", "kind")) not in held},
        found,
    )
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


def _selected(spec: Object, definition: Object, templates: Mapping[tuple[str, str], Object]) -> list[Object]:
    """Return the known templates that a patch definition selects, in a class of v1beta2's form."""
    resources = mapping(definition, "selector", "matchResources")
    holders = [mapping(spec, "controlPlane")] if resources.get("controlPlane") else []
    for field_name, listing in (
        ("machineDeploymentClass", "machineDeployments"),
        ("machinePoolClass", "machinePools"),
    ):
        patterns = [str(one) for one in sequence(find(resources, (field_name, "names")))]
        for worker in entries(find(spec, ("workers", listing))):
            if any(matches_class(one, str(worker.get("class", ""))) for one in patterns):
                holders.append(mapping(worker, "bootstrap"))
    kind = str(find(definition, ("selector", "kind"), ""))
    named = [(kind, str(find(one, ("templateRef", "name"), ""))) for one in holders]
    return [templates[key] for key in dict.fromkeys(named) if key in templates]


def _tell_twice(
    item: Resource, spec: Object, made: Mapping[tuple[int, int], Object], found: Migration
) -> None:
    """Warn of each argument that two patches append: v1beta1 takes the last, v1beta2 refuses both."""
    first: dict[tuple[str, str], int] = {}
    names = [str(one.get("name", "")) for one in entries(spec.get("patches"))]
    for (number, position), definition in made.items():
        for path in appended(definition):
            key = (str(mapping(definition, "selector")), path)
            if key in first:
                message = (
                    f"patches {names[first[key]]} and {names[number]} both append {path.rpartition('/')[2]}: v1beta1 takes the"
                    " last value, and v1beta2 refuses an argument that stands twice; make sure that only one of them applies"
                )
                place = f"spec.patches[{number}].definitions[{position}]"
                found.findings.append((item, Finding(RULE, message, item, place, severity=WARNING)))
            first.setdefault(key, number)


def _references(spec: Object, held: set[str]) -> Object:
    """Point templateRefs to v1beta2 if the conversion is known. held: kinds that stay at v1beta1."""

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
