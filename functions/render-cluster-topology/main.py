#!/usr/bin/env python3
"""Render the managed topologies of Clusters: see function.yaml; the rule is krmkit.clusterapi.rendertopology."""

from __future__ import annotations

if __name__ == "__main__":
    signals = __import__("_signal")
    signals.signal(signals.SIGINT, signals.SIG_DFL)  # Ctrl-C while modules load shows no traceback
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))

from krmkit.clusterapi.rendertopology import render_topologies
from krmkit.fn import Config, ResourceList, Results, main


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """All Clusters are rendered first; then their objects are written."""
    results.extend(render_topologies(resources, config.spec))


if __name__ == "__main__":
    main(__file__, process)
