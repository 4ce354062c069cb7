"""Which resources remove-local-config-resources removes."""

from __future__ import annotations

import pytest

from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.everyday.localconfig import remove_local_config

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
ITEM = "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: {name}\n    annotations:\n      {key}: {value}\n"
KEY = "config.kubernetes.io/local-config"


@pytest.mark.parametrize(
    ("key", "value", "is_removed"),
    [
        (KEY, "true", True),
        (KEY, '"true"', True),
        (KEY, "'True'", True),
        (KEY, '"false"', False),
        (KEY, "yes", False),
        (KEY, '""', False),
        (f"my.{KEY}", '"true"', False),
    ],
)
def test_what_is_removed(key: str, value: str, is_removed: bool) -> None:
    """The annotation counts with the value true only; whatever else it says, the resource goes to a cluster."""
    plain = ITEM.format(name="plain", key="note", value=KEY)
    resources = ResourceList.parse(HEAD + ITEM.format(name="one", key=key, value=value) + plain)

    findings = remove_local_config(resources)

    assert [item.name for item in resources] == (["plain"] if is_removed else ["one", "plain"])
    said = [finding.message for finding in findings]
    assert said == (
        ["Number of resources pruned: 1", "Resource name: [one]"]
        if is_removed
        else ["Found no resources to prune with the local config annotation"]
    )


def test_all_of_them() -> None:
    """Several resources go in one run, and each is named."""
    texts = [ITEM.format(name=name, key=KEY, value='"true"') for name in ("one", "two")]
    resources = ResourceList.parse(HEAD + "".join(texts))

    findings = remove_local_config(resources)

    assert len(resources) == 0
    assert [finding.message for finding in findings][1:] == ["Resource name: [one]", "Resource name: [two]"]
