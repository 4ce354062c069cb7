"""krmkit.krm.annotations: the annotations that say something about one resource in one package only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from krmkit.krm.annotations import is_place_key, is_tool_key
from krmkit.systems.clusterapi.api.collection import without_tool_keys
from krmkit.systems.landscaper.flow.imports import template_target
from krmkit.systems.landscaper.items.installations import without_tools

OF_TOOLS = (
    "config.kubernetes.io/path",
    "config.kubernetes.io/index",
    "config.kubernetes.io/local-config",
    "config.kubernetes.io/origin",
    "config.kubernetes.io/merge-source",
    "internal.config.kubernetes.io/path",
    "internal.kpt.dev/upstream-identifier",
    "kpt.dev/config-injection",
    "kpt.dev/injected-resource",
    "krmkit.dev/generated-by",
)
OF_PEOPLE = ("config.kubernetes.io/depends-on", "example.com/owner", "kpt.dev/bp-version")


@pytest.mark.parametrize("name", OF_TOOLS)
def test_tools(name: str) -> None:
    """Each of these belongs to a tool."""
    assert is_tool_key(name)


@pytest.mark.parametrize("name", OF_PEOPLE)
def test_people(name: str) -> None:
    """These reach the cluster."""
    assert not is_tool_key(name)


def test_places() -> None:
    """What orchestrators add while functions run is a place; what stays in the file is none."""
    assert is_place_key("internal.config.kubernetes.io/index") and is_place_key("config.kubernetes.io/path")
    assert not is_place_key("internal.kpt.dev/upstream-identifier")
    assert not is_place_key("config.kubernetes.io/local-config")


@pytest.mark.parametrize("engine", [without_tool_keys, without_tools, template_target])
def test_engines_and_copies_do_not_see_them(engine: Callable[[Any], Any]) -> None:
    """Templates of Cluster API, objects of Landscaper and its Targets in templates: all go by the one list."""
    marked = dict.fromkeys((*OF_TOOLS, *OF_PEOPLE), "x")
    seen = engine({"kind": "Target", "metadata": {"name": "t", "annotations": marked}})

    assert set(seen["metadata"]["annotations"]) == set(OF_PEOPLE)
