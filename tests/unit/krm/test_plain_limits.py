"""Edits by lines leave to the parser what lines alone cannot tell: shallow comments, literals in lists, missing line breaks."""

from __future__ import annotations

import pytest
import yaml

from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList

COMMENTED = """\
metadata:
  name: x
  annotations:
    a: b
#   team: old
    team: blue
# spec: none yet
  namespace: prod
# the end
data:
  b: c
"""


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("metadata", "annotations", "team"), "red"),
        (("metadata", "annotations", "new"), "red"),
        (("metadata", "namespace"), "shop"),
        (("metadata", "generateName"), "x-"),
        (("data", "b"), "d"),
    ],
)
def test_a_comment_left_of_a_block_does_not_end_it(path: tuple[str, ...], value: str) -> None:
    """What comes behind the comment is known still, so no key is written twice."""
    item = Resource(COMMENTED)
    wanted = yaml.safe_load(COMMENTED)
    place = wanted
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value

    item.set(path, value)

    assert yaml.safe_load(item.text) == wanted
    keys = [line.split(":")[0].strip() for line in item.text.splitlines() if not line.startswith("#")]
    assert len(keys) == len(set(keys)), keys
    assert [line for line in item.text.splitlines() if line.startswith("#")] == [
        "#   team: old",
        "# spec: none yet",
        "# the end",
    ]


def test_names_behind_a_comment_are_read() -> None:
    assert Resource(COMMENTED).namespace == "prod"


@pytest.mark.parametrize("sign", ["|", ">-", "|-", "|+"])
def test_a_literal_in_a_list_holds_no_fields(sign: str) -> None:
    text = f"spec:\n  args:\n  - {sign}\n    image: nginx\n    b: c\n"

    assert Resource(text, lazy=True)._scalars_with("nginx") is None


def test_many_hits_far_below_are_left_to_the_parser() -> None:
    """The lines looked at grow as the text does, and not as its square."""
    few, many = ("spec:\n" + "- image: nginx\n" * count for count in (10, 2000))

    assert len(Resource(few, lazy=True)._scalars_with("nginx") or ()) == 10
    assert Resource(many, lazy=True)._scalars_with("nginx") is None


@pytest.mark.parametrize(
    "rest",
    ["  annotations:\n    a: |\n      text", "  labels: {}\n  annotations:\n    a: |+\n      text\n      "],
)
def test_a_line_behind_a_literal_without_an_end_leaves_its_value(rest: str) -> None:
    """A new line below a literal that ends the text without a line break would give its value one."""
    text = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- kind: A\n  metadata:\n  {rest.replace(chr(10), chr(10) + '  ')}"
    resources = ResourceList.parse(text)
    before = yaml.safe_load(text)["items"][0]["metadata"]["annotations"]["a"]

    next(iter(resources)).set(("metadata", "annotations", "team"), "red")

    after = yaml.safe_load(resources.render())["items"][0]["metadata"]["annotations"]
    assert after == {"a": before, "team": "red"}
