"""The status of an Installation: written with writeStatus, named with --explain without."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.fn.config import decode
from krmkit.fn.loader import load
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.landscaper.items.render import render_items

INSTALLATION = """apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Installation
metadata: {name: shop, namespace: shop}
spec: {blueprint: {inline: {filesystem: {blueprint.yaml: "apiVersion: landscaper.gardener.cloud/v1alpha1\\nkind: Blueprint\\n"}}}}
"""


def rendered(text: str, **spec: Any) -> tuple[Resource, list[str]]:
    """The Installation after a run, and what is said of its status."""
    item = Resource(text)
    resources = ResourceList.of([item])
    found = render_items(resources, {**decode(load("render-installation").definition, None).spec, **spec})
    return item, [one.message for one in found if one.rule == "status"]


@pytest.mark.parametrize("write", [True, False])
def test_the_phase(write: bool) -> None:
    """It is in one place or the other."""
    item, said = rendered(INSTALLATION, writeStatus=write)

    assert item.get("status", "phase") == ("Succeeded" if write else None)
    assert said == (
        []
        if write
        else ["shop: the controller comes to the phase Succeeded; writeStatus: true writes it here"]
    )


def test_a_phase_that_is_there() -> None:
    """It says nothing new."""
    assert rendered(INSTALLATION + "status: {phase: Succeeded}\n")[1] == []
