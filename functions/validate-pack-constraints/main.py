#!/usr/bin/env python3
"""Validate the packs of a profile against their schema, dependency and resource constraints: see function.yaml."""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, FunctionError, ResourceList, Results, main
from krmkit.krm.finding import Finding
from krmkit.systems.palette.constraints.validate import ValidationOptions, validate
from krmkit.systems.palette.errors import PackError
from krmkit.systems.palette.packs.items import Packs
from krmkit.systems.palette.packs.metadatanames import unknown_names


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Checks all packs among the items together; changes nothing."""
    try:
        options = ValidationOptions.of(config.spec, resources.limits, resources, config.resource)
    except PackError as error:
        field = f"{'data' if config.is_config_map else 'spec'}.{error.field}"
        raise FunctionError(str(error), "invalid-config", config.resource, field) from None
    packs = Packs.read(resources)
    for problem in packs.problems:
        results.error("bad-pack", problem.message, problem.resource, problem.field)
    carriers = {carrier.pack.label: carrier for carrier in packs.carriers}
    right: set[tuple[str, str]] = set()
    for one in packs.carriers:
        results.extend(map(one.located, unknown_names(one.pack, resources.limits, right)))
    satisfied: list[Finding] | None = [] if results.explaining else None
    for found in validate([carrier.pack for carrier in packs.carriers], options, satisfied):
        carrier = carriers.get(found.tags.get("pack", ""))
        results.add(carrier.located(found) if carrier is not None else found.at(config.resource))
    for found in satisfied or ():
        results.add(carriers[found.tags["pack"]].located(found))


if __name__ == "__main__":
    main(__file__, process)
