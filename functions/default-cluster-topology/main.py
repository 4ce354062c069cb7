#!/usr/bin/env python3
"""Default the topology of Clusters from their ClusterClass.

See function.yaml; the rule is krmkit.systems.clusterapi.packages.defaulting.
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
from krmkit.systems.clusterapi.desired.package import TopologyPackage
from krmkit.systems.clusterapi.hooks.extensionitems import package_extensions
from krmkit.systems.clusterapi.packages.defaulting import default_package


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Default the Clusters of the config, or all: the v of the version, and the variables of the class."""
    collected = collect(resources)
    extensions, findings = package_extensions(collected)
    results.extend(findings)
    package = TopologyPackage(collected, config.spec.get("clusters"), extensions, config.resource)
    results.extend(default_package(package, resources.causes))


if __name__ == "__main__":
    main(__file__, process)
