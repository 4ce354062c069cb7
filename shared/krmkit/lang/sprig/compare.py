"""Stand-ins for values in sets, by the equality of reflect.DeepEqual: 1, int64 1 and 1.0 are three values."""

from __future__ import annotations

from krmkit.lang.sprig.limits import Walk


def identity(value: object) -> object:
    """A hashable stand-in: two values have equal ones exactly when they are deeply equal."""
    return _identity(value, Walk(), 0)


def _identity(value: object, walk: Walk, depth: int) -> object:
    if isinstance(value, (list, dict)):
        walk.visit(depth)
    if isinstance(value, list):
        return type(value), tuple([_identity(item, walk, depth + 1) for item in value])
    if isinstance(value, dict):
        return type(value), frozenset(
            [(key, _identity(item, walk, depth + 1)) for key, item in value.items()]
        )
    if isinstance(value, float) and value != value:
        return object()
    return type(value), value
