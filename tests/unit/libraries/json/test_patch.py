"""JSON patches against evanphx/json-patch v5: results, messages, and documents that stay as they were."""

from __future__ import annotations

import json
from typing import Any

import pytest

from krmkit.libraries.json.patch import Draft, merged, patched
from krmkit.libraries.json.text import JsonError

APPLIED: dict[str, tuple[list[dict[str, Any]], Any, Any]] = {
    "add a key": ([{"op": "add", "path": "/b", "value": 1}], {"a": 0}, {"a": 0, "b": 1}),
    "add replaces": ([{"op": "add", "path": "/a", "value": 1}], {"a": 0}, {"a": 1}),
    "add null": ([{"op": "add", "path": "/a", "value": None}], {}, {"a": None}),
    "append": ([{"op": "add", "path": "/l/-", "value": 3}], {"l": [1, 2]}, {"l": [1, 2, 3]}),
    "insert": ([{"op": "add", "path": "/l/0", "value": 0}], {"l": [1]}, {"l": [0, 1]}),
    "insert at the end": ([{"op": "add", "path": "/l/1", "value": 2}], {"l": [1]}, {"l": [1, 2]}),
    "negative insert": ([{"op": "add", "path": "/l/-1", "value": 2}], {"l": [1]}, {"l": [1, 2]}),
    "negative remove": ([{"op": "remove", "path": "/l/-1"}], {"l": [1, 2]}, {"l": [1]}),
    "escaped keys": ([{"op": "replace", "path": "/a~1b/c~0d", "value": 1}], {"a/b": {"c~d": 0}}, {"a/b": {"c~d": 1}}),
    "whole document": ([{"op": "replace", "path": "", "value": {"a": 1}}], {"b": 1}, {"a": 1}),
    "move": ([{"op": "move", "from": "/a", "path": "/b"}], {"a": 1}, {"b": 1}),
    "copy": ([{"op": "copy", "from": "/a", "path": "/b"}], {"a": [1]}, {"a": [1], "b": [1]}),
    "copies part": (
        [{"op": "copy", "from": "/a", "path": "/b"}, {"op": "add", "path": "/b/-", "value": 2}],
        {"a": [1]},
        {"a": [1], "b": [1, 2]},
    ),
    "test holds": ([{"op": "test", "path": "/a", "value": 1.0}], {"a": 1}, {"a": 1}),
    "test of null": ([{"op": "test", "path": "/a/b", "value": None}], {"a": {}}, {"a": {}}),
}  # fmt: skip


@pytest.mark.parametrize("name", APPLIED)
def test_patches_apply(name: str) -> None:
    """A patch gives the document that the reference gives, and leaves its argument alone."""
    operations, document, expected = APPLIED[name]
    before = json.dumps(document)

    assert patched(operations, document) == expected
    assert json.dumps(document) == before


REFUSED: dict[str, tuple[dict[str, Any], Any, str]] = {
    "add below nothing": (
        {"op": "add", "path": "/a/b", "value": 1}, {},
        'add operation does not apply: doc is missing path: "/a/b": missing value'),
    "add below a scalar": (
        {"op": "add", "path": "/a/b", "value": 1}, {"a": 1},
        'add operation does not apply: doc is missing path: "/a/b": missing value'),
    "replace below nothing": (
        {"op": "replace", "path": "/a/b", "value": 1}, {},
        "replace operation does not apply: doc is missing path: /a/b: missing value"),
    "replace nothing": (
        {"op": "replace", "path": "/a", "value": 1}, {},
        "replace operation does not apply: doc is missing key: /a: missing value"),
    "remove nothing": (
        {"op": "remove", "path": "/a"}, {},
        "error in remove for path: '/a': unable to remove nonexistent key: a: missing value"),
    "remove below nothing": (
        {"op": "remove", "path": "/a/b"}, {},
        'remove operation does not apply: doc is missing path: "/a/b": missing value'),
    "index beyond the end": (
        {"op": "add", "path": "/l/3", "value": 1}, {"l": [1]},
        "error in add for path: '/l/3': Unable to access invalid index: 3: invalid index referenced"),
    "index that is none": (
        {"op": "add", "path": "/l/x", "value": 1}, {"l": [1]},
        "error in add for path: '/l/x': value was not a proper array index: 'x':"
        ' strconv.Atoi: parsing "x": invalid syntax'),
    "test fails": ({"op": "test", "path": "/a", "value": True}, {"a": 1}, "testing value /a failed: test failed"),
    "unknown operation": ({"op": "merge", "path": "/a"}, {}, "Unexpected kind: merge"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_patches_fail(name: str) -> None:
    """A patch that cannot be applied fails in the reference's words."""
    operation, document, message = REFUSED[name]

    with pytest.raises(JsonError) as caught:
        patched([operation], document)

    assert str(caught.value) == message


def test_a_draft_shares_what_it_does_not_change() -> None:
    """A change copies the containers on its path and no others."""
    document = {"a": {"b": 1}, "c": {"d": 2}}

    draft = Draft(document)
    draft.apply([{"op": "add", "path": "/a/b", "value": 2}])

    assert draft.document == {"a": {"b": 2}, "c": {"d": 2}}
    assert draft.document["c"] is document["c"]
    assert document["a"] == {"b": 1}


def test_a_value_of_a_patch_is_not_changed_by_the_next() -> None:
    """A value that a patch adds may be a variable's, so later patches copy it before they change it."""
    value = {"x": 1}

    draft = Draft({})
    draft.apply([{"op": "add", "path": "/a", "value": value}, {"op": "add", "path": "/a/y", "value": 2}])

    assert draft.document == {"a": {"x": 1, "y": 2}}
    assert value == {"x": 1}


MERGES: dict[str, tuple[Any, Any, Any]] = {
    "null removes": ({"a": 1, "b": 2}, {"a": None}, {"b": 2}),
    "mappings merge": ({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}),
    "lists are replaced": ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
    "a scalar becomes a mapping": ({"a": 1}, {"a": {"b": None, "c": 1}}, {"a": {"c": 1}}),
}


@pytest.mark.parametrize("name", MERGES)
def test_merge_patches_apply(name: str) -> None:
    """RFC 7386."""
    document, patch, expected = MERGES[name]
    before = json.dumps(document)

    assert merged(document, patch) == expected
    assert json.dumps(document) == before


def test_deep_merge_patches_end_in_an_error() -> None:
    """Nesting is counted."""
    patch: Any = 1
    for _ in range(2000):
        patch = {"a": patch}

    with pytest.raises(JsonError, match="nested more than 400 levels"):
        merged({}, patch)
