#!/usr/bin/env python3
"""Delete annotations of resources.

See function.yaml; the rule is krmkit.systems.everyday.annotating.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.everyday.annotating import delete_annotations


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Delete annotations of resources."""
    results.extend(delete_annotations(resources, config.resource))


if __name__ == "__main__":
    main(__file__, process)
