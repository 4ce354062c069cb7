#!/usr/bin/env python3
"""Validate Landscaper's Installations.

See function.yaml; the rule is krmkit.systems.landscaper.checks.installations.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.landscaper.checks.installations import validate_items


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Validate all Installations among the items, or those named."""
    results.extend(validate_items(resources, config.spec, config.crds, config.resource))


if __name__ == "__main__":
    main(__file__, process)
