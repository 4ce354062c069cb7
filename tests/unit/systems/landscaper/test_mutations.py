"""Installations with something wrong at a place drawn by lot: a result of a rule, never a fault of the function itself."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from krmkit.fn.testing import Example, resource_list, run_function
from krmkit.libraries.yaml import emit
from tests.unit.systems.landscaper.test_bad_input import FUNCTIONS

EXAMPLES = ("greeter", "nested-three-deep", "unknown-export")
VALUES: list[Any] = [
    None,
    "",
    0,
    -1,
    True,
    [],
    {},
    "x",
    ["x"],
    {"x": "y"},
    [None],
    "#",
    "..",
    "(( ",
    "{{ .",
    10**30,
]
PIECES = ["", "x", "{", "}", ":", "- ", "\n", '"', "((", "))", "null", "|", "&a", "*a"]
ROUNDS = 40


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all nodes."""
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, child in children:
        yield (*path, key)
        yield from places(child, (*path, key))


def mutated(items: list[Any], lot: random.Random) -> list[Any]:
    """The items with another value, or another text, at one place."""
    items = copy.deepcopy(items)
    path = lot.choice([one for one in places(items) if len(one) > 2])
    parent: Any = items
    for step in path[:-1]:
        parent = parent[step]
    old = parent[path[-1]]
    if isinstance(old, str) and old and lot.random() < 0.6:
        at = lot.randrange(len(old))
        parent[path[-1]] = old[:at] + lot.choice(PIECES) + old[at + lot.randint(0, 8) :]
    else:
        parent[path[-1]] = lot.choice(VALUES)
    return items


@pytest.mark.parametrize("example", EXAMPLES)
def test_mutations(example: str) -> None:
    """Every wrong package gets results of the functions' own rules."""
    folder = FUNCTIONS / "render-installation" / "examples" / example
    text = Example(folder, "render-installation").render_list()
    items = [one for one in yaml.load(text, Loader=yaml.CSafeLoader)["items"] if one["kind"] != "Kptfile"]
    lot = random.Random(example)
    rules: set[str] = set()

    for _ in range(ROUNDS):
        texts = [emit.document(one) for one in mutated(items, lot)]
        for name, kind in (
            ("validate-installation", "ValidateInstallation"),
            ("render-installation", "RenderInstallation"),
        ):
            config = f"apiVersion: krmkit.dev/v1alpha1\nkind: {kind}\nmetadata: {{name: c}}\nspec: {{}}\n"
            outcome = run_function(FUNCTIONS / name, resource_list(texts, config))
            rules.update(result.rule for result in outcome.results)

    assert "internal-error" not in rules
    assert len(rules) > 3
