#!/usr/bin/env python3
"""Validate Landscaper's Installations: see function.yaml; the rule is krmkit.systems.landscaper.checks.installations."""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../shared"))
    from krmkit.process import quiet_interrupts

    quiet_interrupts()  # Ctrl-C while modules load shows no traceback

from krmkit.fn import Config, FunctionError, ResourceList, Results, main
from krmkit.krm.refusals import definitions
from krmkit.systems.landscaper.checks.installations import validate
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.items.installations import read


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Validate all Installations among the items, or those named."""
    crds = [*config.crds, *definitions(resources)]
    spec = config.spec
    try:
        results.extend(validate(read(resources), spec["installations"], crds, config.resource, spec["now"]))
    except InstallationError as error:
        raise FunctionError(error.message, error.rule, config.resource, error.field) from None


if __name__ == "__main__":
    main(__file__, process)
