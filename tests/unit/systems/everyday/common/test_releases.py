"""The tag of an image names the release that a function behaves as, and --explain says which one that is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from krmkit.krm.finding import EXPLAIN, Finding
from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.everyday.common.releases import Release
from krmkit.systems.everyday.names.namespaces import set_namespace
from krmkit.systems.everyday.replacements.apply import apply_replacements

LIST = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
NAMESPACE = (
    "functionConfig: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {namespace: shop}}\n"
)
REPLACEMENTS = (
    "functionConfig: {apiVersion: fn.kpt.dev/v1alpha1, kind: ApplyReplacements, metadata: {name: c}}\n"
)

Engine = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    ("tag", "release"),
    [
        ("v0.4.1", Release(0, 4, 1)),
        ("0.4.10", Release(0, 4, 10)),
        ("latest", None),
        ("v0.4", None),
        ("v0.4.1-rc1", None),
        ("v0.²", None),
        ("", None),
    ],
)
def test_a_tag_of_three_numbers_is_a_release(tag: str, release: Release | None) -> None:
    assert Release.read(tag) == release


def test_releases_compare_by_number() -> None:
    assert Release(0, 4, 2) < Release(0, 4, 10) < Release(0, 5, 0)


@pytest.mark.parametrize(
    ("engine", "config", "tag", "says"),
    [
        (
            set_namespace,
            NAMESPACE,
            "v0.4.1",
            "as release v0.4.1: namespaceMatcher is ignored, RoleBindings change",
        ),
        (
            set_namespace,
            NAMESPACE,
            "v0.4.2",
            "as release v0.4.2: namespaceMatcher and upstream origins count, RoleBindings stay",
        ),
        (
            set_namespace,
            NAMESPACE,
            "latest",
            "the tag names no release: namespaceMatcher and upstream origins count, RoleBindings change",
        ),
        (
            apply_replacements,
            REPLACEMENTS,
            "v0.1.1",
            "as release v0.1.1: a field that a target lacks is left out",
        ),
        (
            apply_replacements,
            REPLACEMENTS,
            "v0.1.2",
            "as release v0.1.2: a field that a target lacks fails the run",
        ),
    ],
)
def test_explain_says_the_release(engine: Engine, config: str, tag: str, says: str) -> None:
    resources = ResourceList.parse(LIST + config)

    found = engine(resources, resources.function_config, tag)

    assert [one.message for one in found if one.severity == EXPLAIN] == [says]
