#!/usr/bin/env python3
"""Set the enforcement action of Gatekeeper's constraints.

See function.yaml; the rule is krmkit.systems.everyday.enforcement.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.everyday.enforcement import set_enforcement_action


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Set the enforcement action of Gatekeeper's constraints."""
    results.extend(set_enforcement_action(resources, config.resource))


if __name__ == "__main__":
    main(__file__, process)
