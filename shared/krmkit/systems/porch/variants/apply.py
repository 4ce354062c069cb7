"""Apply PackageVariants to packages or items: validate, then set context, pipeline and injections in turn.

Source: calculateDraftResources of the packagevariants controller. After a PorchError the resources may be
half changed, and the caller must discard them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from krmkit.krm.cause import CauseLog
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import entries, mapping, sequence
from krmkit.systems.porch.api.apinames import Condition, PorchError
from krmkit.systems.porch.variants import findings, validation
from krmkit.systems.porch.variants.candidates import Candidate, candidates
from krmkit.systems.porch.variants.causes import VariantCauses
from krmkit.systems.porch.variants.context import set_package_context
from krmkit.systems.porch.variants.decodevariants import (
    DecodedVariant,
    decode_variant,
    is_variant,
    recorder,
    refuse_other_version,
    variant_of,
)
from krmkit.systems.porch.variants.gates import set_status
from krmkit.systems.porch.variants.injection import inject_config
from krmkit.systems.porch.variants.injectionpoint import InjectionPoint
from krmkit.systems.porch.variants.packageview import PackageView, place_of
from krmkit.systems.porch.variants.pipeline import check_names, prepend_pipeline
from krmkit.systems.porch.variants.validation import validate_variant


@dataclass(frozen=True, slots=True)
class AppliedVariant:
    """The injection points, and whether the pipeline changed, which takes effect at the next render."""

    points: list[InjectionPoint]
    pipeline_changed: bool


def apply_variant(
    package: PackageView,
    name: str,
    spec: dict[str, Any],
    candidates: Sequence[Candidate],
    causes: VariantCauses | None = None,
) -> AppliedVariant:
    """Apply the variant `name` to the package. Raises PorchError, for an invalid variant before any change.

    Pipeline and injection run even if the spec has neither, to remove entries of an earlier spec.
    """
    errors = validate_variant(spec)
    if errors:
        raise PorchError("; ".join(errors))
    check_names(name, mapping(spec, "pipeline"))
    set_package_context(package, spec.get("packageContext"), causes)
    pipeline_changed = prepend_pipeline(package, name, spec.get("pipeline"), causes)
    points = inject_config(package, spec.get("injectors") or [], candidates, causes)
    return AppliedVariant(points, pipeline_changed)


def apply_items(items: ResourceList, spec: Object, config: Resource | None) -> list[Finding]:
    """Apply the config if it is a PackageVariant, else the PackageVariants among the items.

    The first error ends the run. Raises PorchError (no-variant) if there is none, or a named one is missing.
    """
    alone = variant_of(config)
    try:
        named = [str(one) for one in sequence(spec["variants"])] if alone is None else []
        variants = [alone] if alone is not None else [decode_variant(one) for one in chosen(items, named)]
    except PorchError as error:
        error.finding.at(config)
        raise
    violations = [finding for one in variants for finding in findings.violation_findings(one)]
    if violations:
        return violations
    chain = VariantChain(items, entries(spec.get("resources")), config, items.causes)
    try:
        chain.apply(variants)
    except PorchError as error:
        return [findings.condition_finding(error.rule, one, error.resource) for one in error.conditions]
    return list(chain_findings(chain))


def chosen(items: Iterable[Resource], names: Sequence[str]) -> list[Resource]:
    """Return the named PackageVariants in the given order, or all by file.

    Raises PorchError if there is none.
    """
    variants = []
    for item in items:
        if not names or item.name in names:
            try:
                refuse_other_version(item)
            except PorchError as error:
                raise PorchError(str(error), "no-variant") from None
        if is_variant(item):
            variants.append(item)
    if not names:
        if not variants:
            raise PorchError(
                "there is no PackageVariant: give one as the config, or among the items", "no-variant"
            )
        return sorted(variants, key=place_of)
    by_name = {item.name: item for item in reversed(variants)}
    missing = [name for name in names if name not in by_name]
    if missing:
        raise PorchError(f"no PackageVariant named {', '.join(missing)} is among the items", "no-variant")
    return [by_name[name] for name in names]


@dataclass(slots=True)
class VariantChain:
    """The items to which variants are applied, and the results.

    `points`: the injection points after the last variant; `explained`: those of earlier variants.
    """

    items: Iterable[Resource]
    inline: list[dict[str, Any]]
    config: Resource | None
    causes: CauseLog | None = None
    applied: list[tuple[DecodedVariant, list[Condition]]] = field(default_factory=list)
    kptfile: Resource | None = None
    pipeline_changed: bool = False
    points: list[InjectionPoint] = field(default_factory=list)
    explained: list[InjectionPoint] = field(default_factory=list)

    def apply(self, variants: Sequence[DecodedVariant]) -> None:
        """Validate all, apply all, then write the status of items. PorchError at the first failure."""
        for variant in variants:
            errors = validation.validate_variant(variant.spec)
            if errors:
                raise PorchError(
                    "; ".join(errors), "stalled", validation.conditions_of_invalid(errors), variant.resource
                )
        package = PackageView(self.items)
        # No variant changes an object for injection, so those of a namespace are the same for all.
        objects: dict[str, list[Candidate]] = {}
        for variant in variants:
            found = objects.get(variant.namespace)
            if found is None:
                found = candidates(self.inline, self.items, variant.namespace, self.config)
                objects[variant.namespace] = found
            try:
                result = apply_variant(
                    package, variant.name, variant.spec, found, recorder(self.causes, variant.resource)
                )
            except PorchError as error:
                conditions = validation.conditions_of_failure(str(error))[1:]
                raise PorchError(str(error), "not-ready", conditions, variant.resource) from None
            self.pipeline_changed = self.pipeline_changed or result.pipeline_changed
            self.explained += self.points
            self.points = result.points
        self.kptfile = package.single("Kptfile")
        among: dict[tuple[str, str], list[Resource]] = {}
        for item in self.items:
            if is_variant(item):
                among.setdefault((item.namespace, item.name), []).append(item)
        for variant in variants:
            conditions = validation.conditions_of_success()
            self.applied.append((variant, conditions))
            for item in among.get((variant.namespace, variant.name), ()):
                set_status(item, conditions)
                causes = recorder(self.causes, item)
                if causes is not None:
                    causes.applied(self.kptfile)


def chain_findings(chain: VariantChain) -> Iterator[Finding]:
    """Report a chain of applied PackageVariants."""
    for point in chain.explained:
        for line in point.explained:
            yield Finding("injection", line, point.resource)
    yield from findings.point_findings(chain.points)
    if chain.kptfile is not None and chain.pipeline_changed:
        yield findings.pipeline_finding(chain.kptfile)
    for variant, conditions in chain.applied:
        for condition in conditions:
            yield findings.condition_finding("ready", condition, variant.resource)
