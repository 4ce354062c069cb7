"""The variants of package variant sets: whose they are, and where their packages go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from krmkit.fleet.objects import DEFAULT_NAMESPACE
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.porch.apinames import REPOSITORY_KIND, REPOSITORY_VERSION, PorchError
from krmkit.porch.decodevariants import decode_set, decode_variant, is_set, is_variant, refuse_other_version
from krmkit.porch.findings import doubts
from krmkit.porch.sets.items import Fleet as Sets
from krmkit.porch.sets.items import SetError
from krmkit.porch.sets.text import owner_of


class FleetError(ValueError):
    """Nothing can be rendered; the message says why."""


@dataclass(slots=True, eq=False)
class Task:
    """One variant: whose it is, where its blueprint is, where it goes. `error` says why it cannot even be tried.

    `owner` is its set, `fleet` the name of the fleet that a sync keeps in git.
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
    """All variants of the given sets; `owners` are the sets and single variants, as generated-by annotations name them.

    `files` are the given files, and `fleets` the names of the fleets that they are all there is of.
    """

    tasks: list[Task] = field(default_factory=list)
    owners: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    fleets: set[str] = field(default_factory=set)


def plan_variants(
    given: list[Resource], objects: list[Resource], setfile: str, prune: bool = False
) -> FleetPlan:
    """Generate the variants of the sets in `given`, and take the PackageVariants in it as they are.

    `prune` lets a selector be that no object could match. Raises FleetError, SetError.
    """
    plan = FleetPlan()
    for resource in given:
        try:
            refuse_other_version(resource)
        except PorchError as error:
            raise FleetError(f"{setfile}: {error}") from None
    sets = [decode_set(resource) for resource in given if is_set(resource)]
    single = [decode_variant(resource) for resource in given if is_variant(resource)]
    if not sets and not single and not prune:
        raise FleetError(
            f"{setfile}: holds no PackageVariantSet (config.porch.kpt.dev/v1alpha2)"
            "; if the fleet is meant to have no packages any more, --prune says so"
        )
    for decoded in [*sets, *single]:
        if decoded.violations:
            found = "; ".join(map(str, decoded.violations))
            raise FleetError(f"{setfile}: {decoded.resource.kind} {decoded.name}: {found}")
    items = Sets(ResourceList.of(objects))
    known = {(item.api_version, item.kind, item.namespace) for item in objects}
    for packages in sets:
        try:
            planned = items.plan(packages)
        except SetError as error:
            hint = ""
            if not objects and error.reason != "ValidationError":
                hint = "; no object is known: --objects names the folder that has Repositories and what sets select"
            raise FleetError(f"{setfile}: {packages.name}: {error.reason}: {error}{hint}") from None
        owner = owner_of(packages)
        if owner in plan.owners:
            raise FleetError(
                f"{setfile}: holds two sets named {packages.name}; give one of them another name"
            )
        if not prune:
            _refuse_blind(known, packages.spec, packages.namespace, f"{setfile}: {packages.name}")
        plan.owners.add(owner)
        plan.warnings += [f"{packages.name}: {message}" for _, message in doubts(planned)]
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
        plan.tasks.append(Task(one.name, one.namespace, owner, one.spec))
    return plan


def _refuse_blind(known: set[tuple[str, str, str]], spec: dict[str, Any], namespace: str, label: str) -> None:
    """Refuse a selector if no object of its kind is known: far more often --objects is missing than a fleet is to go.

    `known`: (apiVersion, kind, namespace) of all objects.
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
                raise FleetError(
                    f"{label}: spec.targets[{number}].{selecting}: no {kind} ({version}) is known in namespace {namespace or 'default'};"
                    " --objects names the folder that has them. If the set is meant to have no packages any more, --prune says so"
                )
