"""Recognise and remove local config, which are resources for tools only (remove-local-config-resources)."""

from __future__ import annotations

from krmkit.krm.annotations import LOCAL_CONFIG
from krmkit.krm.finding import WARNING, Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.data import go_value
from krmkit.libraries.yaml.tree import Map, Scalar
from krmkit.systems.everyday.common.findings import reporting


@reporting
def remove_local_config(resources: ResourceList, config: Resource | None = None) -> list[Finding]:
    """Remove the resources whose annotation local-config is `true`, quoted or not. There is no config.

    A list without `items` is ignored without a message, as in the original.
    """
    del config
    gone = [
        item for item in resources.containing(LOCAL_CONFIG) if item.annotation(LOCAL_CONFIG).lower() == "true"
    ]
    if not gone and _lacks_items(resources):
        return []
    if not gone:
        message = "Found no resources to prune with the local config annotation"
        return [Finding("pruned", message, severity=WARNING)]
    named = [Finding("pruned", f"Resource name: [{item.name}]", item) for item in gone]
    resources.remove(*gone)
    return [Finding("pruned", f"Number of resources pruned: {len(gone)}"), *named]


def _lacks_items(resources: ResourceList) -> bool:
    envelope = resources.envelope.root
    return isinstance(envelope, Map) and not len(resources) and envelope.get("items") is None


def is_local(item: Resource) -> bool:
    """Return True if the annotation local-config is a text, not "" or "false"; a boolean does not count.

    Source: KubeObject.IsLocalConfig of krm-functions-sdk for Go.
    """
    if not item.may_hold(LOCAL_CONFIG):
        return False
    node = item.read("metadata", "annotations", LOCAL_CONFIG)
    if not isinstance(node, Scalar):
        return False
    said = go_value(node)
    return isinstance(said, str) and said not in ("", "false")
