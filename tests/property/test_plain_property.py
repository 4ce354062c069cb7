"""What the plain reader takes, it reads as libyaml does: the same tree, with the same places."""

from __future__ import annotations

import random
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from krmkit.yaml import literal, plain
from krmkit.yaml.document import Document
from krmkit.yaml.errors import YamlError
from krmkit.yaml.events import read_events
from krmkit.yaml.limits import DEFAULT_LIMITS
from krmkit.yaml.tree import Alias, Map, Node, Scalar, Seq
from tests.property.test_edit_property import Writer

ROOT = Path(__file__).resolve().parents[2]
PIECES = [
    "a: ", "b:", "- ", "-", "- - x", "- k: v", "a", "é", "~", "<<: ", ": ", ":", "? ", "|", "|-", "|+", "|2", ">", "k: |\n  t\n",
    "- |\n", "key: - x", "k: v # c", "# c", " #x", "k: # c", "- # c", "'s'", '"q"', "'", '"', "k: 'it''s'", 'k: "a\\n"',
    'k: "a" #c', 'k: ""', "- ''", '"k": v', "{}", "[]", "[ ]", "{a: b}", '[a, "b"]', "{", "[", ",", "&a v", "*a", "!!str ",
    "---", "...", "%", "@", "\t", "\u2028", "\x07", "\xa0", "\n", "\n", "\n", "\n\n", "  \n", "   \n", "  ", "  ", " ", "    ",
]  # fmt: skip
KEYS = ["a", "b", "c-d", "e.f/g", "- ", "- a", "- - b", "#x", ""]
ENDS = [
    ":", ": v", ": v  # c", ": |", ": |-", ": |+", ": {}", ": [x, 'y, z']", ': {p: "q"}', ': "z"', ": 'z' # c", ":  w ",
]  # fmt: skip
ODD_ENDS = ["", " ", ": -", ": - a", ": |2", ": &x y", ": 'a' b"]


def told(node: Node | None) -> object:
    """A tree as tuples."""
    if node is None:
        return None
    place = (node.kind, node.start, node.end, node.anchor, node.tag)
    if isinstance(node, Map):
        return *place, node.flow, [(told(entry.key), told(entry.value)) for entry in node.entries]
    if isinstance(node, Seq):
        return *place, node.flow, [told(item) for item in node.items]
    if isinstance(node, Alias):
        return *place, node.name
    assert isinstance(node, Scalar)
    return *place, node.style, node.text


def by_events(text: str) -> object:
    """The one document of a text as libyaml tells it; the error where it refuses the text."""
    try:
        documents = read_events(text, DEFAULT_LIMITS)
    except YamlError as error:
        return str(error)
    return [(told(document.root), document.wide) for document in documents]


def check(text: str) -> bool:
    """Holds both ways of reading against each other; whether the text is plain."""
    document = Document(text)
    taken = plain.read(document)
    if taken:
        assert [(told(document.root), document.wide)] == by_events(text)
    else:
        assert (document.root, document.wide, document.plain) == (None, False, False)
    return taken


def lines_of(source: random.Random) -> str:
    """Lines that go well together often enough."""
    lines = [
        " " * source.choice([0, 0, 2, 2, 4, 4, 6, 1])
        + source.choice(KEYS)
        + source.choice(ENDS if source.random() < 0.95 else ODD_ENDS)
        for _ in range(source.randint(1, 7))
    ]
    return "\n".join(lines) + source.choice(["", "\n", "\n\n", "\n  "])


@settings(max_examples=1500)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.sampled_from([512, 7]))
@example("a:   \n- |\n    a: b\n    ", 512)
@example("k: |\n  t\n   \n  ", 512)
@example("a: |\n  x\n\n# c\n  # d\nb: 1", 1)
def test_pieces(text: str, window: int) -> None:
    with mock.patch.object(literal, "WINDOW", window), mock.patch.object(plain, "WINDOW", window):
        check(text)


@settings(max_examples=1500)
@given(st.randoms(use_true_random=False), st.sampled_from([512, 1, 30]))
def test_lines(source: random.Random, window: int) -> None:
    with mock.patch.object(literal, "WINDOW", window), mock.patch.object(plain, "WINDOW", window):
        check(lines_of(source))


@settings(max_examples=400)
@given(st.randoms(use_true_random=False))
def test_documents_of_all_kinds(source: random.Random) -> None:
    check(Writer(source).text())


def test_lines_are_plain_often_enough() -> None:
    """Else the properties would say nothing."""
    source = random.Random(1)

    assert sum(check(lines_of(source)) for _ in range(3000)) > 200


FILES = [
    path
    for folder in ("functions", "examples", "docs", "deploy", "tests")
    for path in (ROOT / folder).rglob("*.yaml")
]


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(ROOT)) for path in FILES])
def test_files_at_hand(path: Path) -> None:
    """Each of the project's files, and each of its lines left out once."""
    lines = path.read_text("utf-8").split("\n")
    check("\n".join(lines))
    for number in range(0, len(lines), 1 + len(lines) // 20):
        check("\n".join(lines[:number] + lines[number + 1 :]))


def test_most_files_at_hand_are_plain() -> None:
    taken = [check(path.read_text("utf-8")) for path in FILES]

    assert sum(taken) > len(taken) / 2
