"""krmkit.fleet.plan: what a fleet's file asks for, and selectors that would silently select nothing."""

from __future__ import annotations

import pytest

from krmkit.fleet.plan import FleetPlan, plan_variants
from krmkit.kpt.source import SourceFile
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource

HEAD = "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: s, namespace: fleet}\n"
TEAM = "{apiVersion: example.com/v1, kind: Team, matchLabels: {a: b}}"


def team(namespace: str, kind: str = "Team", version: str = "example.com/v1") -> str:
    return f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: t, namespace: {namespace!r}, labels: {{a: b}}}}\n"


def repository(namespace: str) -> str:
    return (
        "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\n"
        f"metadata: {{name: north, namespace: {namespace}, labels: {{a: b}}}}\nspec: {{type: git}}\n"
    )


def planned(target: str, objects: str, prune: bool = False) -> FleetPlan:
    text = f"{HEAD}spec:\n  upstream: {{repo: r, package: p, revision: 1}}\n  targets: [{{{target}}}]\n"
    return plan_variants(items("f.yaml", text), items("o.yaml", objects), "f.yaml", prune)


def items(name: str, text: str) -> list[Resource]:
    return [*SourceFile(name, text, "", name).items]


OBJECTS = f"objectSelector: {TEAM}, template: {{downstream: {{repo: north, package: p}}}}"
REPOSITORIES = "repositorySelector: {matchLabels: {a: b}}"


@pytest.mark.parametrize(
    ("target", "objects", "wrong"),
    [
        (OBJECTS, f"{team('fleet')}---\n{repository('fleet')}", ""),
        (OBJECTS, team("other"), "objectSelector: no Team (example.com/v1) is known in namespace fleet"),
        (OBJECTS, team("fleet", "Crew"), "objectSelector: no Team (example.com/v1) is known"),
        (
            OBJECTS,
            team("fleet", version="example.com/v2"),
            "objectSelector: no Team (example.com/v1) is known",
        ),
        (OBJECTS, repository("fleet"), "objectSelector: no Team (example.com/v1) is known"),
        (REPOSITORIES, repository("fleet"), ""),
        (REPOSITORIES, repository("other"), "repositorySelector: no Repository"),
        (REPOSITORIES, team("fleet"), "repositorySelector: no Repository"),
    ],
)
def test_a_selector_whose_kind_nothing_has(target: str, objects: str, wrong: str) -> None:
    """It is refused, or the whole fleet would go; --prune says that this is meant."""
    if not wrong:
        (task,) = planned(target, objects).tasks
        assert task.spec["downstream"] == {"repo": "north", "package": "p"}
        return
    with pytest.raises(Refused) as caught:
        planned(target, objects)
    assert f"f.yaml: s: spec.targets[0].{wrong}" in str(caught.value)
    assert "--prune says so" in str(caught.value)
    assert planned(target, objects, prune=True).tasks == []


def test_a_selector_that_selects_nothing() -> None:
    """Where there are objects of its kind that is a warning."""
    plan = planned(OBJECTS, team("fleet").replace("a: b", "a: c"))

    assert plan.tasks == []
    assert [warning for warning in plan.warnings if "spec.targets[0] selects nothing" in warning]
