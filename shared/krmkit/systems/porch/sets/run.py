"""Generate the variants of sets among the items of a list, and report them."""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.krm.errors import Refused
from krmkit.krm.finding import ERROR, EXPLAIN, Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.json import Object
from krmkit.libraries.messages.listed import listed
from krmkit.libraries.schema.fields import sequence
from krmkit.systems.porch.api.apinames import SET_KIND, PorchError, revision_name
from krmkit.systems.porch.sets.items import Fleet, Planned, sets_among
from krmkit.systems.porch.sets.validation import conditions_of_reconciled
from krmkit.systems.porch.variants.decodevariants import decode_set
from krmkit.systems.porch.variants.findings import condition_finding, violation_findings
from krmkit.systems.porch.variants.gates import set_status

_RULES = {"ValidationError": "validation-error", "UpstreamNotFound": "upstream-not-found"}
"""The rule of a set without variants, by the controller's reason."""


def generate_variants(
    items: ResourceList, spec: Object, config: Resource | None, explain: bool = False
) -> list[Finding]:
    """Generate the variants of the config if it is a set, else of the sets among the items.

    explain: a finding names each variant. Raises PorchError (no-set) for a named set that is missing or
    exists twice.
    """
    given = [config] if config is not None and config.kind == SET_KIND else []
    wanted = [] if given else [str(one) for one in sequence(spec["sets"])]
    try:
        sets = [decode_set(one) for one in given or sets_among(items, wanted)]
    except PorchError as error:
        raise Refused(Finding("no-set", str(error), config, severity=ERROR)) from None
    findings = [finding for one in sets for finding in violation_findings(one)]
    if findings:
        return findings
    fleet = Fleet(items)
    orphans = [] if given or wanted else fleet.orphans(sets)
    if not sets and not orphans:
        # No error: an earlier run removed its variants, and a package may be rendered again.
        message = "there is no PackageVariantSet: give one as the config, or among the items"
        return [Finding("no-set", message)]
    planned = []
    for packages in sets:
        try:
            planned.append(fleet.plan(packages))
        except PorchError as error:
            condition = error.conditions[0]
            rule = _RULES.get(condition.reason, "unexpected-error")
            findings.append(condition_finding(rule, condition, error.resource))
    if findings:
        return findings
    for plan in planned:
        fleet.carry_out(plan, spec.get("finalizer") is True)
        findings += plan_findings(plan, explain)
        findings += status_findings(plan, spec.get("writeStatus") is True)
    fleet.remove(orphans)
    if orphans:
        names = listed([item.name for item in orphans])
        message = f"their PackageVariantSet is gone, so they were removed: {names}"
        findings.append(Finding("removed-set", message))
    return findings


def plan_findings(planned: Planned, explaining: bool) -> Iterator[Finding]:
    """Report warnings about a set's variants, and with `explaining` each variant."""
    resource, changes = planned.packages.resource, planned.changes
    if not planned.upstream_known:
        upstream = revision_name(planned.packages.spec["upstream"])
        message = (
            f'no PackageRevision is among the items: in CEL, upstream has the name "{upstream}" and no labels'
        )
        yield Finding("upstream-unknown", message, resource, "spec.upstream")
    for index, count in enumerate(planned.entries):
        field = f"spec.targets[{index}]"
        if count:
            yield Finding("generated", f"selects {count}", resource, field, severity=EXPLAIN)
        else:
            yield Finding("empty-target", "selects nothing", resource, field)
    for rule, message in doubts(planned):
        yield Finding(rule, message, resource, "spec.targets")
    for variant in planned.generated.variants if explaining else ():
        place = variant.spec["downstream"]
        message = f"{variant.name}: package {place['package']} in repository {place['repo']}"
        yield Finding("generated", message, resource, severity=EXPLAIN)
    message = (
        f"{len(planned.generated.variants)} PackageVariants: {len(changes.created)} new, {len(changes.updated)} kept,"
        f" {len(changes.deleted)} removed"
    )
    yield Finding("generated", message, resource)


def status_findings(planned: Planned, write: bool) -> Iterator[Finding]:
    """Write a reconciled set's conditions into its status, or report them with --explain.

    A set that is the config, not an item, has no place for conditions.
    """
    resource = planned.packages.resource
    conditions = conditions_of_reconciled()
    if write:
        set_status(resource, conditions)
        return
    said = ", ".join(f"{one.type} {one.status} ({one.reason})" for one in conditions)
    yield Finding(
        "status",
        f"the controller writes {said}; writeStatus: true writes it here",
        resource,
        "status.conditions",
    )


def doubts(planned: Planned) -> list[tuple[str, str]]:
    """Return (rule, message) of values that are valid but probably unintended."""
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
