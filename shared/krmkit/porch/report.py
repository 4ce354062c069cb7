"""What the engines found, as results of a function."""

from __future__ import annotations

from krmkit.porch.gates import condition_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krmkit.krm.resource import Resource
    from krmkit.krm.sink import Sink
    from krmkit.lang.schema import Violation
    from krmkit.porch.api import Condition
    from krmkit.porch.chain import Chain
    from krmkit.porch.fleet import Planned, SetError
    from krmkit.porch.injection import InjectionPoint


def report_violations(results: Sink, violations: Iterable[Violation], resource: Resource | None) -> bool:
    """One error for each violation of the form; returns whether there was any."""
    found = False
    for violation in violations:
        found = True
        results.add("error", "invalid-config", violation.message, resource, violation.path, violation.current)
    return found


def report_points(results: Sink, points: Iterable[InjectionPoint]) -> None:
    """What was not injected and why: a warning where the point is required, else an info; with --explain also what was."""
    for point in points:
        for line in point.explained:
            results.explain("injection", line, point.resource)
        condition = condition_of(point)
        if point.injected:
            results.explain("injection", condition.message, point.resource)
        elif point.required:
            message = f"required, and not injected: {condition.message}; the readiness gate stays open"
            results.add("warning", "not-injected", message, point.resource, tags=_tags(condition))
        else:
            message = f"optional, and not injected: {condition.message}"
            results.add("info", "not-injected", message, point.resource, tags=_tags(condition))


def report_pipeline(results: Sink, kptfile: Resource, changed: bool) -> None:
    """kpt reads the pipeline before it runs any function, so a changed one takes effect later."""
    if changed:
        message = "the pipeline has changed; that takes effect with the next render, so render again"
        results.add("info", "render-again", message, kptfile, "pipeline")


def report_condition(
    results: Sink, severity: str, rule: str, condition: Condition, resource: Resource | None
) -> None:
    """A condition of a PackageVariant or PackageVariantSet."""
    message = f"{condition.type} is {condition.status} ({condition.reason}): {condition.message}"
    results.add(severity, rule, message, resource, tags=_tags(condition))


def _tags(condition: Condition) -> dict[str, str]:
    return {"condition": condition.type, "status": condition.status, "reason": condition.reason}


def report_applied(results: Sink, chain: Chain) -> None:
    """What came of a chain of PackageVariants that were all applied."""
    for point in chain.explained:
        for line in point.explained:
            results.explain("injection", line, point.resource)
    report_points(results, chain.points)
    if chain.kptfile is not None:
        report_pipeline(results, chain.kptfile, chain.pipeline_changed)
    for variant, conditions in chain.applied:
        for condition in conditions:
            report_condition(results, "info", "ready", condition, variant.resource)


def report_planned(results: Sink, planned: Planned) -> None:
    """What a set generated, and what is doubtful about it."""
    resource, changes = planned.packages.resource, planned.changes
    if not planned.upstream_known:
        upstream = planned.packages.spec["upstream"]["package"]
        message = (
            f'no PackageRevision is among the items: in CEL, upstream has the name "{upstream}" and no labels'
        )
        results.add("info", "upstream-unknown", message, resource, "spec.upstream")
    for index, count in enumerate(planned.entries):
        field = f"spec.targets[{index}]"
        if count:
            results.explain("generated", f"selects {count}", resource, field)
        else:
            results.add("info", "empty-target", "selects nothing", resource, field)
    for rule, message in doubts(planned):
        results.add("warning", rule, message, resource, "spec.targets")
    for variant in planned.generated.variants:
        place = variant.spec["downstream"]
        results.explain(
            "generated", f"{variant.name}: package {place['package']} in repository {place['repo']}", resource
        )
    message = (
        f"{len(planned.generated.variants)} PackageVariants: {len(changes.created)} new, {len(changes.updated)} kept,"
        f" {len(changes.deleted)} removed"
    )
    results.add("info", "generated", message, resource)


def doubts(planned: Planned) -> list[tuple[str, str]]:
    """(rule, message) of what is allowed and probably not meant."""
    found = []
    repeated, odd = planned.generated.repeated, planned.generated.odd_names
    if repeated:
        message = "more than one target gives the same repository and package, and the last one wins"
        found.append(("same-identifier", f"{message}: {_some(repeated)}"))
    if odd:
        found.append(
            ("odd-name", f"names that are not DNS labels, so a cluster may refuse them: {_some(odd)}")
        )
    return found


def _some(names: list[str], most: int = 10) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def report_set_error(results: Sink, error: SetError) -> None:
    """Why a set gave no variants, by the controller's reason."""
    rules = {"ValidationError": "validation-error", "UpstreamNotFound": "upstream-not-found"}
    report_condition(
        results, "error", rules.get(error.reason, "unexpected-error"), error.condition, error.resource
    )


def report_orphans(results: Sink, orphans: list[Resource]) -> None:
    """Variants that went because their set did."""
    if orphans:
        message = (
            f"their PackageVariantSet is gone, so they were removed: {_some([item.name for item in orphans])}"
        )
        results.add("info", "removed-set", message)
