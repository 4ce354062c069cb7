"""Go's names of types and kinds, and reflect.DeepEqual: 1, int64 1 and 1.0 differ."""

from __future__ import annotations

from krmkit.libraries.go.core.limits import CountingWalk, charge
from krmkit.libraries.go.core.values import GoObject, is_nil_list, kind_of, type_of


def type_is(name: str, value: object) -> bool:
    """Return True if the Go type of a value has this name (typeIs)."""
    return name == type_of(value)


def type_is_like(name: str, value: object) -> bool:
    """Implement typeIsLike, which accepts a pointer to the type as well."""
    return type_of(value) in (name, "*" + name)


def kind_is(name: str, value: object) -> bool:
    """Return True if the reflect.Kind of a value has this name (kindIs)."""
    return name == kind_of(value)


def deep_equal(first: object, second: object) -> bool:
    """Compare deeply: a nil list differs from an empty one, and NaN from everything."""
    if isinstance(first, (list, dict)):
        return _equal(first, second, CountingWalk(), 0)
    return _same(first, second)


def identity(value: object) -> object:
    """Return a hashable key that is equal exactly for deeply equal values."""
    if isinstance(value, (list, dict)):
        return _identity(value, CountingWalk(), 0)
    return object() if value != value else (type(value), value)


def _same(first: object, second: object) -> bool:
    if isinstance(first, GoObject):
        return type(first) is type(second) and isinstance(second, GoObject) and first.go_equal(second)
    return type(first) is type(second) and first == second


def _equal(first: object, second: object, walk: CountingWalk, depth: int) -> bool:
    if isinstance(first, list) and isinstance(second, list):
        walk.visit(depth)
        return (
            type(first) is type(second)
            and len(first) == len(second)
            and is_nil_list(first) == is_nil_list(second)
            and (
                first is second
                or all(_equal(a, b, walk, depth + 1) for a, b in zip(first, second, strict=True))
            )
        )
    if isinstance(first, dict) and isinstance(second, dict):
        walk.visit(depth)
        return (
            type(first) is type(second)
            and len(first) == len(second)
            and (
                first is second
                or all(
                    key in second and _equal(value, second[key], walk, depth + 1)
                    for key, value in first.items()
                )
            )
        )
    walk.visit(depth)
    return _same(first, second)


def _identity(value: object, walk: CountingWalk, depth: int) -> object:
    walk.visit(depth)
    charge(1)
    if isinstance(value, list):
        return type(value), tuple([_identity(item, walk, depth + 1) for item in value])
    if isinstance(value, dict):
        items = [(key, _identity(item, walk, depth + 1)) for key, item in value.items()]
        return type(value), frozenset(items)
    return object() if value != value else (type(value), value)
