"""The RFC 6902 patch that turns one JSON document into another."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.json.equal import json_equal

Operation = dict[str, Any]


def diff(before: Any, after: Any, path: str = "") -> list[Operation]:
    """Return the operations, in an order that depends only on the documents; [] for equal ones.

    Removed keys come first, then the keys of `after` in their order. In a list, the common start and end are
    skipped.

    >>> [(one["op"], one["path"]) for one in diff({"a": 1, "b": 2}, {"b": 3, "c": 4})]
    [('remove', '/a'), ('replace', '/b'), ('add', '/c')]
    """
    found: list[Operation] = []
    _compare(before, after, path, found)
    return found


def _compare(before: Any, after: Any, path: str, found: list[Operation]) -> None:
    if before is after:
        return
    if isinstance(before, dict) and isinstance(after, dict) and _by_key(before, after, path):
        found += [{"op": "remove", "path": _at(path, key)} for key in before if key not in after]
        for key, value in after.items():
            if key in before:
                _compare(before[key], value, _at(path, key), found)
            else:
                found.append({"op": "add", "path": _at(path, key), "value": value})
    elif isinstance(before, list) and isinstance(after, list):
        _compare_lists(before, after, path, found)
    elif not json_equal(before, after):
        found.append({"op": "replace", "path": path, "value": after})


def _by_key(before: dict[str, Any], after: dict[str, Any], path: str) -> bool:
    """Return True if maps are compared key by key, False if the map is replaced whole."""
    # A path with an empty key inside names something else to the patch library of Go.
    if "" in before or "" in after:
        return False
    kept = [key for key in before if key in after]
    # A map that was written anew has its keys in another order; who reads YAML sees it.
    in_order = kept + [key for key in after if key not in before] == list(after)
    return in_order or not path


def _compare_lists(before: list[Any], after: list[Any], path: str, found: list[Operation]) -> None:
    start, shorter = 0, min(len(before), len(after))
    while start < shorter and json_equal(before[start], after[start]):
        start += 1
    tail = 0
    while tail < shorter - start and json_equal(before[-1 - tail], after[-1 - tail]):
        tail += 1
    old, new = len(before) - tail, len(after) - tail
    both = min(old, new)
    for position in range(start, both):
        _compare(before[position], after[position], f"{path}/{position}", found)
    # From the back, so that the positions of those that are still to go stay right.
    found += [{"op": "remove", "path": f"{path}/{position}"} for position in range(old - 1, both - 1, -1)]
    found += [
        {"op": "add", "path": f"{path}/{position}", "value": after[position]} for position in range(both, new)
    ]


def _at(path: str, key: str) -> str:
    return f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
