#!/usr/bin/env python3
"""Set and remove keys of the package context: see function.yaml; the rule is krmkit.systems.porch.variants.context."""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, FunctionError, ResourceList, Results, main
from krmkit.systems.porch.api.apinames import VARIANT_KIND, PorchError
from krmkit.systems.porch.findings import violation_findings
from krmkit.systems.porch.variants.context import set_package_context
from krmkit.systems.porch.variants.decodevariants import decode_variant, recorder
from krmkit.systems.porch.variants.packageview import CONTEXT_FILE, PackageView
from krmkit.systems.porch.variants.validation import validate_context


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Apply the context of the config, or of the PackageVariant that is the config, to the root package."""
    context = config.spec
    fields = ("data", "data.removeKeys") if config.is_config_map else ("spec.data", "spec.removeKeys")
    if config.resource is not None and config.kind == VARIANT_KIND:
        variant = decode_variant(config.resource)
        results.extend(violation_findings(variant.violations, config.resource))
        if results:
            return
        context = variant.spec.get("packageContext") or {}
        fields = ("spec.packageContext.data", "spec.packageContext.removeKeys")
    reserved = validate_context(context, *fields)
    for message in reserved:
        results.error("reserved-key", message, config.resource)
    if reserved:
        return
    package = PackageView(resources)
    if not package.at(CONTEXT_FILE) and (context.get("data") or context.get("removeKeys")):
        what = f"there is no {CONTEXT_FILE} among the items, which this function edits; kustomize hands on no paths"
        raise FunctionError(what, "no-package-context")
    try:
        set_package_context(package, context, recorder(resources.causes, config.resource))
    except PorchError as error:
        raise FunctionError(str(error), "no-package-context") from None


if __name__ == "__main__":
    main(__file__, process)
