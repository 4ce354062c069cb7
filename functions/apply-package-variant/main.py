#!/usr/bin/env python3
"""Apply PackageVariants to a package: see function.yaml; the rule is krmkit.systems.porch.variants.apply."""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, FunctionError, ResourceList, Results, main
from krmkit.systems.porch.api.apinames import VARIANT_KIND, PorchError
from krmkit.systems.porch.findings import chain_findings, condition_finding, violation_findings
from krmkit.systems.porch.variants.chain import VariantChain, chosen
from krmkit.systems.porch.variants.decodevariants import decode_variant


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Apply the PackageVariant that is the config, else those among the items; the first error ends the run."""
    if config.resource is not None and config.kind == VARIANT_KIND:
        variants = [decode_variant(config.resource)]
    else:
        try:
            variants = [decode_variant(item) for item in chosen(resources, config.spec["variants"])]
        except PorchError as error:
            raise FunctionError(str(error), error.rule, config.resource) from None
    for one in variants:
        results.extend(violation_findings(one.violations, one.resource))
    if results:
        return
    chain = VariantChain(resources, config.spec.get("resources") or [], config.resource, resources.causes)
    try:
        chain.apply(variants)
    except PorchError as error:
        for condition in error.conditions:
            results.add(condition_finding("error", error.rule, condition, error.resource))
        return
    results.extend(chain_findings(chain))


if __name__ == "__main__":
    main(__file__, process)
