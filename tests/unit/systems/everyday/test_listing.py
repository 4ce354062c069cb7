"""list-setters: values, types and counts of what comments name."""

from __future__ import annotations

import pytest

from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.everyday.setters.listing import list_setters

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: T\n  metadata: {name: t}\n"


@pytest.mark.parametrize(
    ("fields", "listed"),
    [
        ("  a: 5 # kpt-set: ${n}\n", ["Name: n, Value: 5, Type: int, Count: 1"]),
        ("  a: '5' # kpt-set: ${n}\n", ["Name: n, Value: 5, Type: str, Count: 1"]),
        (
            "  a: true # kpt-set: ${n}\n  b: true # kpt-set: ${n}\n",
            ["Name: n, Value: true, Type: bool, Count: 2"],
        ),
        ("  a: [y, x] # kpt-set: ${l}\n", ["Name: l, Value: [x, y], Type: array, Count: 1"]),
        ("  a: # kpt-set: ${l}\n  - y\n  - x\n", ["Name: l, Value: [x, y], Type: array, Count: 1"]),
        ("  a: [x] # kpt-set: a-${l}\n", ["no setters found"]),
        (
            "  a: web:1 # kpt-set: ${image}:${tag}\n",
            ["Name: image, Value: web, Type: str, Count: 1", "Name: tag, Value: 1, Type: str, Count: 1"],
        ),
        (
            "  a: web:1 # kpt-set: web:${tag}\n  b: 1 # kpt-set: ${tag}\n",
            ["Name: tag, Value: 1, Type: int, Count: 2"],
        ),
        ("  a: 5 # n\n", ["no setters found"]),
    ],
)
def test_listed(fields: str, listed: list[str]) -> None:
    """The type is that of a field which holds nothing but the setter; a list has its elements sorted."""
    assert [one.message for one in list_setters(ResourceList.parse(HEAD + fields))] == listed
