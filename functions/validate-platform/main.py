#!/usr/bin/env python3
"""Compare the data of several systems about one platform.

See function.yaml; the rules are krmkit.systems.platform.
"""

from __future__ import annotations

if __name__ == "__main__":
    signals = __import__("_signal")
    signals.signal(signals.SIGINT, signals.SIG_DFL)  # Ctrl-C while modules load shows no traceback
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.platform.validateplatform import validate_platform


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Compare packs, Clusters, Targets, configs and variants with each other; changes nothing."""
    results.extend(validate_platform(resources, config.spec))


if __name__ == "__main__":
    main(__file__, process)
