"""The plain reader: what it takes, what it leaves to libyaml, and what it does with long texts."""

from __future__ import annotations

import pytest

from krmkit.yaml.compose import Style
from krmkit.yaml.document import Document, parse
from krmkit.yaml.errors import YamlError
from krmkit.yaml.layout import last_node
from krmkit.yaml.limits import Limits
from krmkit.yaml.literal import WIDEST, Literal
from krmkit.yaml.plain import UnreadMap, read
from krmkit.yaml.tree import Map, Scalar, Seq
from krmkit.yaml.writer import Writer

TAKEN = [
    "a: 1\n",
    "a: 1",
    "---\na: 1\n",
    "# c\n\na: x y # c\n",
    "  a: 1\n  b: 2\n",
    "a:\nb:\n  c:\n",
    "a:\n- x\n-   y: 1\n    z: 2\n- - p\n  - q\n",
    "- a: 1\n- 'b'\n- \"c: d\"\n- -1\n",
    "a: [x, 'y', \"z\"]\nb: {c: d, e: 'f'}\nc: {}\nd: []\n",
    "a: |\n  x\n   y\n\n  z\nb: |-\n  #\nc: |+\n  t\n\n",
    "a: xé # ü\nb: |\n  ß\n",
    "a: # c\n  b: 1\n",
    "a.b/c-d: x:y#z\n",
]
LEFT = [
    "",
    "# c\n",
    "x\n",
    "a: &x 1\n",
    "a: *x\n",
    "a: !!str 1\n",
    "? a\n: b\n",
    '"a": 1\n',
    'a: "\\n"\n',
    "a: 'it''s'\n",
    "a: b\n  c\n",
    'a: "b\n  c"\n',
    "a: >\n  b\n",
    "a: |2\n   b\n",
    "a: | # c\n  b\n",
    "a: |\n\n",
    "a: |\nb: 1\n",
    "a: |\n    x\n  y\n",
    "a: |\n    x\n  # c\nb: 1\n",
    "a: |\n  \tx\n y\n",
    "a: |\n \tx\n",
    "a: [[b]]\n",
    "a: [b,\n  c]\n",
    "a: [b: c]\n",
    "a: {b}\n",
    "a: {b: c, b: d}\n",
    "a: ['b' c]\n",
    "a: [b] # c\n",
    "a: 1\n---\nb: 1\n",
    "a: 1\n...\n",
    "%YAML 1.1\n---\na: 1\n",
    "a: 1\na: 2\n",
    "a:\n  b: 1\n c: 2\n",
    "a:\n- x\n y: 1\n",
    "- x\na: 1\n",
    "a: - x\n",
    "a: b: c\n",
    "a: b:\n",
    "a: 'b' c\n",
    "a: 'b'# c\n",
    "a: \t1\n",
    "\ta: 1\n",
    "\t\na: 1\n",
    "a: \x07\n",
    "a: \u2028\n",
    "a: |\n  \x07\n",
    "a: \ud800\n",
    "\ufeffa: 1\n",
    "a: 1\r\n",
    "a\xa0: 1\n",
    "a: @b\n",
    "a: %b\n",
    "-\n  a: 1\n",
    f"{'k' * 1100}: 1\n",
]


@pytest.mark.parametrize("text", TAKEN)
def test_taken(text: str) -> None:
    """The document has its root, and is known to be plain. (That it is libyaml's tree: see the property tests.)"""
    document = Document(text)

    assert read(document)
    assert document.root is not None
    assert document.plain


@pytest.mark.parametrize("text", LEFT)
def test_left_to_libyaml(text: str) -> None:
    """Nothing was done."""
    document = Document(text)

    assert not read(document)
    assert (document.root, document.wide, document.plain) == (None, False, False)


def test_tabs() -> None:
    """They may stand in comments and in literals."""
    root = parse("# a\tb\na: |\n  x\ty\n  \tz\nb: 1 # c\n").root

    assert isinstance(root, Map)
    literal = root.get("a")
    assert isinstance(literal, Literal)
    assert literal.text == "x\ty\n\tz\n"


def test_a_key_twice() -> None:
    """libyaml's reader knows whether it may pass."""
    assert not read(Document("a: 1\na: 2\n"))
    root = parse("a: 1\na: 2\n", duplicates="keep").root
    assert isinstance(root, Map)
    assert root.keys() == ["a", "a"]
    with pytest.raises(YamlError, match='the key "a" stands twice'):
        parse("a: 1\na: 2\n")


@pytest.mark.parametrize(
    ("text", "depth"),
    [("a:\n  b:\n    c: 1\n", 3), ("- - - 1\n", 3), ("a:\n- b: []\n", 4), ("a: {b: c}\n", 2)],
)
def test_depth(text: str, depth: int) -> None:
    """As deep as the limits allow, and no deeper."""
    assert read(Document(text, Limits(depth=depth)))
    assert not read(Document(text, Limits(depth=depth - 1)))


@pytest.mark.parametrize("letter", ["x", "\u4e2d"])
def test_literal_of_many_windows(letter: str) -> None:
    """What stands behind it is found, wherever the windows end."""
    for extra in range(0, 40, 3):
        lines = [letter * (number % 50) for number in range(4 * WIDEST // 50)] + [letter * extra]
        body = "".join(f"    {line}\n" if line else "\n" for line in lines)
        root = parse(f"- a: |\n{body}  b: 1\n- c\n").root
        assert isinstance(root, Seq)
        first = root.items[0]
        assert isinstance(first, Map)
        literal = first.get("a")
        assert isinstance(literal, Literal)
        assert literal.text == "".join(f"{line}\n" for line in lines).rstrip("\n") + "\n"
        found = first.get("b")
        assert isinstance(found, Scalar)
        assert found.text == "1"
        assert len(root.items) == 2


def test_entries_are_made_when_they_are_asked_for() -> None:
    """Once, with the places of their keys and values; then the mapping is like any other."""
    root = parse("a: 'x' # c\nb:\n  c:  |\n    t\nd:\n").root
    assert isinstance(root, UnreadMap)
    assert root.unread
    with pytest.raises(AttributeError, match="other"):
        _ = root.other

    first, second, third = root.entries

    assert type(root) is Map
    assert not root.unread
    assert root.entries[1] is second
    places = [(entry.key.start, entry.key.end, entry.value.start, entry.value.end) for entry in root]
    assert places == [(0, 1, 3, 6), (11, 12, 16, 27), (28, 29, 30, 30)]
    assert isinstance(first.value, Scalar)
    assert (first.value.text, first.value.style, first.name) == ("x", "'", "a")
    assert second.value.unread
    assert isinstance(third.value, Scalar)
    assert third.value.text == ""


def test_what_nobody_asked_for_is_not_walked_through() -> None:
    document = parse("a:\n  b: 1\nc:\n- d: |\n    t\n- e\nf:\n  g:\n    h: 1\n")
    root = document.root
    assert isinstance(root, Map)
    other = root.get("f")
    assert isinstance(other, Map)
    other.set("i", 2)
    writer = Writer(document, Style())
    writer.node(root)

    assert [new for _, _, new in writer.edits] == ["\n  i: 2"]
    unread = root.get("a")
    assert unread is not None
    assert unread.unread


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a:\n  b: c\n", (8, 9)),
        ("a:\n  b: 'c' # d\n", (8, 11)),
        ("a:\n  b: |\n   c\n", (8, 14)),
        ("a:\n", (2, 2)),
    ],
)
def test_last_node(text: str, place: tuple[int, int]) -> None:
    """It is known without making any entry."""
    root = parse(text).root
    assert root is not None
    last = last_node(root)

    assert (last.start, last.end) == place
    assert root.unread
