"""Comments that are new upstream come along, where nobody changed the local ones: as `kpt pkg update` has it."""

from __future__ import annotations

from collections import Counter

import pytest

from krmkit.kpt.merge.comments import merge_comments, put_back

HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n"

# (name, base, upstream, local, merged data as text, expected)
CASES = [
    (
        "a new field with its comments",
        "",
        "  # above\n  n: 1 # behind\n",
        "",
        "  n: 1\n",
        "  # above\n  n: 1 # behind\n",
    ),
    (
        "a new mapping",
        "",
        "  m: # of it\n    # inside\n    d: 1\n",
        "",
        "  m:\n    d: 1\n",
        "  m: # of it\n    # inside\n    d: 1\n",
    ),
    (
        "a changed value",
        "  a: 1 # old\n",
        "  a: 2 # new\n",
        "  a: 1 # old\n",
        "  a: 2 # old\n",
        "  a: 2 # new\n",
    ),
    ("only the comment", "  a: 1\n", "  a: 1 # new\n", "  a: 1\n", "  a: 1\n", "  a: 1 # new\n"),
    (
        "a comment that goes",
        "  # x\n  a: 1 # y\n",
        "  a: 1\n",
        "  # x\n  a: 1 # y\n",
        "  # x\n  a: 1 # y\n",
        "  a: 1\n",
    ),
    (
        "local comments stay",
        "  a: 1\n",
        "  a: 2 # theirs\n",
        "  a: 1 # mine\n",
        "  a: 2 # mine\n",
        "  a: 2 # mine\n",
    ),
    (
        "a local value keeps its comment",
        "  a: 1 # x\n",
        "  a: 1 # y\n",
        "  a: 9 # x\n",
        "  a: 9 # x\n",
        "  a: 9 # x\n",
    ),
    ("a comment removed locally", "  a: 1 # x\n", "  a: 1 # y\n", "  a: 1\n", "  a: 1\n", "  a: 1\n"),
    ("made on both sides", "", "  a: 1 # y\n", "  a: 1\n", "  a: 1\n", "  a: 1\n"),
    ("a sign in a text", "", '  a: "x # y"\n', "", '  a: "x # y"\n', '  a: "x # y"\n'),
    (
        "behind a sign in a text",
        '  a: "# b"\n',
        '  a: "# b" # c\n',
        '  a: "# b"\n',
        '  a: "# b"\n',
        '  a: "# b" # c\n',
    ),
    (
        "a block scalar",
        "  a: |\n    # t\n",
        "  # new\n  a: |\n    # t\n",
        "  a: |\n    # t\n",
        "  a: |\n    # t\n",
        "  # new\n  a: |\n    # t\n",
    ),
    (
        "an element of a list with names",
        "  l:\n  - name: x\n    v: 1\n  - name: y\n    v: 1\n",
        "  l:\n  - name: x\n    v: 1\n  - name: y\n    # why\n    v: 1 # y\n",
        "  l:\n  - name: y\n    v: 1\n",
        "  l:\n  - name: y\n    v: 1\n",
        "  l:\n  - name: y\n    # why\n    v: 1 # y\n",
    ),
    (
        "elements without names",
        "  l:\n  - 1\n",
        "  l: # l\n  - 1 # x\n",
        "  l:\n  - 1\n",
        "  l:\n  - 1\n",
        "  l: # l\n  - 1\n",
    ),
    ("a flow list", "  l: [a]\n", "  l: [a] # l\n", "  l: [a]\n", "  l: [a]\n", "  l: [a] # l\n"),
    (
        "several lines above",
        "  a: 1\n",
        "  # one\n  #   two\n  a: 1\n",
        "  a: 1\n",
        "  a: 1\n",
        "  # one\n  #   two\n  a: 1\n",
    ),
    ("nothing is written at all", "  a:\n", "  a: # none\n", "  a:\n", "  a:\n", "  a: # none\n"),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_comments(case: tuple[str, ...]) -> None:
    """Each case says what base, upstream and local hold below `data`."""
    _, base, upstream, local, merged, expected = case

    assert merge_comments(HEAD + base, HEAD + upstream, HEAD + local, HEAD + merged) == HEAD + expected


def test_above_the_resource() -> None:
    """A licence, for example; another indent and order of fields do not matter."""
    base, upstream = "# 2024\nkind: A\nspec:\n  a: 1\n", "# 2025\n\n# more\nkind: A\nspec:\n  a: 1 # a\n"
    local = "# 2024\nkind: A\nspec:\n    b: 2\n    a: 1\n"

    merged = merge_comments(base, upstream, local, local)

    assert merged == "# 2025\n\n# more\nkind: A\nspec:\n    b: 2\n    a: 1 # a\n"


@pytest.mark.parametrize(
    "text",
    [
        "a: [",
        "- a\n",
        "",
        "a: 1\r",
        "a: &x 1\nb: *x\n",
        "? [a]\n: 1\n",
        "{a: 1}\n",
        "a: 'x\n\n  y'\n",
        "\ufeffa: 1\n",
        "a:\tx\n",
    ],
)
def test_odd_texts_stay(text: str) -> None:
    """What cannot be read, or has no place for a comment, stays as it is."""
    merged = merge_comments("a: 1\n", "a: 1 # x\nb: 1 # y\n", text, text)

    assert merged == text


PUT_BACK = [
    pytest.param("a: 1 # x\nb: 2\n", "a: 1\nb: 2\n", ["# x"], "a: 1 # x\nb: 2\n", id="behind a value"),
    pytest.param("# x\na: 1\n", "a: 1\n", ["# x"], "# x\na: 1\n", id="above a line"),
    pytest.param("m:\n  # x\n  a: 1\n", "m:\n  a: 1\n", ["# x"], "m:\n  # x\n  a: 1\n", id="with its indent"),
    pytest.param("a: 1\n# x\n", "a: 1\n", ["# x"], "a: 1\n# x\n", id="behind all"),
    pytest.param("a: 1\n# x", "a: 1", ["# x"], "a: 1\n# x", id="behind all, without a line end"),
    pytest.param("a: 1 # x\r\n", "a: 1\r\n", ["# x"], "a: 1 # x\r\n", id="carriage returns"),
    pytest.param("a: 1 # x\nb: 2 # x\n", "a: 1\nb: 2\n", ["# x"], "a: 1 # x\nb: 2\n", id="one of two"),
    pytest.param(
        "# x\na: 1\n# x\nb: 2\n", "a: 1\nb: 2\n", ["# x"], "# x\na: 1\nb: 2\n", id="one of two above"
    ),
    pytest.param("a: 1 # x\n", "a: 2\n", ["# x"], "a: 2\n", id="the line changed"),
    pytest.param("a: 1 # x\n", "a: 1 # x\n", ["# x"], "a: 1 # x\n", id="nothing lost"),
]


@pytest.mark.parametrize(("local", "text", "added", "expected"), PUT_BACK)
def test_comments_that_are_put_back(local: str, text: str, added: list[str], expected: str) -> None:
    """Each once, beside the line that it was beside; not where that line is gone."""
    assert put_back(text, local, Counter(added)) == expected


def test_no_comment_gets_into_a_text() -> None:
    """A line of a block scalar that looks like the comment's line keeps the text as it is."""
    text = "t: |\n  a: 1\nb: 2\n"

    assert put_back(text, "a: 1 # x\n", Counter(["# x"])) == text


def test_mixed_line_ends_stay() -> None:
    """Where a line ends in another way than the others, no comment is brought."""
    base, upstream = HEAD + "  a: 1\n", HEAD + "  a: 1 # new\n"
    mixed = base.replace("\n", "\r\n", 2)

    assert merge_comments(base, upstream, base, mixed) == mixed
