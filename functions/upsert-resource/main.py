#!/usr/bin/env python3
"""Put resources into the package, replacing those of the same identity.

See function.yaml; the rule is krmkit.systems.everyday.upserts.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.everyday.upserts import upsert_resource


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Put resources into the package, replacing those of the same identity."""
    results.extend(upsert_resource(resources, config.resource))


if __name__ == "__main__":
    main(__file__, process)
