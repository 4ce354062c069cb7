#!/usr/bin/env python3
"""Put every namespaced resource into one namespace: the smallest function, used to test what all functions share."""

from __future__ import annotations

import sys

if __name__ == "__main__" and "krmkit" not in sys.modules:
    if sys.hexversion < 0x030B0000:
        sys.exit("krmkit needs Python 3.11 or newer, and this is Python " + sys.version.split()[0])
    sys.path.insert(0, __file__[: -len("main.py")] + "../../../shared")
    from krmkit.fn import bundle

    bundle.use(__file__)

from krmkit.fn.main import main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.fn.config import Config
    from krmkit.fn.results import Results
    from krmkit.krm.resourcelist import ResourceList


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Only resources that have a namespace are namespaced, as far as one can tell without a cluster."""
    namespace = config.spec["namespace"]
    for item in resources.containing("namespace"):
        current = item.namespace
        if not current or current == namespace:
            continue
        if current in config.spec["keep"]:
            results.warning("kept", f"stays in {current}", item, "metadata.namespace", current, namespace)
            continue
        if current in config.spec["forbidden"]:
            results.error(
                "forbidden", f"must not be in {current}", item, "metadata.namespace", current, namespace
            )
            continue
        item.set(("metadata", "namespace"), namespace)
        results.explain("moved", f"from {current} to {namespace}", item, "metadata.namespace")


if __name__ == "__main__":
    raise SystemExit(main(__file__, process))
