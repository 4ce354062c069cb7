"""Edits of odd texts: written right, or refused with the reason."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.editing.edit import render
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Map, Seq

Edit = Callable[[Map], object]


def child(root: Map, name: str) -> Map:
    """The mapping under a name."""
    found = root.get(name)
    assert isinstance(found, Map)
    return found


def items(root: Map, name: str) -> Seq:
    """The list under a name."""
    found = root.get(name)
    assert isinstance(found, Seq)
    return found


FLOW = "b:\r\n  {p: 1,\r\n   q: two\r\n   words}\r\nc: 1\r\n"
CASES: list[tuple[str, str, Edit, str]] = [
    ("CRLF beside a flow mapping over lines", FLOW, lambda r: r.set("c", 2), FLOW.replace("c: 1", "c: 2")),
    (
        "CRLF inside a flow mapping over lines",
        FLOW,
        lambda r: child(r, "b").set("p", 2),
        FLOW.replace("p: 1", "p: 2"),
    ),
    ("LF and CRLF mixed", "a: 1\nb: 2\r\nc: 3\n", lambda r: r.set("c", 4), "a: 1\nb: 2\r\nc: 4\n"),
    (
        "CRLF at the last line without a break",
        "a: 1\r\nb: 2",
        lambda r: r.set("c", "x"),
        "a: 1\r\nb: 2\r\nc: x",
    ),
    (
        "a comma in a comment",
        "a: {\n  x: 1 # it, is\n  , y: 2}\n",
        lambda r: child(r, "a").set("x", 3),
        "a: {\n  x: 3 # it, is\n  , y: 2}\n",
    ),
    (
        "a comma in a comment, beside a removed key",
        "a: {\n  x: 1 # it, is\n  , y: 2}\n",
        lambda r: child(r, "a").remove("y"),
        "a: {\n  x: 1 # it, is\n  }\n",
    ),
    (
        "a comment behind a removed value goes with it, the others stay",
        "a: [ # c1\n  x, # c2\n  y]\n",
        lambda r: items(r, "a").remove(0),
        "a: [ # c1\n  y]\n",
    ),
    (
        "a comment behind the last value stays with it",
        "a: [\n  x # last, one\n  ]\n",
        lambda r: items(r, "a").append("z"),
        "a: [\n  x, # last, one\n  z\n  ]\n",
    ),
    (
        "a comment below the only value stays when that is removed",
        "a: [\n  x\n  # more to come\n]\n",
        lambda r: items(r, "a").remove(0),
        "a: [\n  # more to come\n]\n",
    ),
    (
        "a comment above a value moves with it",
        "a: [\n  # one\n  x,\n  # two\n  y\n]\n",
        lambda r: items(r, "a").remove(0),
        "a: [\n  # two\n  y\n]\n",
    ),
    (
        "comments inside of pairs",
        "a: [b: 1 # one\n  , c]\n",
        lambda r: items(r, "a").append("d"),
        "a: [b: 1 # one\n  , c, d]\n",
    ),
    ("a number sign behind a quote", 'a: "1"#one\nb: 2\n', lambda r: r.set("a", "x"), 'a: "x" #one\nb: 2\n'),
    ("a number sign behind brackets", "a: []#c\nb: 2\n", lambda r: r.set("a", 1), "a: 1 #c\nb: 2\n"),
    (
        "a number sign behind brackets that open up",
        "a: {}#none\nb: 2\n",
        lambda r: child(r, "a").set("x", 1),
        "a: #none\n  x: 1\nb: 2\n",
    ),
    (
        "a number sign behind a value that becomes a block",
        "a: []#c\nb: 2\n",
        lambda r: r.set("a", {"x": 1}),
        "a: #c\n  x: 1\nb: 2\n",
    ),
    ("the first key behind a byte order mark", "\ufeffa: 1\nb: 2\n", lambda r: r.remove("a"), "\ufeffb: 2\n"),
    (
        "a key in front, behind a byte order mark",
        "\ufeffa: 1\n",
        lambda r: r.insert(0, "z", 1),
        "\ufeffz: 1\na: 1\n",
    ),
    (
        "an anchor on a line of its own",
        "a:\n  &x\n  p: 1\nb: 2\n",
        lambda r: child(r, "a").set("q", 2),
        "a:\n  &x\n  p: 1\n  q: 2\nb: 2\n",
    ),
    (
        "a key in front of the first, below an anchor",
        "a:\n  &x\n  p: 1\nb: 2\n",
        lambda r: child(r, "a").insert(0, "q", 2),
        "a:\n  &x\n  q: 2\n  p: 1\nb: 2\n",
    ),
    (
        "an emptied mapping below an anchor",
        "a:\n  &x\n  p: 1\nb: 2\n",
        lambda r: child(r, "a").remove("p"),
        "a:\n  &x {}\nb: 2\n",
    ),
    (
        "an emptied list below an anchor less deep",
        "a:\n &x\n- b\n",
        lambda r: items(r, "a").remove(0),
        "a:\n &x []\n",
    ),
    (
        "a tag on a line of its own",
        "a:\n  !!map\n  b: 1\n  c: 2\n",
        lambda r: child(r, "a").remove("b"),
        "a:\n  !!map\n  c: 2\n",
    ),
    ("an alias as a key", "a: &b x\n*b : y\n", lambda r: r.remove("a"), "x : y\n"),
    ("an alias as a key stays", "a: &b x\n*b : y\n", lambda r: r.set("c", 1), "a: &b x\n*b : y\nc: 1\n"),
    ("a key without a value at the end", "? a\n? b\n", lambda r: r.remove("b"), "? a\n"),
    (
        "a comment between a key and its value",
        "a:\n  # why\n  old # c\nb: 1\n",
        lambda r: r.set("a", "new"),
        "a:\n  # why\n  new # c\nb: 1\n",
    ),
    (
        "a comment between a key and its value, which becomes a block",
        "a:\n  # why\n  old # c\nb: 1\n",
        lambda r: r.set("a", {"x": 1}),
        "a:\n  # why\n   # c\n  x: 1\nb: 1\n",
    ),
    (
        "a comment deeper than the first dash",
        "a:\n    # deep\n- x\n- y\n",
        lambda r: items(r, "a").remove(1),
        "a:\n    # deep\n- x\n",
    ),
    (
        "the comment of an item whose value is replaced",
        "a:\n# about x\n- x # c\n- y\n",
        lambda r: items(r, "a").replace(0, "z"),
        "a:\n# about x\n- z # c\n- y\n",
    ),
    (
        "letters beyond ASCII in front of the place",
        "ä: ö # ü\nb: é # ☃\nc: 1\n",
        lambda r: r.set("b", "😀x"),
        'ä: ö # ü\nb: "\\U0001F600x" # ☃\nc: 1\n',
    ),
]


@pytest.mark.parametrize(
    ("text", "edit", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_edit(text: str, edit: Edit, expected: str) -> None:
    """Exactly the intended lines change, and the text says what the tree says."""
    document = parse(text)
    assert isinstance(document.root, Map)
    edit(document.root)

    rendered = render(document)

    assert rendered == expected
    assert go_data(parse(rendered).root) == go_data(document.root)


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("a: 1 # note\u2028b: 2\nc: 3\n", "c", "LINE SEPARATOR"),
        ("a: 1\rb: 2\rc: 3\r", "b", "carriage return"),
        ("a: 1\x85b: 2\n", "b", "NEXT LINE"),
        ("a: 1\n \t\nb: 2\n", "a", "would be no YAML"),
    ],
)
def test_refused(text: str, name: str, words: str) -> None:
    """What cannot be done right is not done, and the message says why."""
    document = parse(text)
    assert isinstance(document.root, Map)
    document.root.remove(name)

    with pytest.raises(YamlError, match=words):
        render(document)


def test_a_list_behind_a_byte_order_mark() -> None:
    """Items move as anywhere else."""
    document = parse("\ufeff- 1\n- 2\n")
    root = document.root
    assert isinstance(root, Seq)
    root.reorder([1, 0])
    root.insert(0, 0)

    assert render(document) == "\ufeff- 0\n- 2\n- 1\n"


def test_many_copies_of_an_anchor_that_is_gone() -> None:
    """The copies that take the place of aliases are counted together."""
    aliases = "".join(f"b{number}: *x\n" for number in range(400))
    document = parse("a: &x [" + "1, " * 400 + "1]\n" + aliases)
    assert isinstance(document.root, Map)
    document.root.remove("a")

    with pytest.raises(YamlError, match="expansion of aliases"):
        render(document)


@pytest.mark.parametrize(
    "value", ["!!int ten", "!!bool '1'", "!!null x", '!!int "99999999999999999999999999"']
)
def test_a_value_that_contradicts_its_tag(value: str) -> None:
    """An edit elsewhere hands it on as it came; who reads it is told."""
    document = parse(f"a: {value}\n? ''\n: {value}\nc: 1\n")
    assert isinstance(document.root, Map)
    document.root.set("c", 2)

    assert render(document) == f"a: {value}\n? ''\n: {value}\nc: 2\n"
    with pytest.raises(YamlError, match="cannot read"):
        go_data(document.root)
