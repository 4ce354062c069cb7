#!/usr/bin/env python3
"""Apply PackageVariants to a package: see function.yaml; the rule is krmkit.porch.apply."""

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
from krmkit.porch.api import VARIANT_KIND
from krmkit.porch.chain import Chain, ChainError, chosen
from krmkit.porch.decode import decode_variant
from krmkit.porch.report import report_applied, report_condition, report_violations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.fn.config import Config
    from krmkit.fn.results import Results
    from krmkit.krm.resourcelist import ResourceList


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """The PackageVariant that is the config, else those among the items; the first error ends the run."""
    if config.resource is not None and config.kind == VARIANT_KIND:
        variants = [decode_variant(config.resource)]
    else:
        try:
            variants = [decode_variant(item) for item in chosen(resources, config.spec["variants"])]
        except ChainError as error:
            raise FunctionError(str(error), error.rule, config.resource) from None
    bad = [one for one in variants if report_violations(results, one.violations, one.resource)]
    if bad:
        return
    chain = Chain(resources, config.spec.get("resources") or [], config.resource)
    try:
        chain.apply(variants)
    except ChainError as error:
        for condition in error.conditions:
            report_condition(results, "error", error.rule, condition, error.resource)
        return
    report_applied(results, chain)


if __name__ == "__main__":
    raise SystemExit(main(__file__, process))
