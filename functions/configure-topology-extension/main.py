#!/usr/bin/env python3
"""Fill in the package of a server of topology extensions.

See function.yaml; the rules are krmkit.systems.clusterapi.hooks.serverpackage.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.clusterapi.hooks.serverpackage import configure_server


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Apply the only config; findings without an item are about the config."""
    results.extend(finding.at(config.resource) for finding in configure_server(resources, config.spec))


if __name__ == "__main__":
    main(__file__, process)
