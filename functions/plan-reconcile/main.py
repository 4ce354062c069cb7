#!/usr/bin/env python3
"""Plan the automatic reconcile of Installations.

See function.yaml; the rule is krmkit.systems.landscaper.reconcile.plan.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.landscaper.reconcile.plan import plan_items


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Report for each Installation what Landscaper would do at the time `now`."""
    spec = config.spec
    results.extend(plan_items(resources, spec["installations"], spec["now"], spec["write"], config.resource))


if __name__ == "__main__":
    main(__file__, process)
