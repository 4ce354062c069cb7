#!/usr/bin/env python3
"""Set one label on every resource: a function that edits all, used to test what functions share."""

from __future__ import annotations

if __name__ == "__main__":
    import os
    import sys

    sys.path.insert(0, os.path.realpath(f"{__file__}/../../../../shared"))

from krmkit.fn import Config, ResourceList, Results, main


def process(resources: ResourceList, config: Config, results: Results) -> None:
    """Every item gets the label, the Kptfile and the config aside."""
    own = config.resource.ref() if config.resource is not None else None
    for item in resources.items:
        if item.kind != "Kptfile" and item.ref() != own:
            item.set(("metadata", "labels", config.spec["label"]), config.spec["value"])
    results.info("labelled", f"{len(resources.items)} resources looked at")


if __name__ == "__main__":
    main(__file__, process)
