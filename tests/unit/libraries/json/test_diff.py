"""The patch between two documents: what it says, and that it leads from the one to the other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krmkit.libraries.json.diff import diff
from krmkit.libraries.json.equal import json_equal
from krmkit.libraries.json.patch import patched

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab/~", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("ab/~", max_size=2), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param({"m": {"a": 1, "b": 2}}, {"m": {"b": 2, "a": 1}}, [], id="another order"),
        pytest.param(
            {"m": {"a": 1, "b": 2}},
            {"m": {"b": 3, "a": 1}},
            [{"op": "replace", "path": "/m", "value": {"b": 3, "a": 1}}],
            id="another order and value",
        ),
        pytest.param({"a": 1}, {"a": 1.0}, [], id="equal numbers"),
        pytest.param(
            {"a": 1}, {"a": True}, [{"op": "replace", "path": "/a", "value": True}], id="true is not 1"
        ),
        pytest.param({"a": None}, {}, [{"op": "remove", "path": "/a"}], id="null is a value"),
        pytest.param({}, {"a/b~": 1}, [{"op": "add", "path": "/a~1b~0", "value": 1}], id="escaped key"),
        pytest.param([1, 3], [1, 2, 3], [{"op": "add", "path": "/1", "value": 2}], id="inserted"),
        pytest.param([1, 2, 3], [1, 3], [{"op": "remove", "path": "/1"}], id="removed"),
        pytest.param(
            [{"a": 1}], [{"a": 2}], [{"op": "replace", "path": "/0/a", "value": 2}], id="inside an item"
        ),
        pytest.param(
            {"a": [1]}, {"a": {}}, [{"op": "replace", "path": "/a", "value": {}}], id="another type"
        ),
    ],
)
def test_operations(before: Any, after: Any, expected: list[Any]) -> None:
    """Nothing is written that is the same."""
    assert diff(before, after) == expected


@given(
    before=st.dictionaries(st.text("ab", min_size=1, max_size=2), JSON),
    after=st.dictionaries(st.text("ab", min_size=1, max_size=2), JSON),
)
def test_the_patch_leads_there(before: Any, after: Any) -> None:
    """Applied to the first document it gives the second, and what is equal has no patch."""
    assert json_equal(patched(diff(before, after), before), after)
    assert diff(after, after) == []
