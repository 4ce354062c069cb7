#!/usr/bin/env python3
"""Resolve the macros of Palette packs: see function.yaml; the rule is krmkit.systems.palette.macros.resolve."""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.palette.macros.items import (
    read_context,
    resolve_packs,
    resolve_resources,
    resolved_findings,
    sources_of,
    unused_findings,
)
from krmkit.systems.palette.macros.resolve import MacroResolver
from krmkit.systems.palette.packs.items import Packs


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Resolve all texts from the original values of the packs; then write them."""
    packs = Packs.read(resources)
    for problem in packs.problems:
        results.error("bad-pack", problem.message, problem.resource, problem.field)
    sources = sources_of(packs.carriers)
    context = read_context(config.spec, config.resource)
    resolver = MacroResolver(sources, context, resources.limits)
    in_packs = list(resolve_packs(packs.carriers, resolver, sources))
    in_resources = list(resolve_resources(resources, packs.carriers, config.resource, resolver))
    resources.secrets |= resolver.derived
    for carrier, resolved in in_packs:
        results.extend(resolved_findings(resolved, carrier.resource, packs.lines, carrier))
    for item, resolved in in_resources:
        results.extend(resolved_findings(resolved, item, packs.lines))
    if resources.causes is not None:
        from krmkit.systems.palette.macros.causes import MacroCauses, record_macros

        inputs = MacroCauses(resolver, config.resource, packs.carriers, sources)
        record_macros(resources.causes, inputs, in_packs, in_resources)
    for carrier, resolved in in_packs:
        carrier.write_values(resolved.text)
    for item, resolved in in_resources:
        item.rewrite(resolved.text)
        _ = item.root  # it must be a resource of YAML again; raises YamlError or Refused
    results.extend(unused_findings(resolver, config.resource))


if __name__ == "__main__":
    main(__file__, process)
