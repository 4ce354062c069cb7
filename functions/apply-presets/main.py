#!/usr/bin/env python3
"""Apply the presets of Palette packs to the packs' values.

See function.yaml; the rule is krmkit.systems.palette.presets.items.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.palette.presets.items import apply_to_packs


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Apply to each pack the presets that the config selects for it, else those in its marker comment."""
    results.extend(apply_to_packs(resources, config.spec, config.resource, config.explain))


if __name__ == "__main__":
    main(__file__, process)
