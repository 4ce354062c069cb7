"""search-replace by lines and by the parser finds the same fields."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from krmkit.fn.testing import resource_list, run_function
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.everyday.search.replace import search_replace

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
ITEM = """\
- apiVersion: v1
  kind: Thing
  metadata:
    name: nginx
    annotations:
      config.kubernetes.io/path: 'nginx.yaml'
  spec:
    image: nginx # the image
    quoted: 'nginx'
    imagePullPolicy: Always
    containers:
    - name: a
      image: "nginx"
    - image: nginx-ingress
    count: 3
"""
THING = """\
- apiVersion: v1
  kind: Thing
  metadata: {name: a}
  spec:
    image: nginx:1.2
"""


def searched(text: str, **data: str) -> tuple[Resource, list[str]]:
    """The item after a run, and the messages."""
    resources = ResourceList.parse(HEAD + text)
    config = Resource.from_data(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "data": {key.replace("_", "-"): text for key, text in data.items()},
        }
    )
    findings = search_replace(resources, config)
    return resources.items[0], [f"{one.field}: {one.message}" for one in findings]


CASES: dict[str, dict[str, str]] = {
    "a path": {"by_path": "spec.**.image", "put_value": "apache"},
    "a path, and nothing to put": {"by_path": "**.image"},
    "a path of a list's entries": {"by_path": "spec.containers[*].image", "put_value": "x"},
    "a value": {"by_value": "nginx", "put_value": "apache"},
    "a value and a path": {"by_value": "nginx", "by_path": "spec.*", "put_value": "apache"},
    "an expression and a path": {"by_value_regex": "nginx-(.*)", "by_path": "**.image", "put_value": "${1}"},
    "a number": {"by_path": "**.count", "put_value": "5"},
    "a text that looks like a number": {"by_value": "nginx", "by_path": "spec.*", "put_value": "12"},
    "a text that needs quotes": {"by_path": "**.image", "put_value": "a: b"},
}


@pytest.mark.parametrize("data", CASES.values(), ids=CASES)
def test_lines_and_parser(data: dict[str, str]) -> None:
    """A resource that is searched by its lines gets what a parsed one gets; an anchor makes the parser look."""
    anchored = "    anchored: &image [nginx-x, imagery]\n"
    item, messages = searched(ITEM, **data)
    parsed, expected = searched(ITEM + anchored, **data)

    assert (item._document is None) is (
        data.get("put_value") != "a: b"
    )  # its name is read anew behind new quotes
    assert messages == expected
    assert item.text + anchored == parsed.text


@pytest.mark.parametrize(
    ("written", "value"),
    [("'it''s'", "it's"), ("one\n      two", "one two"), ('"a\\"b"', 'a"b'), ("|-\n      a b", "a b")],
    ids=repr,
)
def test_values_in_other_forms(written: str, value: str) -> None:
    """A value is found however it is written: with doubled quotes, on several lines, with escapes."""
    text = f"- kind: Thing\n  metadata: {{name: a}}\n  spec:\n    text: {written}\n"

    item, _ = searched(text, by_value=value, put_value="x")

    assert item.get("spec", "text") == "x"


@pytest.mark.parametrize("sign", ["\n", "\r", "\x85", "\u2028", "\x0b"])
def test_a_comment_of_two_lines_is_refused(sign: str) -> None:
    """Whatever a reader takes for a line break: to that reader, what follows is no comment."""
    item, messages = searched(ITEM, by_path="metadata.name", put_comment=f"a{sign}b")

    assert messages == [': failed to perform search-replace operation: "put-comment must be of one line"']
    assert item.text == ITEM[2:]


@pytest.mark.parametrize("puts", [{}, {"put-value": "${1}"}], ids=["search", "replace"])
def test_a_pattern_too_costly_for_a_text(puts: dict[str, str]) -> None:
    """It ends in the limit, which the message names."""
    data = {"by-value-regex": "([a-z])" * 200, **puts}
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data}
    item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"a": "ab" * 300_000}}

    outcome = run_function(
        Path(__file__).parents[4] / "functions/search-replace",
        resource_list([json.dumps(item)], json.dumps(config)),
    )

    assert [result.rule for result in outcome.results] == ["limit"]
    assert "SEARCH_STEPS" in outcome.results[0].message or "effort" in outcome.results[0].message


@pytest.mark.parametrize(
    ("put", "made"),
    [
        ("${1}-${2}", "nginx-1.2"),
        ("a${1}b${1}c", "anginxbnginxc"),
        ("${3}x", "x"),
        ("${name}", "${name}"),
        ("${}", "${}"),
        ("${1", "${1"),
        ("${a} ${2}", "${a} 1.2"),
        ("$1", "$1"),
        ("${٣}", "${٣}"),
    ],
)  # fmt: skip
def test_groups_of_an_expression(put: str, made: str) -> None:
    """`${1}` is the first group, one without a match is empty; anything else in braces stays."""
    item, _ = searched(THING, by_value_regex="(nginx):([0-9.]+)(-x)?", by_path="spec.image", put_value=put)

    assert item.get("spec", "image") == made


@pytest.mark.parametrize("put", ["${0}", "${4}", "${123456789}"])
def test_groups_that_are_not_there(put: str) -> None:
    """The whole match has no number, as in the original."""
    item, messages = searched(THING, by_value_regex="(nginx):([0-9.]+)(-x)?", put_value=put)

    assert messages == [': failed to perform search-replace operation: "unable to resolve capture groups"']
    assert item.text == THING[2:]


def test_braces_without_an_expression() -> None:
    """They are text."""
    assert searched(THING, by_value="nginx:1.2", put_value="${1}")[0].get("spec", "image") == "${1}"


@pytest.mark.parametrize(
    ("before", "put", "after", "shown"),
    [
        ("image: nginx # c", "x", "image: x # c", "x"),
        ("image: nginx # c", "nginx", "image: nginx # c", "nginx"),
        ("image: nginx", "12", "image: 12", "12"),
        ("image: nginx", "a: b", "image: 'a: b'", "'a: b'"),
        ("image: 'nginx'", "it's", "image: 'it''s'", "'it''s'"),
        ('image: "nginx"', "12", 'image: "12"', '"12"'),
        ("image:", "x", "image: x", "x"),
        ("other: 1", "x", "other: 1\n    image: x", "x"),
        ("other: &v nginx\n    image: *v", "x", "other: &v nginx\n    image: x", "x"),
        ("other: &v nginx\n    image: *v", "nginx", "other: &v nginx\n    image: nginx", "nginx"),
        ("image: &v nginx", "nginx", "image: &v nginx", "&v nginx"),
    ],
)
def test_a_value_at_a_path(before: str, put: str, after: str, shown: str) -> None:
    """An exact path sets its field in the style that it has, or makes it; an alias is replaced, not followed."""
    head = "- apiVersion: v1\n  kind: Thing\n  metadata: {name: a}\n  spec:\n    "
    item, messages = searched(f"{head}{before}\n", by_path="spec.image", put_value=put)
    assert item.text == f"{head}{after}\n"[2:]
    assert messages == [f"spec.image: Mutated field value to {json.dumps(shown)}"]


@pytest.mark.parametrize(("value", "what"), [("{a: 1}", "map"), ("[a]", "list")])
def test_a_value_in_the_place_of_a_collection(value: str, what: str) -> None:
    """One text would replace all of it: that is an error, and nothing changes."""
    item, messages = searched(
        f"- apiVersion: v1\n  kind: Thing\n  spec: {{image: {value}}}\n", by_path="spec.image", put_value="x"
    )
    assert f"image: {value}" in item.text
    assert f"spec.image is a {what}, which put-value would replace" in messages[0]


def test_a_comment_at_a_path() -> None:
    """put-comment goes behind the value, and into the message."""
    item, messages = searched(THING, by_path="spec.image", put_value="x", put_comment="new")
    assert "  image: x # new\n" in item.text
    assert messages == ['spec.image: Mutated field value to "x # new"']
