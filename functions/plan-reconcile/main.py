#!/usr/bin/env python3
"""Plan the automatic reconcile of Installations: see function.yaml; the rule is krmkit.landscaper.reconcileplan."""

from __future__ import annotations

if __name__ == "__main__":
    signals = __import__("_signal")
    signals.signal(signals.SIGINT, signals.SIG_DFL)  # Ctrl-C while modules load shows no traceback
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))

from krmkit.fn import Config, FunctionError, ResourceList, Results, main
from krmkit.landscaper.errors import InstallationError
from krmkit.landscaper.reconcileplan import plan_items


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Say for each Installation what Landscaper would do at the time `now`."""
    spec = config.spec
    try:
        results.extend(plan_items(resources, spec["installations"], spec["now"], spec["write"]))
    except InstallationError as error:
        raise FunctionError(error.message, error.rule, config.resource, error.field) from None


if __name__ == "__main__":
    main(__file__, process)
