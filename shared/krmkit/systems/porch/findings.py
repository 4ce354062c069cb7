"""Outcomes of the engines as findings.

results.extend(point_findings(points))
"""

from __future__ import annotations

from krmkit.krm.finding import ERROR, EXPLAIN, INFO, WARNING, Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.violations import Violation
from krmkit.systems.porch.api.apinames import Condition
from krmkit.systems.porch.variants.gates import condition_of
from krmkit.systems.porch.variants.injectionpoint import InjectionPoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krmkit.systems.porch.api.apinames import PorchError
    from krmkit.systems.porch.sets.items import Planned
    from krmkit.systems.porch.variants.chain import VariantChain

_WHERE_OBJECTS_STAND = (
    " (put an object for injection into a file of the package, marked config.kubernetes.io/local-config,"
    " or under resources of the config)"
)


def violation_findings(violations: Iterable[Violation], resource: Resource | None) -> list[Finding]:
    """One error for each violation of the form."""
    return [
        Finding("invalid-config", one.message, ERROR, resource, one.path, current=one.current)
        for one in violations
    ]


def point_findings(points: Iterable[InjectionPoint]) -> Iterator[Finding]:
    """Report points without an injection and why: a warning if the point is required, else an info; with --explain also the injected ones."""
    for point in points:
        for line in point.explained:
            yield Finding("injection", line, EXPLAIN, point.resource)
        condition = condition_of(point)
        hint = point.hint
        if not hint and condition.message.startswith("no in-cluster resources"):
            hint = _WHERE_OBJECTS_STAND
        if point.injected:
            yield Finding("injection", condition.message, EXPLAIN, point.resource)
        elif point.required:
            message = f"required, and not injected: {condition.message}{hint}; the readiness gate stays open"
            yield Finding("not-injected", message, WARNING, point.resource, tags=_tags(condition))
        else:
            message = f"optional, and not injected: {condition.message}{hint}"
            yield Finding("not-injected", message, INFO, point.resource, tags=_tags(condition))


def pipeline_finding(kptfile: Resource) -> Finding:
    """The finding for a changed pipeline, which takes effect with the next render, as kpt reads the pipeline first."""
    message = "the pipeline has changed; that takes effect with the next render, so render again"
    return Finding("render-again", message, INFO, kptfile, "pipeline")


def condition_finding(severity: str, rule: str, condition: Condition, resource: Resource | None) -> Finding:
    """A condition of a PackageVariant or PackageVariantSet."""
    message = f"{condition.type} is {condition.status} ({condition.reason}): {condition.message}"
    return Finding(rule, message, severity, resource, tags=_tags(condition))


def _tags(condition: Condition) -> dict[str, str]:
    return {"condition": condition.type, "status": condition.status, "reason": condition.reason}


def chain_findings(chain: VariantChain) -> Iterator[Finding]:
    """Report a chain of PackageVariants that were all applied."""
    for point in chain.explained:
        for line in point.explained:
            yield Finding("injection", line, EXPLAIN, point.resource)
    yield from point_findings(chain.points)
    if chain.kptfile is not None and chain.pipeline_changed:
        yield pipeline_finding(chain.kptfile)
    for variant, conditions in chain.applied:
        for condition in conditions:
            yield condition_finding(INFO, "ready", condition, variant.resource)


def plan_findings(planned: Planned, explaining: bool) -> Iterator[Finding]:
    """Report the variants that a set generated, each of them only where `explaining`, and warnings about them."""
    resource, changes = planned.packages.resource, planned.changes
    if not planned.upstream_known:
        from krmkit.systems.porch.api.apinames import revision_name

        upstream = revision_name(planned.packages.spec["upstream"])
        message = (
            f'no PackageRevision is among the items: in CEL, upstream has the name "{upstream}" and no labels'
        )
        yield Finding("upstream-unknown", message, INFO, resource, "spec.upstream")
    for index, count in enumerate(planned.entries):
        field = f"spec.targets[{index}]"
        if count:
            yield Finding("generated", f"selects {count}", EXPLAIN, resource, field)
        else:
            yield Finding("empty-target", "selects nothing", INFO, resource, field)
    for rule, message in doubts(planned):
        yield Finding(rule, message, WARNING, resource, "spec.targets")
    for variant in planned.generated.variants if explaining else ():
        place = variant.spec["downstream"]
        message = f"{variant.name}: package {place['package']} in repository {place['repo']}"
        yield Finding("generated", message, EXPLAIN, resource)
    message = (
        f"{len(planned.generated.variants)} PackageVariants: {len(changes.created)} new, {len(changes.updated)} kept,"
        f" {len(changes.deleted)} removed"
    )
    yield Finding("generated", message, INFO, resource)


def status_findings(planned: Planned, write: bool) -> Iterator[Finding]:
    """Write the conditions of a set that was reconciled into its status, or report them with --explain.

    A set that is the config, not an item, has no place for them.
    """
    resource = planned.packages.resource
    from krmkit.systems.porch.sets.validation import conditions_of_reconciled
    from krmkit.systems.porch.variants.status import set_status

    conditions = conditions_of_reconciled()
    if write:
        set_status(resource, conditions)
        return
    said = ", ".join(f"{one.type} {one.status} ({one.reason})" for one in conditions)
    yield Finding(
        "status",
        f"the controller writes {said}; writeStatus: true writes it here",
        EXPLAIN,
        resource,
        "status.conditions",
    )


def doubts(planned: Planned) -> list[tuple[str, str]]:
    """(rule, message) of valid but probably unintended values."""
    from krmkit.libraries.messages.listed import listed

    found = []
    repeated, odd = planned.generated.repeated, planned.generated.odd_names
    if repeated:
        message = "more than one target gives the same repository and package, and the last one wins"
        found.append(("same-identifier", f"{message}: {listed(repeated)}"))
    if odd:
        found.append(
            ("odd-name", f"names that are not DNS labels, so a cluster may refuse them: {listed(odd)}")
        )
    return found


def set_error_finding(error: PorchError) -> Finding:
    """Return the finding about a set without variants, by the controller's reason."""
    rules = {"ValidationError": "validation-error", "UpstreamNotFound": "upstream-not-found"}
    condition = error.conditions[0]
    rule = rules.get(condition.reason, "unexpected-error")
    return condition_finding(ERROR, rule, condition, error.resource)


def no_set_finding() -> Finding:
    """The absence of a set is not an error:

    an earlier run removed its variants, and a package may be rendered again.
    """
    message = "there is no PackageVariantSet: give one as the config, or among the items"
    return Finding("no-set", message, WARNING)


def orphan_findings(orphans: list[Resource]) -> list[Finding]:
    """The finding for variants that were removed with their set."""
    if not orphans:
        return []
    from krmkit.libraries.messages.listed import listed

    names = listed([item.name for item in orphans])
    return [Finding("removed-set", f"their PackageVariantSet is gone, so they were removed: {names}", INFO)]
