#!/usr/bin/env python3
"""Remove the resources that are for tools only.

See function.yaml; the rule is krmkit.systems.everyday.localconfig.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.everyday.localconfig import remove_local_config


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Remove the resources that are for tools only."""
    results.extend(remove_local_config(resources, config.resource))


if __name__ == "__main__":
    main(__file__, process)
