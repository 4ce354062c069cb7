"""Items that come into a list without any are written as behind the items of another list."""

from __future__ import annotations

import pytest
import yaml

from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
ADDED = "# head\nkind: A\nlist: ['x', y] # why\n# foot\n"
LITERAL = "kind: B\ntext: |+\n  x\n"
LINES = "- # head\n  kind: A\n  list: ['x', y] # why\n  # foot\n- kind: B\n  text: |+\n    x\n"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param("items: []\n", "items:\n{}", id="nothing else"),
        pytest.param("items: []", "items:\n{}", id="no final line break"),
        pytest.param("items: [] # none\nz: 1\n", "items: # none\n{}z: 1\n", id="comment"),
        pytest.param("items: [\n]\nz: 1\n", "items:\n{}z: 1\n", id="two lines"),
        pytest.param('"items" : []\nz: 1\n', '"items" :\n{}z: 1\n', id="quoted key"),
        pytest.param("z: 1\n", "z: 1\nitems:\n{}", id="no key"),
        pytest.param("items:\nz: 1\n", "items:\n{}z: 1\n", id="no value"),
        pytest.param("items: null # none\nz: 1\n", "items: # none\n{}z: 1\n", id="null"),
        pytest.param(
            "items: []\n\n  # deep\n# z\nz: 1\n", "items:\n\n  # deep\n{}# z\nz: 1\n", id="comments below"
        ),
        pytest.param("items: []\n...\n", "items:\n{}...\n", id="document end"),
    ],
)
def test_items_keep_their_text(given: str, expected: str) -> None:
    """Comments, quotes and flow lists stay, whatever the list looks like; what is around the items stays as well."""
    resources = ResourceList.parse(HEAD + given)
    resources.add(Resource(ADDED))
    resources.add(Resource(LITERAL))

    text = resources.render()

    assert text == HEAD + expected.format(LINES)
    assert yaml.safe_load(text)["items"][1]["text"] == "x\n"


def test_items_in_an_indented_list() -> None:
    """The dashes are below the first letter of the key."""
    lines = "  apiVersion: config.kubernetes.io/v1\n  kind: ResourceList\n  items: []\n"
    resources = ResourceList.parse(lines)
    resources.add(Resource("# head\nkind: A\n"))
    resources.results = [{"message": "m"}]

    added = "\n  - # head\n    kind: A\n  results:\n  - message: m"
    assert resources.render() == lines.replace(" []", added)


@pytest.mark.parametrize(
    "given",
    [
        '{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": []}\n',
        HEAD + "items: &a []\nfunctionConfig:\n  kind: C\n  data: *a\n",
        HEAD + "items: !!seq []\n",
        HEAD + "items: []\nz: 1\r\n",
        "\ufeff" + HEAD + "items: []\n",
    ],
)
def test_items_are_written_as_data(given: str) -> None:
    """Where their lines cannot be put in, no item is lost."""
    resources = ResourceList.parse(given)
    resources.add(Resource(ADDED))

    text = resources.render()

    assert yaml.safe_load(text)["items"] == [{"kind": "A", "list": ["x", "y"]}]
    assert text == resources.render()


def test_results_and_items_come_together() -> None:
    """Also those that the list brings."""
    resources = ResourceList.parse(HEAD + "items: []\nresults:\n- message: old\n")
    resources.add(Resource(ADDED))
    resources.results = [{"message": "new"}]

    assert (
        resources.render()
        == HEAD + "items:\n" + LINES.partition("- kind: B")[0] + "results:\n- message: new\n"
    )
