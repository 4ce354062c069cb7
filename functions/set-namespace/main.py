#!/usr/bin/env python3
"""Set the namespace of resources and of references to them.

See function.yaml; the rule is krmkit.systems.everyday.names.namespaces.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.everyday.names.namespaces import set_namespace


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Set the namespace of resources and of references to them."""
    results.extend(set_namespace(resources, config.resource, config.tag))


if __name__ == "__main__":
    main(__file__, process)
