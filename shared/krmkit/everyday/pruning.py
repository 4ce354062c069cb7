"""remove-local-config-resources: take out what is for tools only, before resources go to a cluster."""

from __future__ import annotations

from krmkit.everyday.findings import info, reporting, warning
from krmkit.krm.annotations import LOCAL_CONFIG
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList


@reporting
def remove_local_config(resources: ResourceList, config: Resource | None = None) -> list[Finding]:
    """Remove the resources whose annotation local-config is `true`, with or without quotes. There is no config."""
    del config
    gone = [
        item for item in resources.containing(LOCAL_CONFIG) if item.annotation(LOCAL_CONFIG).lower() == "true"
    ]
    if not gone:
        return [warning("pruned", "Found no resources to prune with the local config annotation")]
    named = [info("pruned", f"Resource name: [{item.name}]", item) for item in gone]
    resources.remove(*gone)
    return [info("pruned", f"Number of resources pruned: {len(gone)}"), *named]
