"""Typing errors in pack.json: each is a warning with the nearest name, and what Palette has beside is not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from krmkit.fn.testing import resource_list, run_function
from krmkit.palette.packs.metadatanames import unknown_names
from krmkit.palette.packs.pack import Pack

RIGHT: dict[str, Any] = {
    "name": "a",
    "version": "1.0.0",
    "layer": "addon",
    "commit_msg": "anything",
    "constraints": {
        "dependencies": [{"packName": "b", "layer": "k8s", "minVersion": "1.0.0", "type": "optional"}],
        "resources": [
            {
                "type": "cpu",
                "minLimit": 100,
                "components": [{"resourceRequestParamRef": "x", "scheduleType": "all"}],
            }
        ],
    },
}


def changed(*steps: str | int, **names: str) -> dict[str, Any]:
    """RIGHT with names replaced in the object at a path."""
    data: dict[str, Any] = json.loads(json.dumps(RIGHT))
    place: Any = data
    for step in steps:
        place = place[step]
    for new, old in names.items():
        place[new] = place.pop(old)
    return data


CASES = [
    ("the top", changed(versoin="version"), "versoin", "version"),
    (
        "constraints",
        changed("constraints", dependancies="dependencies"),
        "constraints.dependancies",
        "dependencies",
    ),
    (
        "a dependency",
        changed("constraints", "dependencies", 0, minversion="minVersion"),
        "constraints.dependencies[0].minversion",
        "minVersion",
    ),
    (
        "a resource",
        changed("constraints", "resources", 0, minlimit="minLimit"),
        "constraints.resources[0].minlimit",
        "minLimit",
    ),
    (
        "a component",
        changed("constraints", "resources", 0, "components", 0, scheduleTyp="scheduleType"),
        "constraints.resources[0].components[0].scheduleTyp",
        "scheduleType",
    ),
    ("the layer", {**RIGHT, "layer": "addons"}, "layer", "addon"),
]


@pytest.mark.parametrize(
    ("data", "path", "near"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_typing_errors(data: dict[str, Any], path: str, near: str) -> None:
    """Where it is, and what was meant."""
    (found,) = unknown_names(Pack(data))

    assert (found.field, found.severity) == (path, "warning")
    assert found.message.endswith(f'; did you mean "{near}"?')


def test_what_is_right() -> None:
    """So are fields that only Palette reads."""
    assert unknown_names(Pack(RIGHT)) == []
    assert unknown_names(Pack({"name": "a", "constraints": ["x"]})) == []


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"type": "disk", "minLimit": 1}, 'unknown resource type "disk"'),
        ({"type": "cpu", "minLimit": "2000m"}, "must be a number of millicores, without a unit"),
        (
            {"type": "cpu", "components": [{"scheduleType": "workers", "resourceRequestParamRef": "x"}]},
            'did you mean "worker"?',
        ),
    ],
)
def test_constraints_without_pools(entry: dict[str, Any], said: str) -> None:
    """What is wrong in itself is an error, though a config without machinePools asks for no sums."""
    pack = {"name": "a", "version": "1.0.0", "layer": "addon", "constraints": {"resources": [entry]}}
    item = (
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {config.kubernetes.io/local-config: "true"}}\n'
        f"data:\n  pack.json: '{json.dumps(pack)}'\n"
    )
    config = "apiVersion: krmkit.dev/v1alpha1\nkind: ValidatePackConstraints\nmetadata: {name: c}\nspec: {}\n"

    outcome = run_function("functions/validate-pack-constraints", resource_list([item], config))

    errors = [one for one in outcome.results if one.severity == "error"]
    assert [one.rule for one in errors] == ["schema"]
    assert said in errors[0].message
