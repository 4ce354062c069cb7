"""Fields of JSON data by path. A value of another type counts as absent; validation reports it.

Data are never changed in place: changing a field gives a new outer mapping.

    find({"spec": {"replicas": 3}}, ("spec", "replicas"))      # 3
    put({"spec": {"replicas": 3}}, ("spec", "version"), "v1")   # {"spec": {"replicas": 3, "version": "v1"}}

Old and new data share everything outside the path, so a change costs only the path's length.
"""

from __future__ import annotations

from krmkit.libraries.schema.errors import SchemaError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, TypeGuard

    from krmkit.libraries.json import Object


def is_list_of_maps(value: object) -> TypeGuard[list[Object]]:
    """Return True for a list of mappings only. `is_list_of_maps([])` is True."""
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


class _Missing:
    """The type of MISSING: the field is absent, as opposed to null."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


MISSING = _Missing()
"""The answer of `lookup` for a path that leads nowhere."""


def lookup(value: object, path: Sequence[str]) -> Any:
    """Return the field at a path of keys; MISSING if a part is absent or not a mapping."""
    for key in path:
        if type(value) is not dict or key not in value:
            return MISSING
        value = value[key]
    return value


def find(value: object, path: Sequence[str], default: Any = None) -> Any:
    """Return the field at a path of keys, or `default`. `find({"a": {"b": 1}}, ("a", "b"))` is 1."""
    found = lookup(value, path)
    return default if found is MISSING else found


def mapping(value: object, *path: str) -> Object:
    """Return the mapping at a path, {} if there is none. The result must not be changed."""
    found = find(value, path) if path else value
    return found if isinstance(found, dict) else {}


def sequence(value: object) -> list[Any]:
    """Return the value if it is a list, else []."""
    return value if isinstance(value, list) else []


def entries(value: object) -> list[Object]:
    """Return the mappings of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    """Return the value if it is a text, else ""."""
    return value if isinstance(value, str) else ""


def texts(value: object) -> dict[str, str]:
    """Return the texts of a mapping, by key."""
    return {key: item for key, item in mapping(value).items() if isinstance(item, str)}


def leaves(value: object, keys: bool = False) -> Iterator[Any]:
    """Yield the values in mappings and lists that are neither, unordered; `keys` adds the keys of mappings.

    sorted(leaves({"a": [1, {"b": 2}]}))   # [1, 2]
    """
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            pending += one.values()
            if keys:
                pending += one
        elif isinstance(one, list):
            pending += one
        else:
            yield one


def put(data: Object, path: Sequence[str], value: object) -> Object:
    """Return a copy of `data` with the value at the path; missing mappings are created.

    Raises SchemaError.
    """
    result = dict(data)
    target = result
    for depth, key in enumerate(path[:-1]):
        inner = target.get(key)
        if inner is None and key not in target:
            inner = {}
        elif type(inner) is not dict:
            from krmkit.libraries.schema.walk import kind_of

            raise SchemaError(f".{'.'.join(path[: depth + 1])} is not a mapping, but {kind_of(inner)}")
        inner = dict(inner)
        target[key] = inner
        target = inner
    target[path[-1]] = value
    return result


def drop(data: Object, path: Sequence[str]) -> Object:
    """Return a copy of `data` without the field at the path; `data` itself if it is absent."""
    if lookup(data, path) is MISSING:
        return data
    result = dict(data)
    target = result
    for key in path[:-1]:
        inner = dict(target[key])
        target[key] = inner
        target = inner
    del target[path[-1]]
    return result
