#!/usr/bin/env python3
"""Generate the PackageVariants of sets: see function.yaml; the rule is krmkit.porch.fleet."""

from __future__ import annotations

import sys

if __name__ == "__main__" and "krmkit" not in sys.modules:
    if sys.hexversion < 0x030B0000:
        sys.exit("krmkit needs Python 3.11 or newer, and this is Python " + sys.version.split()[0])
    sys.path.insert(0, __file__[: -len("main.py")] + "../../shared")
    from krmkit.fn import bundle

    bundle.use(__file__)

from krmkit.fn.main import main
from krmkit.fn.results import FunctionError
from krmkit.porch.api import SET_KIND, PorchError
from krmkit.porch.decode import decode_set
from krmkit.porch.fleet import Fleet, SetError, sets_among
from krmkit.porch.report import report_orphans, report_planned, report_set_error, report_violations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.fn.config import Config
    from krmkit.fn.results import Results
    from krmkit.krm.resourcelist import ResourceList


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """The set that is the config, else those among the items; all are planned before anything is changed."""
    given = config.resource if config.kind == SET_KIND else None
    wanted = [] if given is not None else config.spec["sets"]
    try:
        sets = [
            decode_set(item) for item in ([given] if given is not None else sets_among(resources, wanted))
        ]
    except PorchError as error:
        raise FunctionError(str(error), "no-set", config.resource) from None
    bad = [one for one in sets if report_violations(results, one.violations, one.resource)]
    fleet = Fleet(resources)
    orphans = fleet.orphans(sets) if given is None and not wanted else []
    if not sets and not orphans:
        raise FunctionError(
            "there is no PackageVariantSet: give one as the config, or among the items", "no-set"
        )
    planned = []
    for packages in sets if not bad else []:
        try:
            planned.append(fleet.plan(packages))
        except SetError as error:
            report_set_error(results, error)
    if len(planned) < len(sets):
        return
    for plan in planned:
        fleet.carry_out(plan, config.spec.get("finalizer") is True)
        report_planned(results, plan)
    fleet.remove(orphans)
    report_orphans(results, orphans)


if __name__ == "__main__":
    raise SystemExit(main(__file__, process))
