#!/usr/bin/env python3
"""Apply PackageVariants to a package.

See function.yaml; the rule is krmkit.systems.porch.variants.apply.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.porch.variants.apply import apply_items


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Apply the PackageVariant of the config, else those among the items; the first error ends the run."""
    results.extend(apply_items(resources, config.spec, config.resource))


if __name__ == "__main__":
    main(__file__, process)
