"""krmkit.systems.porch.sets.targets: unrolling of targets, and the set's upstream."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from krmkit.systems.porch.api.apinames import PorchError
from krmkit.systems.porch.sets.targets import TargetObject, find_upstream, unroll

OBJECTS = {
    ("config.porch.kpt.dev/v1alpha1", "Repository"): [
        TargetObject("north", "default", {"env": "prod"}),
        TargetObject("south", "default", {"env": "dev"}),
    ],
    ("hr.example.com/v1", "Team"): [TargetObject("red"), TargetObject("blue", labels={"org": "x"})],
}


def listing(version: str, kind: str) -> Iterable[TargetObject]:
    return OBJECTS.get((version, kind), [])


def run(*targets: dict[str, object]) -> list[tuple[str, str, str]]:
    spec = {"upstream": {"package": "front"}, "targets": list(targets)}
    return [
        (entry.repo, entry.package, entry.object.name if entry.object else "")
        for entry in unroll(spec, listing)
    ]


@pytest.mark.parametrize(
    ("target", "entries"),
    [
        pytest.param(
            {
                "repositories": [
                    {"name": "a"},
                    {"name": "b", "packageNames": ["x", "y", "x"]},
                    {"name": "c", "packageNames": []},
                ]
            },
            [("a", "front", ""), ("b", "x", ""), ("b", "y", ""), ("b", "x", ""), ("c", "front", "")],
            id="repositories",
        ),
        pytest.param(
            {"repositorySelector": {}}, [("north", "front", "north"), ("south", "front", "south")], id="all"
        ),
        pytest.param(
            {"repositorySelector": {"matchLabels": {"env": "dev"}}},
            [("south", "front", "south")],
            id="by label",
        ),
        pytest.param({"repositorySelector": {"matchLabels": {"env": "test"}}}, [], id="nothing is no error"),
        pytest.param(
            {"objectSelector": {"apiVersion": "hr.example.com/v1", "kind": "Team"}},
            [("red", "front", "red"), ("blue", "front", "blue")],
            id="objects",
        ),
        pytest.param(
            {"objectSelector": {"apiVersion": "hr.example.com/v2", "kind": "Team"}}, [], id="other version"
        ),
        pytest.param(
            {"objectSelector": {"apiVersion": "hr.example.com/v1", "kind": "Team", "name": "blue"}},
            [("blue", "front", "blue")],
            id="by name, which the reference ignores",
        ),
    ],
)
def test_unroll(target: dict[str, object], entries: list[tuple[str, str, str]]) -> None:
    """One entry for each repository and package name, or for each object that was selected."""
    assert run(target) == entries


def test_targets_in_order() -> None:
    """Entries follow the order of the targets and know which one they come from."""
    spec = {
        "upstream": {"package": "front"},
        "targets": [{"repositories": [{"name": "z"}], "template": {}}, {"repositorySelector": {}}],
    }
    entries = unroll(spec, listing)

    assert [entry.target for entry in entries] == [0, 1, 1]
    assert [entry.template for entry in entries] == [{}, None, None]


def test_bad_selector() -> None:
    """A selector that the API server would refuse stops everything, with its place."""
    with pytest.raises(PorchError) as caught:
        run({"repositorySelector": {"matchExpressions": [{"key": "a", "operator": "Is", "values": ["b"]}]}})

    assert str(caught.value).startswith(
        'spec.targets[0].repositorySelector: "Is" is not a valid label selector operator'
    )


REVISIONS = [
    {"repository": "other", "packageName": "front", "workspaceName": "w1", "revision": 1},
    {"repository": "blueprints", "packageName": "front", "workspaceName": "w1", "revision": 1},
    {"repository": "blueprints", "packageName": "front", "workspaceName": "w2", "revision": 2},
]


@pytest.mark.parametrize(
    ("upstream", "found"),
    [
        ({"revision": 2}, 2),
        ({"revision": "v2"}, 2),
        ({"workspaceName": "w2"}, 2),
        ({"revision": 1, "workspaceName": "w2"}, 1),
        ({"revision": 7, "workspaceName": "w2"}, 2),
    ],
)
def test_upstream(upstream: dict[str, object], found: int) -> None:
    """The first revision whose number or workspace is right."""
    assert find_upstream({"repo": "blueprints", "package": "front", **upstream}, REVISIONS) == found


def test_upstream_with_nothing_in_common() -> None:
    """Two absent workspaces are equal, as in the reference; without any equality nothing is found."""
    draft = [{"repository": "blueprints", "packageName": "front"}]

    assert find_upstream({"repo": "blueprints", "package": "front", "revision": 5}, draft) == 0
    with pytest.raises(
        PorchError, match="could not find upstream package revision 'front/5' in repo 'blueprints'"
    ):
        find_upstream({"repo": "blueprints", "package": "front", "revision": 5}, REVISIONS)
