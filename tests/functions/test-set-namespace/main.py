#!/usr/bin/env python3
"""Put every namespaced resource into one namespace: the smallest function, used to test what all functions share."""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../../shared"))

from krmkit.fn import Config, ResourceList, Results, main


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Only resources that have a namespace are namespaced, as far as one can tell without a cluster."""
    namespace = config.spec["namespace"]
    for item in resources.containing("namespace"):
        current = item.namespace
        if not current or current == namespace:
            continue
        if current in config.spec["keep"]:
            results.warning(
                "kept", f"stays in {current}", item, "metadata.namespace", current=current, proposed=namespace
            )
            continue
        if current in config.spec["forbidden"]:
            results.error(
                "forbidden",
                f"must not be in {current}",
                item,
                "metadata.namespace",
                current=current,
                proposed=namespace,
            )
            continue
        item.set(("metadata", "namespace"), namespace)
        results.explain("moved", f"from {current} to {namespace}", item, "metadata.namespace")


if __name__ == "__main__":
    main(__file__, process)
