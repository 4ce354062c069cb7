#!/usr/bin/env python3
"""Default the topology of Clusters from their ClusterClass: see function.yaml; the rule is krmkit.clusterapi.clusterdefaulting."""

from __future__ import annotations

if __name__ == "__main__":
    signals = __import__("_signal")
    signals.signal(signals.SIGINT, signals.SIG_DFL)  # Ctrl-C while modules load shows no traceback
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))

from krmkit.clusterapi.clusterdefaulting import default_package
from krmkit.clusterapi.collect import collect
from krmkit.clusterapi.hooks.extensionitems import package_extensions
from krmkit.clusterapi.topologypackage import TopologyPackage
from krmkit.fn import Config, ResourceList, Results, main


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """The Clusters of the config, or all: a version with its v, and the variables that the class has defaults for."""
    collected = collect(resources)
    extensions, findings = package_extensions(collected)
    results.extend(findings)
    results.extend(default_package(TopologyPackage(collected, config.spec.get("clusters"), extensions)))


if __name__ == "__main__":
    main(__file__, process)
