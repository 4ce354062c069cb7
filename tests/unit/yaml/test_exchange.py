"""A text in the place of a block scalar: what it says, and what stands around it."""

from __future__ import annotations

import pytest
import yaml

from krmkit.yaml.document import parse
from krmkit.yaml.tree import Map, Node, Scalar

OLD = {
    "literal": "a: |\n  x\n  y\n",
    "without its last break": "a: |-\n  x\n",
    "folded": "a: >\n  x\n  y\n",
    "folded without its last break": "a: >-\n  x\n",
    "with its blank lines": "a: |+\n  x\n\n",
    "with an indicator": "a: |2\n   x\n",
    "with a comment behind its header": "a: | # c\n  x\n",
    "with a tag": "a: !!str |\n  x\n",
    "blank lines first": "a: |\n\n\n  x\n",
    "blanks on a line above": "a: |\n \n  x\n",
    "a blank line inside": "a: |\n  x\n\n   y\n",
    "deep": "a: |\n      x\n",
    "empty": "a: |\n",
}
BELOW = {
    "a key": "b: 1\n",
    "blank lines": "\n\nb: 1\n",
    "a comment": "# c\nb: 1\n",
    "a comment between the columns": " # c\nb: 1\n",
    "a comment, and a deeper one": "# c\n    # d\nb: 1\n",
    "blanks": "   \nb: 1\n",
    "another literal": "b: |\n  z\n",
    "nothing": "",
}
LITERALS = (
    *(
        "new\n",
        "a\nb\n",
        "a\n\n  b\nc\n",
        "a\n\n",
        "a \n",
        "# a\nb\n",
        "? a\n: b\n",
        "- a\n- b\n",
        "a\n\tb\n",
    ),
    *("a: |\n  b\n", "a: |+\n  b\n\nc: d\n"),
)
TEXTS = (
    *LITERALS,
    *("new", "a\n\n  b\nc", " a\nb\n", "\na\n", "a\n ", "\ta\nb\n", "a\n\t\n", "a\u2028 b\n", ""),
)


@pytest.mark.parametrize("below", BELOW.values(), ids=BELOW.keys())
@pytest.mark.parametrize("old", OLD.values(), ids=OLD.keys())
def test_what_it_says(old: str, below: str) -> None:
    """The whole document says what it should, in each case, wherever the new text comes from."""
    before = yaml.safe_load(old + below)
    made = [(text, text) for text in TEXTS] + [(text, literal(text)) for text in LITERALS]
    for text, value in made:
        document = parse(old + below)
        assert isinstance(document.root, Map)
        document.root.set("a", value)
        written = document.render()
        assert yaml.safe_load(written) == before | {"a": text}, written


def literal(text: str) -> Node:
    """The text as a literal of another document."""
    header = "|+" if text.endswith("\n\n") else "|"
    lines = [f"    {line}\n" if line else "\n" for line in text.removesuffix("\n").split("\n")]
    root = parse(f"x:\n  a: {header}\n{''.join(lines)}").root
    assert isinstance(root, Map)
    inside = root.get("x")
    assert isinstance(inside, Map)
    value = inside.get("a")
    assert isinstance(value, Scalar)
    assert value.text == text
    return value


def test_odd_line_breaks() -> None:
    """A literal of another document goes on behind a line break that is none to a shift of its lines."""
    other = parse("x:\n    a: |\n        b\u2028        c\n").root
    assert isinstance(other, Map)
    inside = other.get("x")
    assert isinstance(inside, Map)
    value = inside.get("a")
    assert isinstance(value, Scalar)
    document = parse("a: |\n  x\nb: 1\n")
    assert isinstance(document.root, Map)
    document.root.set("a", value)

    assert yaml.safe_load(document.render()) == {"a": value.text, "b": 1}


def test_most_exchanges_need_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes with every preset is written without reading the whole text again."""
    monkeypatch.setattr("krmkit.yaml.splice._says_the_same", lambda *_: pytest.fail("it was read again"))
    document = parse("data:\n  a: |\n    x\n\n    y\n  # c\n  b: |\n    z\n")
    assert isinstance(document.root, Map)
    data = document.root.get("data")
    assert isinstance(data, Map)
    data.set("a", "x\n\nw: |\n  v\n")

    assert document.render() == "data:\n  a: |\n    x\n\n    w: |\n      v\n  # c\n  b: |\n    z\n"
