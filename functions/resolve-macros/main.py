#!/usr/bin/env python3
"""Resolve the macros of Palette packs: see function.yaml; the rule is krmkit.palette.macros."""

from __future__ import annotations

import sys

if __name__ == "__main__" and "krmkit" not in sys.modules:
    if sys.hexversion < 0x030B0000:
        sys.exit("krmkit needs Python 3.11 or newer, and this is Python " + sys.version.split()[0])
    sys.path.insert(0, __file__[: -len("main.py")] + "../../shared")
    from krmkit.fn import bundle

    bundle.use(__file__)

from krmkit.fn.main import main
from krmkit.fn.results import FunctionError
from krmkit.palette.carrier import Packs
from krmkit.palette.macroitems import ContextError, read_context, resolve_packs, resolve_resources, sources_of
from krmkit.palette.macros import Resolver
from krmkit.palette.report import report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.fn.config import Config
    from krmkit.fn.results import Results
    from krmkit.krm.resource import Resource
    from krmkit.krm.resourcelist import ResourceList
    from krmkit.palette.macros import Resolved


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """All texts are resolved first, from what the packs said before; then they are written."""
    packs = Packs.read(resources)
    for problem in packs.problems:
        results.error("bad-pack", problem.message, problem.resource, problem.field or None)
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
    for finding in resolved.findings:
        report(results, finding, item, pack)
    if not any(finding.severity == "error" for finding in resolved.findings):
        macros = "macro" if resolved.count == 1 else "macros"
        tags = {"pack": pack} if pack else None
        results.info("resolved", f"{resolved.count} {macros} resolved", item, tags=tags)


if __name__ == "__main__":
    raise SystemExit(main(__file__, process))
