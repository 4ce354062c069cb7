#!/usr/bin/env python3
"""Put functions at the front of the pipeline: see function.yaml; the rule is krmkit.systems.porch.variants.pipeline."""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, FunctionError, ResourceList, Results, main
from krmkit.systems.porch.api.apinames import VARIANT_KIND, PorchError
from krmkit.systems.porch.findings import pipeline_finding, violation_findings
from krmkit.systems.porch.variants.decodevariants import decode_variant, recorder
from krmkit.systems.porch.variants.packageview import KPTFILE, PackageView
from krmkit.systems.porch.variants.pipeline import prepend_pipeline


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Apply the pipeline of the config, or of the PackageVariant that is the config, to the root package."""
    if config.resource is not None and config.kind == VARIANT_KIND:
        variant = decode_variant(config.resource)
        results.extend(violation_findings(variant.violations, config.resource))
        if results:
            return
        owner, pipeline = variant.name, variant.spec.get("pipeline")
    else:
        owner, pipeline = config.spec["owner"], config.spec.get("pipeline")
    package = PackageView(resources)
    if not package.at(KPTFILE):
        what = (
            "there is no Kptfile among the items, whose pipeline this function edits; kustomize hands none on"
        )
        raise FunctionError(what, "bad-kptfile")
    try:
        changed = prepend_pipeline(package, owner, pipeline, recorder(resources.causes, config.resource))
        if changed:
            results.add(pipeline_finding(package.single(KPTFILE)))
    except PorchError as error:
        resource = config.resource if error.rule == "dotted-name" else None
        raise FunctionError(str(error), error.rule, resource) from None


if __name__ == "__main__":
    main(__file__, process)
