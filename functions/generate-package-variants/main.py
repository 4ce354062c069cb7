#!/usr/bin/env python3
"""Generate the PackageVariants of sets.

See function.yaml; the rule is krmkit.systems.porch.sets.run.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.porch.sets.run import generate_variants


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Generate the variants of the config's set, else of all sets among the items; plan before any change."""
    results.extend(generate_variants(resources, config.spec, config.resource, results.explaining))


if __name__ == "__main__":
    main(__file__, process)
