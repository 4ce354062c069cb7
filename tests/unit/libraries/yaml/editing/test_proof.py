"""The proof of an edit: the events of a text against the tree that it must say."""

from __future__ import annotations

import pytest

from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.editing.proof import plainly_says
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS, Limits
from krmkit.libraries.yaml.tree import Entry, Map, Node, Scalar, Seq, to_node


def root_of(text: str) -> Node:
    """The root of a text."""
    root = parse(text).root
    assert root is not None
    return root


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a: 1\nb: [x, {y: z}]\n", "a:   1 # one\nb:\n- x\n- y: z\n"),
        ("a: 'x'\n", "a: x\n"),
        ("a: null\n", "a:\n"),
        ("a: |\n  x\n", 'a: "x\\n"\n'),
        ("\ufeffa: 1\r\nb: 2\r\n", "a: 1\nb: 2\n"),
        ("- a: {}\n- []\n", "[{a: {}}, []]"),
        ("a: &x 1\n", "a: 1\n"),
    ],
)
def test_what_a_text_plainly_says(text: str, tree: str) -> None:
    """Style, comments, line breaks and unused anchors make no difference."""
    assert plainly_says(text, root_of(tree), DEFAULT_LIMITS)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a: '1'\n", "a: 1\n"),
        ("a: yes\n", "a: 'yes'\nb: 1\n"),
        ("a: 1\nb: 2\n", "b: 2\na: 1\n"),
        ("a: 1\nb: 2\n", "a: 1\n"),
        ("a: 1\n", "a: 1\nb: 2\n"),
        ("a: [1]\n", "a: {1: }\n"),
        ("a: [1, 2]\n", "a: [1]\n"),
        ("a: true\n", "a: 'true'\n"),
        ("a: 1\n---\nb: 1\n", "a: 1\n"),
        ("a: [1\n", "a: [1]\n"),
        ("", "a: 1\n"),
        ("a: !x 1\n", "a: 1\n"),
        ("a: 1\n", "a: !x 1\n"),
    ],
)
def test_what_it_does_not(text: str, tree: str) -> None:
    """Another value, type, order, key or tag, more or less of them, and what is no YAML."""
    assert not plainly_says(text, root_of(tree), DEFAULT_LIMITS)


@pytest.mark.parametrize("text", ["a: &x 1\nb: *x\n", "<<: {a: 1}\nb: 2\n", "a: !!str 1\n"])
def test_what_only_the_data_can_tell(text: str) -> None:
    """Aliases, merge keys and tags are left to a comparison of the data, also where nothing differs."""
    assert not plainly_says(text, root_of(text), DEFAULT_LIMITS)


def test_new_values_count_by_what_they_are() -> None:
    """A node that an edit has made has a value, and its text must be read as that."""
    for value, text, other in (("1", '"1"', "1"), (1, "1", '"1"'), (None, "null", '""'), (1.5, "1.5", "1")):
        tree = to_node({"a": value})
        assert plainly_says(f"a: {text}\n", tree, DEFAULT_LIMITS)
        assert not plainly_says(f"a: {other}\n", tree, DEFAULT_LIMITS)


def test_a_key_that_comes_twice_is_not_proven() -> None:
    """No reader takes such a text, although its events are those of the tree."""
    tree = Map()
    tree.entries = [Entry(Scalar("a"), Seq()), Entry(Scalar("a"), Seq())]

    assert not plainly_says("a: []\na: []\n", tree, DEFAULT_LIMITS)


def test_the_limit_of_depth_holds() -> None:
    """A text that is nested deeper than what may be read is not proven."""
    text = "a: {b: {c: 1}}\n"

    assert plainly_says(text, root_of(text), Limits(depth=3))
    assert not plainly_says(text, root_of(text), Limits(depth=2))
