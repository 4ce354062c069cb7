"""What everyday functions record for `krmkit why`: the field of the config, or the resource, that a value comes from."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from krmkit.krm.cause import CauseLog
from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.everyday.labelling import set_labels
from krmkit.systems.everyday.names.namespaces import set_namespace
from krmkit.systems.everyday.replacements.apply import apply_replacements
from krmkit.systems.everyday.setters.apply import apply_setters

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
ITEMS = """\
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web
    namespace: old
  spec:
    paused: no # kpt-set: ${tag}
    template: {}
- apiVersion: v1
  kind: Service
  metadata:
    name: front
"""
DATA = "functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: c}\n  data: {%s}\n"
REPLACEMENTS = """\
functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: ApplyReplacements
  metadata: {name: c}
  replacements:
  - source: {kind: Service, name: front}
    targets:
    - select: {kind: Deployment}
      fieldPaths: [spec.paused]
"""


@pytest.mark.parametrize(
    ("function", "config", "path", "kind", "name"),
    [
        (set_namespace, DATA % "namespace: shop", ("metadata", "namespace"), "config", "namespace"),
        (
            set_labels,
            DATA % "team: blue",
            ("spec", "template", "metadata", "labels", "team"),
            "config",
            "team",
        ),
        (apply_setters, DATA % "tag: v2", ("spec", "paused"), "config", "tag"),
        (apply_replacements, REPLACEMENTS, ("spec", "paused"), "resource", "Service/front"),
    ],
)
def test_a_field_names_what_set_it(
    function: Callable[..., object], config: str, path: tuple[str, ...], kind: str, name: str
) -> None:
    """While a run explains, and only then."""
    resources = ResourceList.parse(HEAD + ITEMS + config)
    resources.causes = CauseLog()

    function(resources, resources.function_config)

    recorded = resources.causes.find(next(iter(resources)))
    assert recorded is not None
    assert [(cause.kind, cause.name) for cause in recorded.at(path)] == [(kind, name)]


def test_an_entry_without_a_value() -> None:
    """apply-setters leaves an entry of a list alone that has a comment only, so nothing set it."""
    items = (
        "items:\n- apiVersion: v1\n  kind: List\n  names:\n  - # kpt-set: ${tag}\n  - one # kpt-set: ${tag}\n"
    )
    resources = ResourceList.parse(HEAD + items + DATA % "tag: v2")
    resources.causes = CauseLog()

    apply_setters(resources, resources.function_config)

    item = next(iter(resources))
    recorded = resources.causes.find(item)
    assert recorded is not None and item.get("names") == [None, "v2"]
    assert [path for path, _ in recorded.entries()] == [("names", 1)]
