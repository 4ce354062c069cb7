#!/usr/bin/env python3
"""Run a Starlark program on the resources.

See function.yaml; the rule is krmkit.systems.everyday.starlark.run.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.everyday.starlark.run import run_starlark


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Run a Starlark program on the resources."""
    results.extend(run_starlark(resources, config.resource, config.tag))


if __name__ == "__main__":
    main(__file__, process)
