"""Kinds of lists that a function once answered wrongly: each function, on its first example, in each of these ways."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from krmkit.fn import loader, testing
from krmkit.fn.contract.runchecks import is_readable, load, run
from tests.contract.checks import FUNCTIONS, REPRESENTATIVES, examples

OLD = [{"message": "of another run", "severity": "error"}]
ODD_ITEMS: dict[str, str] = {
    "a kind that is a list": "apiVersion: v1\nkind: [Thing]\nmetadata: {name: odd}\n",
    "tags on values": "apiVersion: v1\nkind: Thing\nmetadata: {name: odd}\nspec: {a: ! '3', b: !!int ten, c: !mine x, d: 2024-01-01}\n",
    "a number as name": "apiVersion: v1\nkind: Thing\nmetadata: {name: 1.5, namespace: 0}\n",
    "quotes in a name": "apiVersion: v1\nkind: Thing\nmetadata: {name: 'a\"b', namespace: '\\'}\n",
    "no value in annotations": "apiVersion: v1\nkind: Thing\nmetadata: {name: odd, annotations: {? '' : , a: null, b: [c]}}\n",
    "an empty key": "apiVersion: v1\nkind: Thing\nmetadata: {name: odd}\nspec: {? '' : {? '' : ''}}\n",
    "a text in place of metadata": "apiVersion: v1\nkind: Thing\nmetadata: odd\n",
    "a path that leads out": "apiVersion: v1\nkind: Thing\nmetadata: {name: odd, annotations: {internal.config.kubernetes.io/path: ../../odd.yaml}}\n",
    "an index that is none": "apiVersion: v1\nkind: Thing\nmetadata: {name: odd, annotations: {internal.config.kubernetes.io/path: o.yaml, internal.config.kubernetes.io/index: x}}\n",
}
WRITTEN: dict[str, Callable[[Any], str]] = {
    "JSON on a line": json.dumps,
    "JSON over lines": lambda data: json.dumps(data, indent=1),
    "flow, cut at 60": lambda data: yaml.safe_dump(data, default_flow_style=None, width=60, sort_keys=False),
    "keys in quotes": lambda data: yaml.safe_dump(data, default_style='"', sort_keys=False),
}
RESULTS: dict[str, Any] = {"empty": [], "null": None, "a text": "x", "of another run": OLD}
# A mapping with a list entry in it: YAML refuses the item, and the list around it stands.
BROKEN = (
    "apiVersion: v1\nkind: Thing\nmetadata:\n  name: odd\n  - a: b # belongs elsewhere\n  namespace: shop\n"
)


def example_of(folder: Path) -> testing.Example:
    return next(iter(testing.examples(folder)))


each_function = pytest.mark.parametrize("folder", FUNCTIONS, ids=lambda folder: folder.name)


# Each function with each kind of results, in a style that differs from function to function; a few in every style.
COMBINATIONS = [
    pytest.param(folder, style, kind, id=f"{style}-{kind}-{folder.name}")
    for number, folder in enumerate(FUNCTIONS)
    for row, kind in enumerate(RESULTS)
    for column, style in enumerate(WRITTEN)
    if folder in REPRESENTATIVES or column == (number + row) % len(WRITTEN)
]


@pytest.mark.parametrize(("folder", "style", "kind"), COMBINATIONS)
def test_old_results(folder: Path, style: str, kind: str) -> None:
    """Whatever a list brings as its results, and in whatever style: exit code and results are this run's, twice too."""
    written, results = WRITTEN[style], RESULTS[kind]
    data = yaml.load(example_of(folder).render_list(), yaml.CBaseLoader)
    fresh = run(folder, written(data))
    first = run(folder, written({**data, "results": results}))

    assert first.exit_code == fresh.exit_code
    assert load(first.stdout).get("items") == load(fresh.stdout).get("items")
    # Functions of kpt's catalog hand on the results of the functions before them.
    keeps = loader.at(str(folder)).definition.keeps_results
    assert keeps or "of another run" not in first.stdout
    second = run(folder, first.stdout)
    assert second.exit_code == first.exit_code
    assert load(second.stdout).get("items") == load(first.stdout).get("items")


@each_function
@pytest.mark.parametrize("item", ODD_ITEMS.values(), ids=ODD_ITEMS)
def test_odd_item(folder: Path, item: str) -> None:
    """An odd item is handed on, or is an error that says so; a second run finds the items as the first left them."""
    first = run(folder, example_of(folder).render_list([item]))

    assert not [result for result in first.results if "error in the function itself" in result.message]
    if first.exit_code == 0:
        second = run(folder, first.stdout)
        assert second.exit_code == 0
        assert load(second.stdout)["items"] == load(first.stdout)["items"]


@each_function
def test_item_that_yaml_refuses(folder: Path) -> None:
    """It is handed on byte for byte, or is an error: no run ends without a list, or with results that contradict its exit code."""
    outcome = testing.run_function(folder, example_of(folder).render_list([BROKEN]))

    errors = [result for result in outcome.results if result.severity == "error"]
    assert outcome.exit_code == (1 if errors else 0)
    assert outcome.stdout.startswith("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n")
    assert "Traceback" not in outcome.stdout + outcome.stderr
    assert not [error for error in errors if "error in the function itself" in error.message]
    assert "- a: b # belongs elsewhere\n" in outcome.stdout


def test_two_sets_of_one_name() -> None:
    """The second set is an error that names it, and no traceback."""
    folder = next(folder for folder in FUNCTIONS if folder.name == "generate-package-variants")
    text = example_of(folder).render_list()
    documents = [
        item for item in yaml.load(text, yaml.CBaseLoader)["items"] if item["kind"] == "PackageVariantSet"
    ]
    outcome = run(folder, example_of(folder).render_list([yaml.safe_dump(documents[0])]))

    assert outcome.exit_code == 1
    assert "internal-error" not in {result.rule for result in outcome.results}


def test_the_last_set_goes_and_the_package_is_rendered_again() -> None:
    """The first run removes the variants of the set that is gone; the second has nothing to do, and warns."""
    fleet = next(example for example in examples() if example.folder.name == "fleet")
    folder = fleet.folder.parents[1]
    made = testing.run_function(folder, fleet.render_list()).stdout
    items = yaml.load(made, yaml.CBaseLoader)["items"]
    kept = [yaml.safe_dump(item) for item in items if item["kind"] != "PackageVariantSet"]

    first = testing.run_function(folder, testing.resource_list(kept))
    second = testing.run_function(folder, first.stdout)

    assert [(one.rule, one.severity) for one in first.results] == [("removed-set", "info")]
    assert [(one.rule, one.severity) for one in second.results] == [("no-set", "warning")]
    assert first.exit_code == second.exit_code == 0
    assert second.stdout.partition("\nresults:")[0] == first.stdout.partition("\nresults:")[0]


@pytest.mark.parametrize("text", ["", "a: 1", "[", "kind: ResourceList", "- a\n", "&a [*a]"])
def test_what_is_no_list_is_not_readable(text: str) -> None:
    """The checks of a run ask first whether its input is a ResourceList at all."""
    assert not is_readable(text)
