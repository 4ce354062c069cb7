"""reflect.DeepEqual on Go values."""

from __future__ import annotations

from krmkit.lang.golang.values import ABSENT, GoObject, is_nil_list, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def deep_equal(left: object, right: object) -> bool:
    """reflect.DeepEqual: equal types and equal contents; a nil slice differs from an empty one, NaN from itself."""
    pending: list[tuple[Any, Any]] = [(left, right)]
    seen: set[tuple[int, int]] = set()
    while pending:
        one, other = pending.pop()
        if one is None or other is None or one is ABSENT or other is ABSENT:
            if (one is None or one is ABSENT) != (other is None or other is ABSENT):
                return False
            continue
        if type_of(one) != type_of(other):
            return False
        if isinstance(one, (list, dict)):
            if len(one) != len(other) or is_nil_list(one) != is_nil_list(other):
                return False
            pair = (id(one), id(other))
            if pair in seen:
                continue
            seen.add(pair)
            if isinstance(one, list):
                pending += zip(one, other, strict=True)
                continue
            for key, value in one.items():
                if key not in other:
                    return False
                pending.append((value, other[key]))
        elif isinstance(one, GoObject):
            if not (isinstance(other, GoObject) and one.go_equal(other)):
                return False
        elif one != other:
            return False
    return True
