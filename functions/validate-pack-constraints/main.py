#!/usr/bin/env python3
"""Validate the packs of a profile against their schema, dependency and resource constraints.

See function.yaml.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.palette.constraints.items import validate_packs


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Check all packs among the items together; change nothing."""
    results.extend(validate_packs(resources, config.spec, config.resource, config.explain))


if __name__ == "__main__":
    main(__file__, process)
