#!/usr/bin/env python3
"""Set and remove keys of the package context.

See function.yaml; the rule is krmkit.systems.porch.variants.context.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.porch.variants.context import set_context


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Apply the context of the config, or of the PackageVariant that is the config, to the root package."""
    results.extend(set_context(resources, config.spec, config.resource))


if __name__ == "__main__":
    main(__file__, process)
