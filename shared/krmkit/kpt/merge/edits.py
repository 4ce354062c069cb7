"""Write merged data into a resource as edits: lines with equal values stay, with their comments, order and quotes."""

from __future__ import annotations

from typing import Any

from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.data import same_data

Path = tuple[str | int, ...]

# Candidate keys for matching the elements of a list.
IDENTITIES = (("containerPort", "protocol"), ("port", "protocol"), ("name",), ("mountPath",), ("devicePath",),
              ("ip",), ("type",), ("topologyKey",), ("uid",), ("image",), ("exec",))  # fmt: skip


def write_merged(resource: Resource, merged: dict[str, Any]) -> None:
    """Edit `resource` until it holds `merged`, a mapping at the top level.

    Absent fields are removed, others set one by one; elements of lists are removed, edited in place and appended if the
    order of the kept ones allows it, else the list is rewritten.
    """
    _write_fields(resource, (), _mapping(resource.get()), merged)


def _write_fields(resource: Resource, path: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    for key in [key for key in old if key not in new]:
        resource.remove((*path, key))
    for key, value in new.items():
        if key not in old:
            resource.set((*path, key), value)
        elif not same_data(old[key], value):
            _write(resource, (*path, key), old[key], value)


def _write(resource: Resource, path: Path, old: Any, new: Any) -> None:
    # An empty mapping or list is written as {} or [].
    if isinstance(old, dict) and isinstance(new, dict) and old and new:
        _write_fields(resource, path, old, new)
    elif isinstance(old, list) and isinstance(new, list) and old and new:
        _write_elements(resource, path, old, new)
    else:
        resource.set(path, new)


def _write_elements(resource: Resource, path: Path, old: list[Any], new: list[Any]) -> None:
    places = _kept_places(old, new)
    if not places:
        resource.set(path, new)
        return
    for place in sorted(set(range(len(old))) - set(places), reverse=True):
        resource.remove((*path, place))
    for number, place in enumerate(places):
        if not same_data(old[place], new[number]):
            _write(resource, (*path, number), old[place], new[number])
    for number in range(len(places), len(new)):
        resource.set((*path, number), new[number])


def _kept_places(old: list[Any], new: list[Any]) -> list[int]:
    """The places in `old` of the first elements of `new`, rising; the rest of `new` is to be appended.

    None are kept if the elements are not mappings with a common key, or if the new order needs one moved.
    """
    identity = _identity(old, new)
    if identity is None:
        return []
    known = {_key(element, identity): place for place, element in enumerate(old)}
    places: list[int] = []
    for element in new:
        place = known.get(_key(element, identity))
        if place is None:
            break
        places.append(place)
    rest = [element for element in new[len(places) :] if _key(element, identity) in known]
    rising = all(before < after for before, after in zip(places, places[1:], strict=False))
    return places if rising and not rest and len(known) == len(old) else []


def _identity(old: list[Any], new: list[Any]) -> tuple[str, ...] | None:
    """The key of the elements: of all common keys, the one that matches most elements."""
    elements = old + new
    if not all(isinstance(element, dict) for element in elements):
        return None
    found = [keys for keys in IDENTITIES if all(keys[0] in element for element in elements)]

    def common(keys: tuple[str, ...]) -> int:
        return len({_key(element, keys) for element in old} & {_key(element, keys) for element in new})

    return max(found, key=common) if found else None


def _key(element: dict[str, Any], identity: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(str(element.get(key, "")) for key in identity)


def _mapping(value: object) -> dict[str, Any]:
    assert isinstance(value, dict)
    return value
