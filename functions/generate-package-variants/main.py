#!/usr/bin/env python3
"""Generate the PackageVariants of sets: see function.yaml; the rule is krmkit.systems.porch.sets.items."""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, FunctionError, ResourceList, Results, main
from krmkit.systems.porch.api.apinames import SET_KIND, PorchError
from krmkit.systems.porch.findings import (
    no_set_finding,
    orphan_findings,
    plan_findings,
    set_error_finding,
    status_findings,
    violation_findings,
)
from krmkit.systems.porch.sets.items import Fleet, sets_among
from krmkit.systems.porch.variants.decodevariants import decode_set


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Generate the variants of the set that is the config, else of those among the items; plan all before any change."""
    given = config.resource if config.kind == SET_KIND else None
    wanted = [] if given is not None else config.spec["sets"]
    try:
        sets = [
            decode_set(item) for item in ([given] if given is not None else sets_among(resources, wanted))
        ]
    except PorchError as error:
        raise FunctionError(str(error), "no-set", config.resource) from None
    for one in sets:
        results.extend(violation_findings(one.violations, one.resource))
    bad = len(results) > 0
    fleet = Fleet(resources)
    orphans = fleet.orphans(sets) if given is None and not wanted else []
    if not sets and not orphans:
        results.add(no_set_finding())
    planned = []
    for packages in sets if not bad else []:
        try:
            planned.append(fleet.plan(packages))
        except PorchError as error:
            results.add(set_error_finding(error))
    if len(planned) < len(sets):
        return
    for plan in planned:
        fleet.carry_out(plan, config.spec.get("finalizer") is True)
        results.extend(plan_findings(plan, results.explaining))
        results.extend(status_findings(plan, config.spec.get("writeStatus") is True))
    fleet.remove(orphans)
    results.extend(orphan_findings(orphans))


if __name__ == "__main__":
    main(__file__, process)
