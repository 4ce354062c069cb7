"""Report the outcomes of the engines as findings: `results.extend(point_findings(points))`."""

from __future__ import annotations

from krmkit.krm.finding import INFO, Finding
from krmkit.krm.resource import Resource
from krmkit.systems.porch.api.apinames import Condition
from krmkit.systems.porch.variants.gates import condition_of
from krmkit.systems.porch.variants.injectionpoint import InjectionPoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krmkit.systems.porch.variants.decodevariants import DecodedVariant

_WHERE_OBJECTS_STAND = (
    " (put an object for injection into a file of the package, marked config.kubernetes.io/local-config,"
    " or under resources of the config)"
)


def violation_findings(decoded: DecodedVariant) -> list[Finding]:
    """Return an error for each violation in a PackageVariant or PackageVariantSet."""
    return [
        Finding("invalid-config", one.message, decoded.resource, one.path, current=one.current)
        for one in decoded.violations
    ]


def point_findings(points: Iterable[InjectionPoint]) -> Iterator[Finding]:
    """Report why points are not injected, as warnings if they are required; explain the others."""
    for point in points:
        for line in point.explained:
            yield Finding("injection", line, point.resource)
        condition = condition_of(point)
        hint = point.hint
        if not hint and condition.message.startswith("no in-cluster resources"):
            hint = _WHERE_OBJECTS_STAND
        if point.injected:
            yield Finding("injection", condition.message, point.resource)
        elif point.required:
            message = f"required, and not injected: {condition.message}{hint}; the readiness gate stays open"
            yield Finding("not-injected", message, point.resource, tags=_tags(condition))
        else:
            message = f"optional, and not injected: {condition.message}{hint}"
            yield Finding("not-injected", message, point.resource, tags=_tags(condition), severity=INFO)


def pipeline_finding(kptfile: Resource) -> Finding:
    """Report a changed pipeline, which waits for the next render: kpt reads it before functions run."""
    message = "the pipeline has changed; that takes effect with the next render, so render again"
    return Finding("render-again", message, kptfile, "pipeline")


def condition_finding(rule: str, condition: Condition, resource: Resource | None) -> Finding:
    """Report a condition of a PackageVariant or PackageVariantSet."""
    message = f"{condition.type} is {condition.status} ({condition.reason}): {condition.message}"
    return Finding(rule, message, resource, tags=_tags(condition))


def _tags(condition: Condition) -> dict[str, str]:
    return {"condition": condition.type, "status": condition.status, "reason": condition.reason}
