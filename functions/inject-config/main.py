#!/usr/bin/env python3
"""Fill the injection points of a package: see function.yaml; the rule is krmkit.porch.injection."""

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
from krmkit.porch.candidates import candidates
from krmkit.porch.decode import decode_variant
from krmkit.porch.injection import BadPointError, inject_config
from krmkit.porch.package import Package
from krmkit.porch.report import report_points, report_violations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.fn.config import Config
    from krmkit.fn.results import Results
    from krmkit.krm.resourcelist import ResourceList


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """The injectors of the config, or of the PackageVariant that is the config, for the package and its subpackages."""
    spec = config.spec
    if config.resource is not None and config.kind == VARIANT_KIND:
        variant = decode_variant(config.resource)
        if report_violations(results, variant.violations, config.resource):
            return
        injectors = variant.spec.get("injectors") or []
        spec = {"injectors": injectors, "namespace": variant.namespace, "resources": []}
        unnamed = [index for index, injector in enumerate(injectors) if not injector.get("name")]
        for index in unnamed:
            results.error(
                "bad-injector", "must not be empty", config.resource, f"spec.injectors[{index}].name"
            )
        if unnamed:
            return
    found = candidates(spec["resources"], resources, spec["namespace"], config.resource)
    try:
        points = inject_config(Package(resources), spec["injectors"], found)
    except BadPointError as error:
        raise FunctionError(str(error), "bad-injection-point") from None
    except PorchError as error:
        raise FunctionError(str(error), "bad-kptfile") from None
    report_points(results, points)


if __name__ == "__main__":
    raise SystemExit(main(__file__, process))
