#!/usr/bin/env python3
"""Fill the injection points of a package.

See function.yaml; the rule is krmkit.systems.porch.variants.injection.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.porch.variants.injection import inject_objects


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Apply the injectors of the config, or of a PackageVariant in its place, to all packages of the list."""
    results.extend(inject_objects(resources, config.spec, config.resource))


if __name__ == "__main__":
    main(__file__, process)
