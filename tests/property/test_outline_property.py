"""Outlines against full parses: the same tree, and the same texts."""

from __future__ import annotations

import random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from krmkit.yaml.document import parse
from krmkit.yaml.errors import YamlError
from krmkit.yaml.outline import Outline, outline
from krmkit.yaml.tree import Alias, Map, Node, Scalar, Seq
from tests.property.test_edit_property import Writer

BODIES = [
    "x",
    "a: |",
    "  b: |",
    "- c: |",
    "    deep",
    "",
    " ",
    "    ",
    "  ",
    "# c",
    "'it",
    "\tx",
    "  \tx",
    "  x\x07",
    "---",
    "...",
    " x",
]


def said(node: Node | None, file: Outline | None = None) -> object:
    """The data of a tree, as texts and styles."""
    if isinstance(node, Map):
        return [(said(entry.key, file), said(entry.value, file)) for entry in node.entries]
    if isinstance(node, Seq):
        return [said(item, file) for item in node.items]
    if isinstance(node, Alias):
        return node.name
    if isinstance(node, Scalar):
        return node.style, node.text if file is None else file.text(node)
    return None


def fully(text: str) -> object:
    """What a full parse says, or why it refuses."""
    try:
        return said(parse(text).root)
    except YamlError as error:
        return str(error)


def outlined(text: str) -> object:
    """The same from an outline."""
    try:
        file = outline(text)
    except YamlError as error:
        return str(error)
    return said(file.root, file)


@settings(max_examples=400, deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_documents(seed: int) -> None:
    """Comments, block scalars of all kinds, and what looks like them."""
    text = Writer(random.Random(seed)).text()

    assert outlined(text) == fully(text)


@settings(max_examples=1500, deadline=None)
@given(
    st.lists(st.sampled_from(BODIES), max_size=8),
    st.sampled_from(["", "  ", "- ", "  - ", "- - ", "? "]),
    st.booleans(),
)
@example(["    deep", "  x"], "", True)
@example(["   ", "  x"], "", True)
@example(["  \tx"], "", True)
@example(["  x\x07"], "", True)
@example(["  x", "    ", ""], "", False)
def test_literals(body: list[str], before: str, final: bool) -> None:
    """A literal's header among all kinds of lines."""
    lines = [f"{before}k: |", *body, " " * len(before) + "z: 1"]

    for text in ("\n".join(lines) + "\n" * final, "\n".join(lines[:-1]) + "\n" * final):
        assert outlined(text) == fully(text)


def test_texts_are_left_out() -> None:
    """What is parsed is the list, not the texts in it."""
    text = "presets:\n- name: a\n  add: |\n    b: [\n\n    c: {\n- name: d\n  add: |\n      e\n"
    file = outline(text)

    assert isinstance(file.root, Map)
    assert file.root.source is not None
    assert file.root.source.text == "presets:\n- name: a\n  add: |\n- name: d\n  add: |"
    assert said(file.root, file) == said(parse(text).root)
