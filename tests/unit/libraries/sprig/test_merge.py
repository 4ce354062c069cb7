"""Merges follow mergo: what counts as empty, what is shared, what a nil does."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.core.values import NilList
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.sprig import call

D = dict[str, object]


@pytest.mark.parametrize(
    ("target", "source", "merged", "overwritten"),
    [
        pytest.param({"a": 1}, {"a": 2, "b": 3}, {"a": 1, "b": 3}, {"a": 2, "b": 3}, id="scalars"),
        pytest.param({"a": 0}, {"a": 7}, {"a": 7}, {"a": 7}, id="an empty value is filled"),
        pytest.param({"a": 7}, {"a": 0}, {"a": 7}, {"a": 0}, id="an empty value overwrites"),
        pytest.param({}, {"a": None}, {}, {"a": None}, id="nil is not filled in, but overwrites"),
        pytest.param({"a": [1]}, {"a": [2, 3]}, {"a": [1]}, {"a": [2, 3]}, id="lists are not joined"),
        pytest.param({"a": [1]}, {"a": []}, {"a": [1]}, {"a": []}, id="an empty list overwrites"),
        pytest.param(
            {"a": []}, {"a": {"b": 1}}, {"a": {"b": 1}}, {"a": {"b": 1}}, id="an empty list is filled"
        ),
        pytest.param(
            {"a": {"x": 1}}, {"a": {}}, {"a": {"x": 1}}, {"a": {"x": 1}}, id="an empty map adds nothing"
        ),
        pytest.param({"a": {}}, {"a": 1}, {"a": 1}, {"a": 1}, id="an empty map gives way"),
        pytest.param({"a": {"x": 1}}, {"a": [1]}, {"a": {"x": 1}}, {"a": [1]}, id="a list in place of a map"),
        pytest.param(
            {"a": {"x": {"p": 1}}},
            {"a": {"x": {"p": 2, "q": 3}, "y": 4}},
            {"a": {"x": {"p": 1, "q": 3}, "y": 4}},
            {"a": {"x": {"p": 2, "q": 3}, "y": 4}},
            id="maps merge all the way down",
        ),
        pytest.param({"a": 1}, {"a": NilList()}, {"a": 1}, {"a": []}, id="a nil list is a list"),
    ],
)
def test_merge(target: D, source: D, merged: D, overwritten: D) -> None:
    """merge keeps what the target has, mergeOverwrite takes what the source has."""
    assert call("merge", call("deepCopy", target), source) == merged
    assert call("mergeOverwrite", call("deepCopy", target), source) == overwritten


def test_the_target_is_changed_and_nested_maps_are_shared() -> None:
    """A nested map that was taken over is the source's own; a later merge changes the source."""
    target: D = {}
    first: D = {"a": {"x": 1}}

    assert call("mergeOverwrite", target, first, {"a": {"x": 2}}) is target
    assert first == {"a": {"x": 2}}


def test_nil_dicts() -> None:
    """A nil target is made, a nil source is passed over."""
    assert call("merge", None, {"a": 1}) == {"a": 1}
    assert call("merge", {"a": 1}, None) == {"a": 1}
    assert call("merge", None, None) is None


def test_loops_are_refused() -> None:
    """A dict that contains itself ends in an error."""
    first: D = {"x": 1}
    first["self"] = first
    second: D = {"y": 1}
    second["self"] = second

    with pytest.raises(GoError, match="contains itself"):
        call("merge", first, second)
