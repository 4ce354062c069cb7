"""A validator reads every item of the kinds that it judges: docs/limits.md, "Read, and not read"."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from krmkit.fn import loader, testing
from tests.contract.checks import FUNCTIONS

# For each validator, the kinds that it judges. The templates of a topology may be of any kind, so it reads every item.
EVERY = ("*",)
JUDGED = {
    "validate-pack-constraints": ("ConfigMap", "Pack"),
    "validate-cluster-topology": EVERY,
    "kubeconform": EVERY,
    "kubeval": EVERY,
    "list-setters": ("Kptfile",),
    "validate-installation": ("Installation", "Target", "ConfigMap"),
    "validate-platform": (
        "Cluster",
        "Target",
        "ConfigMap",
        "ResolveMacros",
        "ValidatePackConstraints",
        "PackageVariant",
    ),
}
UNJUDGED = {"kubeconform": "Kptfile", "kubeval": "Kptfile"}  # kpt's own, for which there is no schema
LISTING = {"list-setters"}  # says what is there, and judges no item
BREAKS = {
    "a value that is none": "zz: a: b\n",
    "a key twice": "zz: 1\nzz: 2\n",
    "an alias without an anchor": "zz: *nowhere\n",
    "a tab": "zz:\n\t- 1\n",
}
SOUND = 0


def broken(folder: Path) -> Iterator[tuple[str, str, str, str]]:
    """(kind, what is broken, the list, the item's text) for each item of the function's sound examples."""
    for example in testing.examples(folder):
        if testing.run_function(folder, example.render_list()).exit_code != SOUND:
            continue
        data: dict[str, Any] = yaml.load(example.render_list(), yaml.CSafeLoader)
        texts = [yaml.safe_dump(item, sort_keys=False) for item in data["items"]]
        config = yaml.safe_dump(data["functionConfig"]) if "functionConfig" in data else None
        for number, item in enumerate(data["items"]):
            for name, wrong in BREAKS.items():
                changed = copy.copy(texts)
                changed[number] += wrong
                yield item["kind"], name, testing.resource_list(changed, config), changed[number]


@pytest.mark.parametrize("name", JUDGED)
def test_what_is_judged_is_read(name: str) -> None:
    """Broken YAML in an item of such a kind is an error, wherever in the item it stands; in any other item it passes byte for byte."""
    folder = next(folder for folder in FUNCTIONS if folder.name == name)
    seen = set()
    for kind, what, text, item in broken(folder):
        outcome = testing.run_function(folder, text)
        if JUDGED[name] is not EVERY and kind not in JUDGED[name]:
            continue
        if kind == UNJUDGED.get(name):
            continue
        seen.add(kind)
        errors = [result for result in outcome.results if result.severity == "error"]
        assert outcome.exit_code == 1, (kind, what)
        assert errors, (kind, what)
        assert item.splitlines()[-1] in outcome.stdout or "items: []" in outcome.stdout

    assert seen


@pytest.mark.parametrize("name", [name for name, kinds in JUDGED.items() if kinds is not EVERY])
def test_what_is_not_judged_is_handed_on(name: str) -> None:
    """A bystander that is broken in the middle of its text changes no result, and stays as it was."""
    folder = next(folder for folder in FUNCTIONS if folder.name == name)
    bystander = "apiVersion: v1\nkind: Bystander\nmetadata:\n  name: odd\nspec:\n  a: b: c\n"
    for example in testing.examples(folder):
        alone = testing.run_function(folder, example.render_list())
        outcome = testing.run_function(folder, example.render_list([bystander]))
        assert outcome.exit_code == alone.exit_code
        assert [result.data() for result in outcome.results] == [result.data() for result in alone.results]
        assert "    a: b: c\n" in outcome.stdout


def test_every_validator_has_a_row() -> None:
    """A new validator says here what it judges."""
    validators = {
        folder.name for folder in FUNCTIONS if "validator" in loader.at(str(folder)).definition.tags
    }

    assert validators == set(JUDGED) | LISTING
