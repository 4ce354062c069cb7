"""Plan the variants of package variant sets: their owners, and the targets of their packages."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Any

from krmkit.fleet.objects import DEFAULT_NAMESPACE
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json.paths import steps_of
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.schema.fields import mapping
from krmkit.render.findings.places import line_of, shown_path
from krmkit.systems.porch.api.apinames import REPOSITORY_KIND, REPOSITORY_VERSION, PorchError, in_namespace
from krmkit.systems.porch.sets.items import Fleet as Sets
from krmkit.systems.porch.sets.run import doubts
from krmkit.systems.porch.sets.text import owner_of
from krmkit.systems.porch.variants import decodevariants


@dataclass(slots=True, eq=False)
class Task:
    """One variant: its owner, its blueprint, its target.

    `error`: why it cannot be built. `owner`: its set; `fleet`: the name of the fleet that a sync keeps in
    git.
    """

    name: str
    namespace: str
    owner: str
    spec: dict[str, Any]
    blueprint: str = ""
    target: str = ""
    error: str = ""
    fleet: str = ""


@dataclass(slots=True, eq=False)
class FleetPlan:
    """All variants of the given sets. `owners`: the sets and single variants, as annotations name them.

    `files`: the given files; `fleets`: the names of the fleets that these files define completely. `given`:
    the owners' resources, each with the path of its file.
    """

    tasks: list[Task] = field(default_factory=list)
    owners: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    fleets: set[str] = field(default_factory=set)
    given: dict[str, tuple[str, Resource]] = field(default_factory=dict)

    def add(self, other: FleetPlan) -> None:
        """Add the variants of another file."""
        self.tasks += other.tasks
        self.owners |= other.owners
        self.warnings += other.warnings
        self.given.update(other.given)

    def located(self, task: Task, error: Exception) -> str:
        """Return the message of a task's error, with the place of a wrong name: `fleet.yaml:9:5: ...`."""
        if isinstance(error, Refused) and error.finding.rule == "missing-upstream":
            path, resource = self.given[task.owner]
            return f"{line_of(path, resource, error.finding.field)}: {error}"
        return str(error)


def plan_variants(
    given: list[Resource], objects: list[Resource], setfile: str, prune: bool = False, folder: str = ""
) -> FleetPlan:
    """Generate the variants of the sets in `given`, and add its PackageVariants unchanged.

    prune: a selector may have no object of its kind. folder: the folder of the objects. Raises Refused.
    """
    plan = FleetPlan()
    shown = shown_path(setfile)
    _refuse_twins(objects, folder)
    for resource in given:
        try:
            decodevariants.refuse_other_version(resource, fleet=True)
        except PorchError as error:
            raise Refused(f"{setfile}: {error}") from None
    sets = [decodevariants.decode_set(resource) for resource in given if decodevariants.is_set(resource)]
    single = [
        decodevariants.decode_variant(resource) for resource in given if decodevariants.is_variant(resource)
    ]
    if not sets and not single and not prune:
        raise Refused(
            f"{setfile}: holds no PackageVariantSet (config.porch.kpt.dev/v1alpha2)"
            "; if the fleet is meant to have no packages any more, --prune says so"
        )
    for decoded in [*sets, *single]:
        if decoded.violations:
            found = "; ".join(map(str, decoded.violations))
            raise Refused(f"{setfile}: {decoded.resource.kind} {decoded.name}: {found}")
    items = Sets(ResourceList.of(objects))
    known = {(item.api_version, item.kind, item.namespace) for item in objects}
    for packages in sets:
        try:
            planned = items.plan(packages)
        except PorchError as error:
            reason = error.conditions[0].reason
            hint = ""
            if not objects and reason != "ValidationError":
                hint = "; no object is known: --objects names the folder that has Repositories and what sets select"
            place = line_of(shown, packages.resource, error.field) if error.field else setfile
            # The file has the expression, so its text and the caret below it are left out.
            said = re.sub(r"\n \| [^\n]*\n \| \.*\^", "", str(error))
            raise Refused(
                f"{place}: {packages.name}: {reason}: {said}{_blamed(error, objects, folder)}{hint}"
            ) from None
        owner = owner_of(packages)
        if owner in plan.owners:
            raise Refused(f"{setfile}: holds two sets named {packages.name}; give one of them another name")
        if not prune:
            _refuse_blind(known, packages.spec, packages.namespace, f"{setfile}: {packages.name}")
        plan.owners.add(owner)
        plan.given[owner] = shown, packages.resource
        plan.warnings += [f"{packages.name}: {message}" for _, message in doubts(planned)]
        for number, count in enumerate(planned.entries):
            if not count and not prune:
                target = f"spec.targets[{number}]"
                place = line_of(shown, packages.resource, target)
                plan.warnings.append(
                    f"{place}: {packages.name}: {target} selects nothing{_labels(objects, packages, number)}"
                )
        kept = {
            variant.identifier: planned.existing[position].name
            for position, variant in planned.changes.updated
        }
        for variant in planned.generated.variants:
            name = kept.get(variant.identifier, variant.name)
            plan.tasks.append(Task(name, packages.namespace, owner, variant.spec))
    for one in single:
        owner = f"{one.resource.kind}/{one.namespace}/{one.name}"
        plan.owners.add(owner)
        plan.given[owner] = shown, one.resource
        plan.tasks.append(Task(one.name, one.namespace, owner, one.spec))
    return plan


def _refuse_blind(known: set[tuple[str, str, str]], spec: dict[str, Any], namespace: str, label: str) -> None:
    """Refuse a selector if no object has its kind: usually --objects is missing.

    known: (apiVersion, kind, namespace) of all objects. Otherwise the whole fleet would be removed.
    """
    for number, target in enumerate(spec.get("targets") or ()):
        for selecting in ("repositorySelector", "objectSelector"):
            selector = target.get(selecting)
            if not isinstance(selector, dict):
                continue
            version, kind = REPOSITORY_VERSION, REPOSITORY_KIND
            if selecting == "objectSelector":
                version, kind = str(selector.get("apiVersion") or ""), str(selector.get("kind") or "")
            if known.isdisjoint((version, kind, one) for one in ("", namespace or DEFAULT_NAMESPACE)):
                raise Refused(
                    f"{label}: spec.targets[{number}].{selecting}: no {kind} ({version}) is known in namespace {namespace or 'default'};"
                    " --objects names the folder that has them. If the set is meant to have no packages any more, --prune says so"
                )


def _refuse_twins(objects: list[Resource], folder: str) -> None:
    """Refuse two Repositories of one name: one would replace the other, with its packages."""
    seen: dict[tuple[str, str], Resource] = {}
    for one in objects:
        if (one.api_version, one.kind) != (REPOSITORY_VERSION, REPOSITORY_KIND):
            continue
        other = seen.setdefault((one.namespace, one.name), one)
        if other is not one:
            raise Refused(
                f"{_place(one, folder)}: the Repository {one.name} is at {_place(other, folder)} already;"
                " give one of them another name"
            )


def _place(item: Resource, folder: str) -> str:
    path = item.label.partition(" (document ")[0]
    return line_of(shown_path(os.path.join(folder, path)), item, "metadata.name")


def _blamed(error: PorchError, objects: list[Resource], folder: str) -> str:
    """Return the places of a failing expression's objects: the Repository, and the selected object."""
    assert error.resource is not None
    steps = steps_of(error.field)
    given = error.resource.get(*steps) if steps else None
    text = given if isinstance(given, str) else ""
    named = [(REPOSITORY_VERSION, REPOSITORY_KIND)] if re.search(r"\brepository\b", text) else []
    if re.search(r"\btarget\b", text):
        target = mapping(error.resource.get(*steps[:3]))
        selector = mapping(target.get("objectSelector"))
        kind = (
            str(selector.get("apiVersion") or REPOSITORY_VERSION),
            str(selector.get("kind") or REPOSITORY_KIND),
        )
        named += [] if kind in named or "repositories" in target else [kind]
    found = [
        next(
            (one for one in objects if (one.api_version, one.kind, one.name) == (*kind, error.repository)),
            None,
        )
        for kind in named
    ]
    return "".join(
        f"; the {one.kind} {one.name} is at {_place(one, folder)}" for one in found if one is not None
    )


def _labels(objects: list[Resource], packages: decodevariants.DecodedVariant, number: int) -> str:
    """Return the labels of the Repositories, for a selector that matches none."""
    selector = mapping(packages.spec["targets"][number].get("repositorySelector"))
    wanted = mapping(selector.get("matchLabels"))
    known = {
        f"{key}={value}"
        for one in objects
        if one.kind == REPOSITORY_KIND and in_namespace(one.namespace, packages.namespace)
        for key, value in mapping(one.get("metadata", "labels")).items()
        if key in wanted
    }
    return f"; the Repositories have {listed(sorted(known), 5)}" if known else ""
