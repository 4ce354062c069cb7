"""krmkit.libraries.cel.tree: what is read from the bytes of a checked expression."""

from __future__ import annotations

import pytest
from cel_expr_python import cel

from krmkit.libraries.cel.tree import CheckedTree

NAMES = {"one": "INT", "two": "STRING", "any": "DYN"}


def tree(text: str) -> CheckedTree:
    """The tree of an expression over an integer, a string and a dynamic value."""
    env = cel.NewEnv(variables={name: getattr(cel.Type, kind) for name, kind in NAMES.items()})
    return CheckedTree(env.compile(text).serialize(), text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1 + 2", set()),
        ("one + 1", {"one"}),
        ("any.field.other", {"any"}),
        ("[one, size(two)]", {"one", "two"}),
        ("{two: one}", {"one", "two"}),
        ("has(any.x) ? two : ''", {"any", "two"}),
        ("any[one]", {"any", "one"}),
        ("two.startsWith('one')", {"two"}),
    ],
)
def test_names(text: str, names: set[str]) -> None:
    """Identifiers are found wherever they stand; fields and texts are none."""
    assert tree(text).names() == names


@pytest.mark.parametrize("text", ["[1, 2].exists(x, x > one)", "[1].map(x, x + one)", "[1].all(x, x == one)"])
def test_names_in_macros(text: str) -> None:
    """The body of a macro counts; the name that it binds is among those found."""
    assert {"one", "x"} <= tree(text).names()


MIXED: list[tuple[str, list[str]]] = [
    ("[1, 2]", []),
    ("[1, any]", []),
    ("[any, 'a']", []),
    ("[[], [1]]", []),
    ("{'a': 1, 'b': any}", []),
    ("[null, any]", []),
    ("[duration('1s'), null]", []),
    ("[type(1), type('a')]", []),
    ("[1, 'a']", ["expected type 'int' but found 'string'"]),
    ("[1, null]", ["expected type 'int' but found 'null'"]),
    ("[1, 1u, 1.0]", ["expected type 'int' but found 'uint'", "expected type 'int' but found 'double'"]),
    ("[true, b'x']", ["expected type 'bool' but found 'bytes'"]),
    ("[[1], ['a']]", ["expected type 'list(int)' but found 'list(string)'"]),
    ("[{'a': 1}, {1: 1}]", ["expected type 'map(string, int)' but found 'map(int, int)'"]),
    (
        "{'a': 1, 2: 'b'}",
        ["expected type 'string' but found 'int'", "expected type 'int' but found 'string'"],
    ),
    ("[[1, 'a'], [2]]", ["expected type 'int' but found 'string'"]),
    (
        "[timestamp('2020-01-01T00:00:00Z'), duration('1s')]",
        ["expected type 'google.protobuf.Timestamp' but found 'google.protobuf.Duration'"],
    ),
]


@pytest.mark.parametrize(("text", "messages"), MIXED, ids=[case[0] for case in MIXED])
def test_mixed_literals(text: str, messages: list[str]) -> None:
    """Elements of a literal must have types that join; each that does not is a message."""
    found = [message.partition("\n")[0] for message in tree(text).mixed_literals()]

    assert [message.partition(": ")[2].partition(": ")[2] for message in found] == messages


def test_place_of_a_message() -> None:
    """Line, column, the line itself, and a mark below the column."""
    (message,) = tree("[1,\n  'a']").mixed_literals()

    assert message == "ERROR: <input>:2:3: expected type 'int' but found 'string'\n |   'a']\n | ..^"


def test_long_numbers() -> None:
    """Positions and lengths above 127 take more than one byte."""
    text = f"['{'x' * 300}', 'b', 1]"
    (message,) = tree(text).mixed_literals()

    assert f"<input>:1:{text.index('1]') + 1}:" in message
