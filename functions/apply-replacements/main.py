#!/usr/bin/env python3
"""Copy fields of resources into fields of others.

See function.yaml; the rule is krmkit.systems.everyday.replacements.apply.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.everyday.replacements.apply import apply_replacements


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Copy fields of resources into fields of others."""
    results.extend(apply_replacements(resources, config.resource, config.tag))


if __name__ == "__main__":
    main(__file__, process)
