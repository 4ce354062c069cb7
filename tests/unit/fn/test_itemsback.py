"""Tests of krmkit.fn.itemsback: items and results of a list that cannot be edited come back in a list of their own."""

from __future__ import annotations

import pytest
import yaml

from krmkit.fn.config import Config
from krmkit.fn.definition import FunctionDefinition
from krmkit.fn.results import Results
from krmkit.fn.run import refuse
from krmkit.krm.finding import Finding
from krmkit.krm.resourcelist import ResourceList
from tests.unit.fn.test_run import CONFIG, DATA, TEXT, execute

IN_BRACKETS = (
    "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: [{\n a: 1, kind: &k X}, {b: *k}]\n"
)


NO_MAPPING = IN_BRACKETS.replace("{b: *k}", '"one\\ntwo"').replace("&k ", "")


@pytest.mark.parametrize("items", [TEXT, IN_BRACKETS, NO_MAPPING])
def test_items_come_back_from_a_list_that_cannot_be_edited(items: str) -> None:
    """The results have no place beside a line break that only some readers see; the items have one in a new list."""
    text = items + CONFIG.replace("name: c", "name: c\u2028") + "results: x\n"

    def process(resources: ResourceList, config: Config, results: Results) -> None:
        results.error("wrong", "is wrong")

    outcome = execute(process, text)

    assert outcome.exit_code == 1
    assert outcome.stderr == "paint-things: is wrong\n"
    assert yaml.safe_load(outcome.stdout)["items"] == yaml.safe_load(text)["items"]
    assert items.partition("[")[2].partition(", ")[0] in outcome.stdout


def test_earlier_results_come_back_from_a_list_that_cannot_be_edited() -> None:
    """A function that keeps the results of earlier ones keeps them in the new list, too."""
    definition = FunctionDefinition({**DATA, "results": "kept"})
    text = TEXT + CONFIG.replace("name: c", "name: c\u2028") + "results: [{message: old, severity: error}]\n"

    outcome = refuse(definition, text, [Finding("wrong", "new")])

    results = yaml.safe_load(outcome.stdout)["results"]
    assert [result["message"] for result in results] == ["old", "new"]
