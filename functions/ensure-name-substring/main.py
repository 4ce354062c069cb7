#!/usr/bin/env python3
"""Give names a prefix or suffix.

See function.yaml; the rule is krmkit.systems.everyday.names.substrings.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.everyday.names.substrings import ensure_name_substring


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Give names a prefix or suffix."""
    results.extend(ensure_name_substring(resources, config.resource))


if __name__ == "__main__":
    main(__file__, process)
