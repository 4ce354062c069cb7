#!/usr/bin/env python3
"""Validate ClusterClasses and Clusters.

See function.yaml; the rule is krmkit.systems.clusterapi.packages.validation.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.clusterapi.api.collection import collect
from krmkit.systems.clusterapi.api.features import FeatureGates
from krmkit.systems.clusterapi.desired.package import TopologyPackage
from krmkit.systems.clusterapi.hooks.extensionitems import package_extensions
from krmkit.systems.clusterapi.packages.objects import with_refused_objects
from krmkit.systems.clusterapi.packages.validation import validate_package


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Validate all classes, and the Clusters of the config, or all Clusters; changes nothing."""
    spec = config.spec
    collected = collect(resources, spec["previous"])
    extensions, findings = package_extensions(collected)
    results.extend([*findings, *extensions.undefined_variables()])
    package = TopologyPackage(collected, spec.get("clusters"), extensions, config.resource)
    findings = validate_package(package, FeatureGates.of(spec["featureGates"]))
    results.extend(with_refused_objects(findings, package, spec["featureGates"], config.crds))


if __name__ == "__main__":
    main(__file__, process)
