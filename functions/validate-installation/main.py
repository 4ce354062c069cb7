#!/usr/bin/env python3
"""Validate Landscaper's Installations: see function.yaml; the rule is krmkit.landscaper.validateinstallations."""

from __future__ import annotations

if __name__ == "__main__":
    signals = __import__("_signal")
    signals.signal(signals.SIGINT, signals.SIG_DFL)  # Ctrl-C while modules load shows no traceback
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.landscaper.items import read
from krmkit.landscaper.validateinstallations import validate


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Validate all Installations among the items, or those named."""
    results.extend(validate(read(resources), config.spec["installations"]))


if __name__ == "__main__":
    main(__file__, process)
