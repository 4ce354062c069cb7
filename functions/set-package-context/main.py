#!/usr/bin/env python3
"""Set and remove keys of the package context: see function.yaml; the rule is krmkit.porch.context."""

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
from krmkit.porch.api import VARIANT_KIND, PorchError
from krmkit.porch.context import set_package_context
from krmkit.porch.decode import decode_variant
from krmkit.porch.package import Package
from krmkit.porch.report import report_violations
from krmkit.porch.variant import validate_context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.fn.config import Config
    from krmkit.fn.results import Results
    from krmkit.krm.resourcelist import ResourceList


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """The context of the config, or of the PackageVariant that is the config, for the root package."""
    context = config.spec
    if config.resource is not None and config.kind == VARIANT_KIND:
        variant = decode_variant(config.resource)
        if report_violations(results, variant.violations, config.resource):
            return
        context = variant.spec.get("packageContext") or {}
    reserved = validate_context(context)
    for message in reserved:
        results.error("reserved-key", message, config.resource)
    if reserved:
        return
    try:
        set_package_context(Package(resources), context)
    except PorchError as error:
        raise FunctionError(str(error), "no-package-context") from None


if __name__ == "__main__":
    raise SystemExit(main(__file__, process))
