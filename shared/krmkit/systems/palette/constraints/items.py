"""The check of all packs among the items of a list."""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.systems.palette.constraints.validate import ValidationOptions, validate
from krmkit.systems.palette.errors import PackError
from krmkit.systems.palette.packs.items import Packs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.krm.resource import Resource
    from krmkit.krm.resourcelist import ResourceList


def validate_packs(
    resources: ResourceList, spec: dict[str, Any], config: Resource | None, explain: bool = False
) -> list[Finding]:
    """Check all packs of a list together by a ValidatePackConstraints; changes nothing. Raises Refused.

    With `explain`, a finding names each rule that holds.
    """
    try:
        options = ValidationOptions.of(spec, resources.limits, resources, config)
    except PackError as error:
        place = "data" if config is not None and config.kind == "ConfigMap" else "spec"
        found = Finding("invalid-config", str(error), config, f"{place}.{error.field}")
        raise Refused(found) from None
    packs = Packs.read(resources)
    findings = [Finding("bad-pack", one.message, one.resource, one.field) for one in packs.problems]
    if not packs.carriers and options.pools is None and options.previous is None:
        return findings
    carriers = {carrier.pack.label: carrier for carrier in packs.carriers}
    from krmkit.systems.palette.packs.metadatanames import (  # if there are packs
        metadata_problems,
        unknown_names,
    )

    right: set[tuple[str, str]] = set()
    for one in packs.carriers:
        problems = metadata_problems(one.pack)
        if one.resource.kind != "ConfigMap":  # a Pack has no pack.json that Palette would take
            problems = [problem for problem in problems if problem.rule != "incomplete"]
        findings += map(one.located, problems + unknown_names(one.pack, resources.limits, right))
    satisfied: list[Finding] | None = [] if explain else None
    checked = validate([carrier.pack for carrier in packs.carriers], options, satisfied)
    for one_found in [*checked, *(satisfied or ())]:
        carrier = carriers.get(one_found.tags.get("pack", ""))
        findings.append(carrier.located(one_found) if carrier is not None else one_found.at(config))
    return findings
