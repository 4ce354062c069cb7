"""The values of a text in one pass: those of the tree, with the places of keys and elements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krmkit.krm.resource import Resource
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.fields import fields_of

TEXT = """\
# A comment.
a:
- b: 1
  "c": 0x10
- [x, {y: null}]
-
  - ~
d: {}
e: []
"f g": |
  text
"""


def test_values_and_places() -> None:
    """Every scalar and empty collection by Go's rules; lines and columns from 1."""
    found = fields_of(TEXT)

    assert found is not None
    assert found.values == {
        ("a", 0, "b"): 1,
        ("a", 0, "c"): 16,
        ("a", 1, 0): "x",
        ("a", 1, 1, "y"): None,
        ("a", 2, 0): None,
        ("d",): {},
        ("e",): [],
        ("f g",): "text\n",
    }
    assert found.marks[("a",)] == (2, 1)
    assert found.marks[("a", 0)] == (3, 3)
    assert found.marks[("a", 0, "c")] == (4, 3)
    assert found.marks[("a", 1, 1, "y")] == (5, 8)
    assert found.marks[("f g",)] == (10, 1)


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1\nb: *x\n",
        "a: !!str 1\n",
        "<<: {a: 1}\n",
        "? [a]\n: 1\n",
        "a: 1\na: 2\n",
        "a: 1\n---\nb: 1\n",
        "a: [1\n",
    ],
    ids=["anchors", "tags", "merges", "a key that is a list", "a key twice", "two documents", "broken"],
)
def test_what_a_tree_reads(text: str) -> None:
    """What is not plain is left to the tree, or is not YAML."""
    assert fields_of(text) is None


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.text(max_size=8),
    st.floats(allow_nan=False, allow_infinity=False),
)
DATA = st.dictionaries(
    st.text(min_size=1, max_size=5).filter(lambda key: key != "<<"),
    st.recursive(
        SCALARS,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=3), inner, max_size=3)
        ),
        max_leaves=8,
    ),
    max_size=4,
)


def flat(value: object, path: tuple[str | int, ...], found: dict[tuple[str | int, ...], object]) -> None:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not value or not isinstance(value, dict | list):
        found[path] = value
    for key, below in pairs:
        flat(below, (*path, key), found)


@given(DATA)
def test_equal_to_the_tree(data: dict[str, object]) -> None:
    """Any data that is written without anchors reads as the tree reads it, in the same order."""
    text = emit.document(data)
    expected: dict[tuple[str | int, ...], object] = {}
    found = fields_of(text)
    if found is not None:
        flat(Resource(text).get(), (), expected)

        assert [*found.values.items()] == [*expected.items()]


def test_deep_nesting_is_left_to_the_tree() -> None:
    """Nesting that the tree reads within its limit is not read here, so that no text exhausts Python's stack."""
    assert fields_of("[" * 100 + "]" * 100) is not None
    assert fields_of("[" * 20_000 + "]" * 20_000) is None
