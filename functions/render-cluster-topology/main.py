#!/usr/bin/env python3
"""Render the managed topologies of Clusters.

See function.yaml; the rule is krmkit.systems.clusterapi.desired.render.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.clusterapi.desired.render import render_topologies


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """All Clusters are rendered first; then their objects are written."""
    results.extend(render_topologies(resources, config.spec, config.resource))


if __name__ == "__main__":
    main(__file__, process)
