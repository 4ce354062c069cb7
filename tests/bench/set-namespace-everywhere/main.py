#!/usr/bin/env python3
"""A function for measurements alone: it sets one scalar, metadata.namespace, in every item."""

from __future__ import annotations

import sys

if __name__ == "__main__" and "krmkit" not in sys.modules:
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
    """Sets the namespace of every item."""
    del results
    namespace = config.spec["namespace"]
    for item in resources.items:
        item.set(("metadata", "namespace"), namespace)


if __name__ == "__main__":
    raise SystemExit(main(__file__, process))
