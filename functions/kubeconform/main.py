#!/usr/bin/env python3
"""Check resources against schemas.

See function.yaml; the rule is krmkit.systems.everyday.conformity.
"""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, ResourceList, Results, main
from krmkit.systems.everyday.conformity import check_conformity


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Check resources against the schemas of Kubernetes and of the CRDs among them."""
    results.extend(check_conformity(resources, config.resource))


if __name__ == "__main__":
    main(__file__, process)
