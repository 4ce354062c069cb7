"""Fields by path, and copies with one field changed."""

from __future__ import annotations

import pytest

from krmkit.libraries.json.equal import json_equal
from krmkit.libraries.schema.errors import SchemaError
from krmkit.libraries.schema.fields import MISSING, drop, find, leaves, lookup, mapping, put


def test_a_missing_field_and_a_null_differ() -> None:
    """`lookup` tells what is absent from what is null; `find` gives its default for the former only."""
    assert lookup({"a": {"b": None}}, ("a", "b")) is None
    assert lookup({"a": {"b": None}}, ("a", "c")) is MISSING
    assert find({"a": []}, ("a", "b"), 1) == 1
    assert mapping({"a": 1}, "a") == {}


def test_put_copies_only_the_path() -> None:
    """The old data stay, and what lies beside the path is shared."""
    old = {"a": {"b": 1}, "c": {}}

    new = put(old, ("a", "d", "e"), 2)

    assert new == {"a": {"b": 1, "d": {"e": 2}}, "c": {}}
    assert old == {"a": {"b": 1}, "c": {}}
    assert new["c"] is old["c"]


def test_put_does_not_lead_through_scalars() -> None:
    """The error says which part of the path is not a mapping."""
    with pytest.raises(SchemaError, match=r"\.a\.b is not a mapping, but integer"):
        put({"a": {"b": 1}}, ("a", "b", "c"), 2)


def test_drop_leaves_what_is_absent() -> None:
    """Nothing to drop gives the same object."""
    data = {"a": {"b": 1, "c": 2}}

    assert drop(data, ("a", "b")) == {"a": {"c": 2}}
    assert drop(data, ("x", "y")) is data
    assert data == {"a": {"b": 1, "c": 2}}


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ({"a": [1]}, {"a": [1.0]}, True),
        (1, True, False),
        ([0], [False], False),
        ({"a": None}, {}, False),
        ([1, 2], [2, 1], False),
    ],
)
def test_json_values_compare_by_their_json_types(left: object, right: object, equal: bool) -> None:
    """Numbers compare by value; booleans are no numbers."""
    assert json_equal(left, right) is equal


@pytest.mark.parametrize(
    ("value", "keys", "expected"),
    [
        ({"a": [1, {"b": "x"}], "c": None}, False, ["1", "None", "x"]),
        ({"a": [1, {"b": "x"}]}, True, ["1", "a", "b", "x"]),
        ([[], {}], True, []),
        (5, False, ["5"]),
    ],
)
def test_leaves(value: object, keys: bool, expected: list[str]) -> None:
    """Everything that is neither a mapping nor a list, with keys if they are asked for."""
    assert sorted(map(str, leaves(value, keys))) == expected
