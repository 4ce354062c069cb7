#!/usr/bin/env python3
"""Put functions at the front of the pipeline.

See function.yaml; the rule is krmkit.systems.porch.variants.pipeline.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.porch.variants.pipeline import prepend_functions


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Apply the pipeline of the config, or of the PackageVariant that is the config, to the root package."""
    results.extend(prepend_functions(resources, config.spec, config.resource))


if __name__ == "__main__":
    main(__file__, process)
