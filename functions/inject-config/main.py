#!/usr/bin/env python3
"""Fill the injection points of a package: see function.yaml; the rule is krmkit.systems.porch.variants.injection."""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.porch.api.apinames import VARIANT_KIND
from krmkit.systems.porch.findings import point_findings, violation_findings
from krmkit.systems.porch.variants.candidates import candidates
from krmkit.systems.porch.variants.decodevariants import decode_variant, recorder
from krmkit.systems.porch.variants.injection import inject_config
from krmkit.systems.porch.variants.packageview import KPTFILE, PackageView


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Apply the injectors of the config, or of the PackageVariant that is it, to the package and its subpackages."""
    spec = config.spec
    if config.resource is not None and config.kind == VARIANT_KIND:
        variant = decode_variant(config.resource)
        results.extend(violation_findings(variant.violations, config.resource))
        if results:
            return
        injectors = variant.spec.get("injectors") or []
        spec = {"injectors": injectors, "namespace": variant.namespace, "resources": []}
        unnamed = [index for index, injector in enumerate(injectors) if not injector.get("name")]
        for index in unnamed:
            results.error(
                "bad-injector", "must not be empty", config.resource, f"spec.injectors[{index}].name"
            )
        if unnamed:
            return
    found = candidates(spec["resources"], resources, spec["namespace"], config.resource)
    package = PackageView(resources)
    causes = recorder(resources.causes, config.resource)
    points = inject_config(package, spec["injectors"], found, causes, optional=True)
    results.extend(point_findings(points))
    if points and not package.at(KPTFILE):
        results.info(
            "no-kptfile", "there is no Kptfile, as under kustomize: conditions and gates have no place"
        )


if __name__ == "__main__":
    main(__file__, process)
