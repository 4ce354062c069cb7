#!/usr/bin/env python3
"""Resolve the macros of Palette packs.

See function.yaml; the rule is krmkit.systems.palette.macros.items.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.palette.macros.items import resolve_items


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Resolve the macros of all packs and of the resources that refer to them."""
    results.extend(resolve_items(resources, config.spec, config.resource))


if __name__ == "__main__":
    main(__file__, process)
