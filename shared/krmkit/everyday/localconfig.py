"""Local config: resources for tools only, by the rule of kpt's SDK for Go."""

from __future__ import annotations

from krmkit.krm.annotations import LOCAL_CONFIG
from krmkit.krm.resource import Resource
from krmkit.yaml.data import go_value
from krmkit.yaml.tree import Scalar


def is_local(item: Resource) -> bool:
    """Whether the annotation local-config is a text other than "" and "false": a boolean without quotes does not count.

    Source: KubeObject.IsLocalConfig of krm-functions-sdk.
    """
    if not item.may_hold(LOCAL_CONFIG):
        return False
    node = item.node("metadata", "annotations", LOCAL_CONFIG)
    if not isinstance(node, Scalar):
        return False
    said = go_value(node)
    return isinstance(said, str) and said not in ("", "false")
