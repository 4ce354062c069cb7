"""Equality of JSON values: 1 and 1.0 are equal, 1 and true are not."""

from __future__ import annotations

from typing import Any


def json_equal(left: Any, right: Any) -> bool:
    """Compare JSON values of any depth: True for {"a": 1} and {"a": 1.0}, False for 1 and True."""
    pending = [(left, right)]
    while pending:
        one, other = pending.pop()
        if one is other:
            continue
        if isinstance(one, dict):
            if not isinstance(other, dict) or one.keys() != other.keys():
                return False
            pending += [(value, other[key]) for key, value in one.items()]
        elif isinstance(one, list):
            if not isinstance(other, list) or len(one) != len(other):
                return False
            pending += zip(one, other, strict=True)
        elif isinstance(one, bool) or isinstance(other, bool) or one != other:
            return False
    return True
