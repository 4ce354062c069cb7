"""Results of a ResourceList in flow style: those of this run replace what the list brought along, wherever it stood."""

from __future__ import annotations

import json

import pytest
import yaml

from krmkit.krm.resourcelist import ResourceList

HEAD = '{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", '
LISTS = {
    "empty, behind the items": HEAD + '"items": [{"a": 1}], "results": []}\n',
    "null": HEAD + '"items": [{"a": 1}], "results": null}',
    "a text": HEAD + '"items": [{"a": 1}], "results": "x"}',
    "of another run, before the items": HEAD + '"results": [{"message": "old"}], "items": [{"a": 1}]}\n',
    "on lines of their own": HEAD
    + '\n "items": [\n  {"a": 1}\n ],\n "results": [\n  {"message": "old"}\n ]\n}\n',
    "with a comma behind": HEAD + '"items": [{"a": 1}], "results": [], }\n',
    "plain keys": "{apiVersion: config.kubernetes.io/v1, kind: ResourceList, items: [{a: 1}], results: }\n",
    "a key alone": "{apiVersion: config.kubernetes.io/v1, kind: ResourceList, items: [{a: 1}], results}\n",
    "no items": HEAD + '"items": [], "results": []}\n',
    "none": HEAD + '"items": [{"a": 1}]}\n',
}


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS.keys())
def test_results_are_those_of_this_run(text: str) -> None:
    """Read back, the list has the new results, and its items; without results it has no old ones."""
    new: dict[str, object] = {"message": "new: 'x', \"y\"", "severity": "error"}
    for results in ([], [new]):
        resources = ResourceList.parse(text)
        resources.results = results
        written = ResourceList.parse(resources.render())

        assert [item.get() for item in written.items] == [item.get() for item in resources.items]
        assert (yaml.safe_load(resources.render()).get("results") or []) == results


def test_json_stays_json() -> None:
    """Other tools may read it as such."""
    resources = ResourceList.parse(LISTS["of another run, before the items"])
    resources.results = [{"message": "new"}]

    assert json.loads(resources.render())["results"] == [{"message": "new"}]


def test_results_behind_a_complex_key() -> None:
    """Results stand in the column of the list's keys, also where the first one is behind a question mark."""
    resources = ResourceList.parse(
        "? ''\n: x\napiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- a: 1\n"
    )
    resources.results = [{"message": "new"}]

    assert yaml.safe_load(resources.render())["results"] == [{"message": "new"}]


def test_an_empty_item_of_json_is_filled() -> None:
    """What is put into `{}` stands in brackets, as all around it does."""
    resources = ResourceList.parse(HEAD + '"items": [{}, {"a": {}}]}\n')
    for item in resources:
        item.set(("metadata", "labels"), {"site": "north"})

    assert [item["metadata"]["labels"]["site"] for item in json.loads(resources.render())["items"]] == [
        "north",
        "north",
    ]
