#!/usr/bin/env python3
"""Validate ClusterClasses and Clusters: see function.yaml; the rule is krmkit.clusterapi.packagevalidation."""

from __future__ import annotations

if __name__ == "__main__":
    signals = __import__("_signal")
    signals.signal(signals.SIGINT, signals.SIG_DFL)  # Ctrl-C while modules load shows no traceback
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))

from krmkit.clusterapi.collect import collect
from krmkit.clusterapi.features import FeatureGates
from krmkit.clusterapi.hooks.extensionitems import package_extensions
from krmkit.clusterapi.packagevalidation import validate_package
from krmkit.clusterapi.topologypackage import TopologyPackage
from krmkit.fn import Config, ResourceList, Results, main


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """All classes, and the Clusters of the config, or all of these; changes nothing."""
    spec = config.spec
    collected = collect(resources, spec["previous"])
    extensions, findings = package_extensions(collected)
    results.extend(findings)
    package = TopologyPackage(collected, spec.get("clusters"), extensions)
    results.extend(validate_package(package, FeatureGates.of(spec["featureGates"])))


if __name__ == "__main__":
    main(__file__, process)
