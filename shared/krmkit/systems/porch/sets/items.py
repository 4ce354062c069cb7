"""Run PackageVariantSets on the items of a list: read, add, change and remove items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from krmkit.krm import annotations as names
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.schema.fields import mapping
from krmkit.systems.porch.api import apinames
from krmkit.systems.porch.api.apinames import Condition, PorchError, in_namespace
from krmkit.systems.porch.edits.minimaledit import overwrite
from krmkit.systems.porch.sets.generate import Changes, GeneratedVariants, Variant, generate, reconcile
from krmkit.systems.porch.sets.targets import TargetObject, find_upstream, unroll
from krmkit.systems.porch.sets.text import VariantWriter, owner_of
from krmkit.systems.porch.sets.validation import validate_set
from krmkit.systems.porch.variants.decodevariants import DecodedVariant, refuse_other_version
from krmkit.systems.porch.variants.naming import variant_identifier
from krmkit.systems.porch.variants.packageview import place_of

FOLDER = "variants"


def _stalled(
    packages: DecodedVariant, reason: str, message: str, cause: PorchError | None = None
) -> PorchError:
    """Return the error that stops a set, with the controller's condition."""
    condition = Condition(apinames.STALLED, "True", reason, message)
    error = PorchError(message, conditions=[condition], resource=packages.resource)
    if cause is not None:
        error.field, error.repository = cause.field, cause.repository
    return error


@dataclass(frozen=True, slots=True)
class Planned:
    """One set's outcome: its variants, their match with existing ones, and the `entries` of each target."""

    packages: DecodedVariant
    generated: GeneratedVariants
    existing: list[Resource]
    changes: Changes
    upstream_known: bool
    entries: list[int]


class Fleet:
    """The items by type in a cluster's order, which is by namespace and name."""

    def __init__(self, resources: ResourceList) -> None:
        self.resources = resources
        self._by_type: dict[tuple[str, str], list[Resource]] = {}
        self._objects: dict[tuple[str, str], list[TargetObject]] = {}
        for item in resources:
            self._by_type.setdefault((item.api_version, item.kind), []).append(item)
        self._variants = list(self._by_type.get((apinames.VARIANT_VERSION, apinames.VARIANT_KIND), ()))

    def plan(self, packages: DecodedVariant) -> Planned:
        """Validate, find the upstream, unroll, render and name. Raises PorchError before any item changes."""
        errors = validate_set(packages.spec)
        if errors:
            raise _stalled(packages, "ValidationError", "; ".join(errors))
        try:
            upstream, known = self._upstream(packages)
        except PorchError as error:
            raise _stalled(packages, "UpstreamNotFound", str(error)) from None

        def listing(version: str, kind: str) -> Iterable[TargetObject]:
            return self._list(version, kind, packages.namespace)

        repositories: dict[str, TargetObject] = {}
        try:
            downstreams = unroll(packages.spec, listing)
            for repository in listing(apinames.REPOSITORY_VERSION, apinames.REPOSITORY_KIND):
                repositories.setdefault(repository.name, repository)
            generated = generate(packages.name, packages.spec, downstreams, upstream, repositories)
        except PorchError as error:
            raise _stalled(packages, "UnexpectedError", str(error), error) from None
        existing = [item for item in self._variants if self._is_owned(item, packages)]
        places = [
            [item.string("spec", "downstream", key) for key in ("repo", "package")] for item in existing
        ]
        changes = reconcile(
            generated.variants, [variant_identifier(packages.name, *place) for place in places]
        )
        self._refuse_taken_names(packages, changes, existing)
        entries = [0] * len(packages.spec["targets"])
        for downstream in downstreams:
            entries[downstream.target] += 1
        return Planned(packages, generated, existing, changes, known, entries)

    def carry_out(self, planned: Planned, finalizer: bool) -> None:
        """Remove untargeted variants, give existing ones their specs, and add new ones at the end."""
        writer = VariantWriter(planned.packages, finalizer)
        for position, variant in planned.changes.updated:
            item = planned.existing[position]
            pad = "\n" + " " * item.column
            written = pad + writer.spec(variant.spec).replace("\n", pad)
            if not item.text.rstrip("\n").endswith(written):
                overwrite(item, ("spec",), variant.spec)
            self._record(planned, variant, item)
        self.remove([planned.existing[position] for position in planned.changes.deleted])
        taken = self._paths() if planned.changes.created else {}
        for variant in planned.changes.created:
            path = f"{FOLDER}/{variant.name.replace('/', '~')}.yaml"
            index = taken.get(path, -1) + 1
            taken[path] = index
            text = writer.document(variant.name, path, index, variant.spec)
            # Its name and kind are read without a parse, as for the input's items.
            resource = Resource(text, lazy=True, label=variant.name)
            resource.changed = True
            self.resources.add(resource)
            self._record(planned, variant, resource)

    def _record(self, planned: Planned, variant: Variant, item: Resource) -> None:
        """Record the set's target as the cause of a variant."""
        causes, packages = self.resources.causes, planned.packages.resource
        if causes is not None:
            from krmkit.krm.cause import config_cause

            causes.set(item, (), config_cause(packages, "spec", "targets", variant.target))
            causes.set(item, ("spec", "upstream"), config_cause(packages, "spec", "upstream", follows=True))

    def remove(self, items: Sequence[Resource]) -> None:
        self.resources.remove(*items)

    def orphans(self, sets: Sequence[DecodedVariant]) -> list[Resource]:
        """Return the variants of sets that are not among `sets`, which are removed with their sets."""
        owners = {owner_of(packages) for packages in sets}
        owned = ((item, _owner(item)) for item in self._variants)
        return [one for one, by in owned if by.startswith(f"{apinames.SET_KIND}/") and by not in owners]

    def _list(self, version: str, kind: str, namespace: str) -> list[TargetObject]:
        objects = self._objects.get((version, kind))
        if objects is None:
            objects = [TargetObject.of(item) for item in self._by_type.get((version, kind), ())]
            objects.sort(key=lambda item: (item.namespace, item.name))
            self._objects[version, kind] = objects
        return [item for item in objects if in_namespace(item.namespace, namespace)]

    def _upstream(self, packages: DecodedVariant) -> tuple[TargetObject, bool]:
        """Return the set's PackageRevision, or only its name, and whether any PackageRevision is given."""
        found: list[tuple[str, str, Resource]] = []
        for (version, kind), items in self._by_type.items():
            if kind == apinames.REVISION_KIND and version.startswith(apinames.REVISION_GROUP):
                found += [(item.namespace, item.name, item) for item in items]
        found = [entry for entry in found if in_namespace(entry[0], packages.namespace)]
        upstream = packages.spec["upstream"]
        if not found:
            return TargetObject(apinames.revision_name(upstream), packages.namespace), False
        found.sort(key=lambda entry: entry[:2])
        # v1alpha2 has the number in its status.
        specs = [
            {"revision": mapping(item.get("status")).get("revision"), **mapping(item.get("spec"))}
            for *_, item in found
        ]
        position = find_upstream(upstream, specs)
        return TargetObject.of(found[position][2]), True

    def _is_owned(self, item: Resource, packages: DecodedVariant) -> bool:
        if item.namespace != packages.namespace:
            return False
        if _owner(item) == owner_of(packages):
            return True
        return bool(packages.uid) and item.string("metadata", "labels", apinames.OWNER_LABEL) == packages.uid

    def _refuse_taken_names(
        self, packages: DecodedVariant, changes: Changes, existing: Sequence[Resource]
    ) -> None:
        if not changes.created:
            return
        own = {id(item) for item in existing}
        taken = {
            item.name
            for item in self._variants
            if id(item) not in own and item.namespace == packages.namespace
        }
        taken |= {existing[position].name for position, _ in changes.updated}
        clashes = [variant.name for variant in changes.created if variant.name in taken]
        if clashes:
            message = f"PackageVariants that the set did not make have the names of its own: {', '.join(clashes[:10])}"
            raise _stalled(packages, "UnexpectedError", message)

    def _paths(self) -> dict[str, int]:
        """Return the highest index at each path below the variants' folder."""
        found: dict[str, int] = {}
        for item in self.resources:
            path, index = place_of(item)[1:] if item.may_hold(FOLDER + "/") else ("", 0)
            if path:
                found[path] = max(index, found.get(path, -1))
        return found


def _owner(item: Resource) -> str:
    """Return the annotation that names the set of a generated item, or ""."""
    return (
        item.string("metadata", "annotations", names.GENERATED_BY)
        if item.may_hold(names.GENERATED_BY)
        else ""
    )


def sets_among(items: Iterable[Resource], wanted: Sequence[str]) -> list[Resource]:
    """Return the PackageVariantSets among the items: the named ones, or all by namespace and name.

    Raises PorchError for a missing name, for a set of another version, which would be ignored silently, and
    for two sets of one name, as each would own the variants of the other.
    """
    items = list(items)
    found = [
        item for item in items if item.kind == apinames.SET_KIND and item.api_version == apinames.SET_VERSION
    ]
    for item in items:
        if not wanted or item.name in wanted:
            refuse_other_version(item)
    seen: dict[tuple[str, str], Resource] = {}
    for item in found:
        other = seen.setdefault((item.namespace, item.name), item)
        if other is not item:
            raise PorchError(
                f"{other.label} and {item.label} are both the PackageVariantSet {item.name} in namespace"
                f" {item.namespace or 'default'}; give one of them another name"
            )
    if not wanted:
        return sorted(found, key=lambda item: (item.namespace, item.name))
    by_name = {item.name: item for item in reversed(found)}
    missing = [name for name in wanted if name not in by_name]
    if missing:
        raise PorchError(f"no PackageVariantSet named {', '.join(missing)} is among the items")
    return [by_name[name] for name in wanted]
