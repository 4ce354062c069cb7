#!/usr/bin/env python3
"""Search for fields, and give them another value or comment.

See function.yaml; the rule is krmkit.systems.everyday.search.replace.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.everyday.search.replace import search_replace


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Search for fields, and give them another value or comment."""
    results.extend(search_replace(resources, config.resource))


if __name__ == "__main__":
    main(__file__, process)
