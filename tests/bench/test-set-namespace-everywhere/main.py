#!/usr/bin/env python3
"""A function for measurements alone: it sets one scalar, metadata.namespace, in every item."""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../../shared"))

from krmkit.fn import Config, ResourceList, Results, main


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Sets the namespace of every item."""
    del results
    namespace = config.spec["namespace"]
    for item in resources.items:
        item.set(("metadata", "namespace"), namespace)


if __name__ == "__main__":
    main(__file__, process)
