"""Move fields to their places in another version of an API."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import drop, find, put
from krmkit.systems.clusterapi.api.labels import group_of

Path = tuple[str, ...]
Move = tuple[Path, Path, Callable[[Any], Any] | None]
"""The place of a field, its new place, and what converts its value, if anything does."""


def moved(data: Object, moves: Iterable[Move]) -> Object:
    """Move fields to their new places and drop empty values, as Go omits them.

    >>> moved({"ref": {"name": "a"}}, [(("ref", "name"), ("templateRef", "name"), None)])
    {'templateRef': {'name': 'a'}}
    """
    for old, new, change in moves:
        value = find(data, old)
        if value is None:
            continue
        data = drop(data, old)
        for end in range(len(old) - 1, 0, -1):
            if find(data, old[:end]) == {}:
                data = drop(data, old[:end])
        value = value if change is None else change(value)
        if value not in ({}, [], ""):
            data = put(data, new, value)
    return data


def changed(data: Object, path: Path, change: Callable[[Any], Any]) -> Object:
    """Apply `change` to the mapping or list at a path; without one, return the data unchanged."""
    value = find(data, path)
    return put(data, path, change(value)) if isinstance(value, (dict, list)) else data


def kept(data: Object, *names: str) -> Object:
    """Return the data's fields that are in `names`."""
    return {name: data[name] for name in names if name in data}


def object_ref(old: Object) -> Object:
    """Convert an ObjectReference: drop version and namespace, and take the group from the apiVersion."""
    new = {**kept(old, "kind", "name"), "apiGroup": group_of(str(old.get("apiVersion", "")))}
    return {name: new[name] for name in ("apiGroup", "kind", "name") if new.get(name)}
