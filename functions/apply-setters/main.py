#!/usr/bin/env python3
"""Set the fields whose comments name setters.

See function.yaml; the rule is krmkit.systems.everyday.setters.apply.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.everyday.setters.apply import apply_setters


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Set the fields whose comments name setters."""
    results.extend(apply_setters(resources, config.resource))


if __name__ == "__main__":
    main(__file__, process)
