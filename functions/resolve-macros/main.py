#!/usr/bin/env python3
"""Resolve the macros of Palette packs: see function.yaml; the rule is krmkit.palette.macros."""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))

from krmkit.fn import Config, FunctionError, Resource, ResourceList, Results, main
from krmkit.palette.carrier import Packs
from krmkit.palette.macroitems import ContextError, read_context, resolve_packs, resolve_resources, sources_of
from krmkit.palette.macros import Resolver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.palette.macros import Resolved


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """All texts are resolved first, from what the packs said before; then they are written."""
    packs = Packs.read(resources)
    for problem in packs.problems:
        results.error("bad-pack", problem.message, problem.resource, problem.field)
    sources = sources_of(packs.carriers)
    try:
        context = read_context(config.spec, config.resource)
    except ContextError as error:
        raise FunctionError(str(error), "invalid-config", config.resource, error.field) from None
    resolver = Resolver(sources, context, resources.limits)
    in_packs = list(resolve_packs(packs.carriers, resolver, sources))
    in_resources = list(resolve_resources(resources, packs.carriers, config.resource, resolver))
    for carrier, resolved in in_packs:
        tell(results, resolved, carrier.resource, carrier.pack.label)
        carrier.write_values(resolved.text)
    for item, resolved in in_resources:
        tell(results, resolved, item)
        item.rewrite(resolved.text)


def tell(results: Results, resolved: Resolved, item: Resource, pack: str = "") -> None:
    """The findings about one text, and how many of its macros are resolved."""
    tags = {"pack": pack} if pack else {}
    results.extend(finding.at(item, **tags) for finding in resolved.findings)
    if not any(finding.severity == "error" for finding in resolved.findings):
        macros = "macro" if resolved.count == 1 else "macros"
        results.info("resolved", f"{resolved.count} {macros} resolved", item, tags=tags)


if __name__ == "__main__":
    main(__file__, process)
