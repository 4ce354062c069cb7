"""remove-local-config-resources: remove local config before resources go to a cluster."""

from __future__ import annotations

from krmkit.everyday.findings import info, reporting, warning
from krmkit.krm.annotations import LOCAL_CONFIG
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.yaml.tree import Map


@reporting
def remove_local_config(resources: ResourceList, config: Resource | None = None) -> list[Finding]:
    """Remove the resources whose annotation local-config is `true`, with or without quotes. There is no config.

    A list without `items` is ignored without a message, as in the original.
    """
    del config
    gone = [
        item for item in resources.containing(LOCAL_CONFIG) if item.annotation(LOCAL_CONFIG).lower() == "true"
    ]
    if not gone and _lacks_items(resources):
        return []
    if not gone:
        return [warning("pruned", "Found no resources to prune with the local config annotation")]
    named = [info("pruned", f"Resource name: [{item.name}]", item) for item in gone]
    resources.remove(*gone)
    return [info("pruned", f"Number of resources pruned: {len(gone)}"), *named]


def _lacks_items(resources: ResourceList) -> bool:
    envelope = resources.envelope.root
    return isinstance(envelope, Map) and not len(resources) and envelope.get("items") is None
