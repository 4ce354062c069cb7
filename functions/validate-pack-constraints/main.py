#!/usr/bin/env python3
"""Validate the packs of a profile against their schema, dependency and resource constraints: see function.yaml."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    if sys.hexversion < 0x030B0000:
        sys.exit("krmkit needs Python 3.11 or newer, and this is Python " + sys.version.split()[0])
    sys.path.insert(0, __file__[: -len("main.py")] + "../../shared")

from krmkit.fn.main import main
from krmkit.fn.results import FunctionError
from krmkit.palette.carrier import Packs
from krmkit.palette.finding import Finding
from krmkit.palette.pack import Pack
from krmkit.palette.report import report
from krmkit.palette.validate import Options, validate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.fn.config import Config
    from krmkit.fn.results import Results
    from krmkit.krm.resourcelist import ResourceList
    from krmkit.palette.pools import Pool


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Checks all packs among the items together; changes nothing."""
    packs = Packs.read(resources)
    for problem in packs.problems:
        results.error("bad-pack", problem.message, problem.resource, problem.field or None)
    items = {carrier.pack.label: carrier.resource for carrier in packs.carriers}
    satisfied: list[Finding] | None = [] if results.explaining else None
    for found in validate(
        [carrier.pack for carrier in packs.carriers], options(resources, config), satisfied
    ):
        report(results, found, items.get(found.pack) or config.resource)
    for found in satisfied or ():
        results.explain(found.code, found.message, items.get(found.pack), found.path)


def options(resources: ResourceList, config: Config) -> Options:
    """The config's spec as the rules take it."""
    spec = config.spec
    previous = spec.get("previousProfile")
    return Options(
        machine_pools(config),
        spec["scope"],
        None if previous is None else [Pack({**member, "constraints": member}) for member in previous],
        spec["aggregate"],
        spec["useMinSize"],
        spec["mergeDefaults"],
        resources.limits,
    )


def machine_pools(config: Config) -> list[Pool] | None:
    """The pools of the config; None where it has none, and resources are not to be checked."""
    entries = config.spec.get("machinePools")
    if entries is None:
        return None
    from krmkit.palette.pools import PoolError, read_pools

    try:
        return read_pools(entries, config.spec.get("instanceTypes"))
    except PoolError as error:
        raise FunctionError(str(error), "invalid-config", config.resource, "spec.machinePools") from None


if __name__ == "__main__":
    raise SystemExit(main(__file__, process))
