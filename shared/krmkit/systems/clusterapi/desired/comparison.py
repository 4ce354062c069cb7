"""Compare an existing object with the desired one in three ways, as server-side apply does.

A running object holds more than the topology's fields: defaults, and fields of other managers. A field that
only the running object has is removed if the topology applied it last (`applied`); otherwise another manager
owns it. An object from files holds exactly what its topology asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from krmkit.libraries.go.time.durations import parse_duration
from krmkit.libraries.json import Object
from krmkit.libraries.json.equal import json_equal
from krmkit.libraries.schema.fields import drop, find, is_list_of_maps, mapping
from krmkit.systems.clusterapi.api import labels
from krmkit.systems.clusterapi.api.moves import kept
from krmkit.systems.clusterapi.api.objectversion import BOOTSTRAP, CONTROL_PLANE, same_version

MANAGER = "capi-topology"
_METADATA = ("labels", "annotations")
_IDENTITY = ("apiVersion", "kind")
_TYPED_GROUPS = (labels.GROUP, BOOTSTRAP, CONTROL_PLANE)
"""Groups whose webhooks read objects into Go types and write them without empty fields."""


def is_live(item: Object) -> bool:
    """Return whether an object comes from a running cluster, that is, has a uid."""
    return bool(find(item, ("metadata", "uid")))


def applied_by_topology(live: Object) -> Object | None:
    """Return the fields that the topology controller applied, by managedFields; None if unknown."""
    return applied_by(live, MANAGER)


def applied_by(live: Object, manager: str | None) -> Object | None:
    """Return the fields of a running object that `manager` applied, by managedFields; None if unknown.

    manager: None for the first one that is not the topology controller.
    """
    managed = find(live, ("metadata", "managedFields"))
    for entry in managed if isinstance(managed, list) else ():
        if (
            not isinstance(entry, dict)
            or entry.get("subresource")
            or entry.get("operation", "Apply") != "Apply"
        ):
            continue
        name = entry.get("manager")
        wanted = name == manager if manager is not None else name != MANAGER
        if (
            wanted
            and entry.get("apiVersion") == live.get("apiVersion")
            and isinstance(entry.get("fieldsV1"), dict)
        ):
            owned = _owned(live, entry["fieldsV1"])
            return {**(owned if isinstance(owned, dict) else {}), **kept(live, *_IDENTITY)}
    return None


def _owned(value: Any, fields: Object) -> Any:
    """Keep the fields of a value that a fieldsV1 lists; unlisted items of a list become None."""
    inner = {name: below for name, below in fields.items() if name != "."}
    if not inner:
        return {} if isinstance(value, dict) and "." in fields else value
    if isinstance(value, dict):
        return {
            name[2:]: _owned(value[name[2:]], below if isinstance(below, dict) else {})
            for name, below in inner.items()
            if name.startswith("f:") and name[2:] in value
        }
    if isinstance(value, list):
        return [_owned_item(item, inner) for item in value]
    return value


def _owned_item(item: Any, fields: Object) -> Any:
    for name, below in fields.items():
        try:
            key = json.loads(name[2:])
        except ValueError:
            continue
        if name.startswith("v:") and json_equal(item, key):
            return item
        if (
            name.startswith("k:")
            and isinstance(item, dict)
            and isinstance(key, dict)
            and key.items() <= item.items()
        ):
            return _owned(item, below if isinstance(below, dict) else {})
    return None


def changed_fields(current: Object, desired: Object, applied: Object | None = None) -> Iterator[str]:
    """Yield the paths of spec, labels and annotations that differ: `spec.template.spec.flavor`.

    applied: what the topology applied last, of any known version. Raises TopologyError.
    """
    current, desired, last = same_version(current, desired, applied or {})
    live = is_live(current)
    typed = labels.group_of(str(desired.get("apiVersion", ""))) in _TYPED_GROUPS
    compare = _Comparison(live, typed, applied is not None)
    for name in _METADATA:
        old, new, was = (dict(mapping(one, "metadata", name)) for one in (current, desired, last))
        for key in labels.BOOKKEEPING:
            old.pop(key, None)
        yield from compare.differences(old, new, was, f"metadata.{name}")
    yield from compare.differences(current.get("spec"), desired.get("spec"), last.get("spec"), "spec")


def without_unset_endpoint(item: Object) -> Object:
    """Drop endpoint fields that an infrastructure cluster's template leaves open: the provider sets them.

    Source: internal/contract/infrastructure_cluster.go, IgnorePaths.
    """
    for name, unset in (("host", ""), ("port", 0)):
        path = ("spec", "controlPlaneEndpoint", name)
        if find(item, path) == unset:
            item = drop(item, path)
    return item


class _Comparison:
    """A comparison of an old side with a new side.

    live: the old side runs. typed: its webhooks drop empty fields. known: the last apply is known.
    """

    def __init__(self, live: bool, typed: bool, known: bool) -> None:
        self._live = live
        self._typed = typed
        self._known = known

    def differences(self, old: Any, new: Any, applied: Any, path: str) -> Iterator[str]:
        """Yield the paths that differ, in their order."""
        pending = [(old, new, applied, path)]
        while pending:
            one, other, was, place = pending.pop()
            if one is other:
                continue
            if isinstance(one, list) and isinstance(was, list) and len(was) == len(one) and None in was:
                # Items that other managers own.
                one, was = _without_foreign(one, was)
            if other is None and _holds_values(one):
                other = {}  # What goes is named by its fields: `rollingUpdate.maxSurge`.
            if isinstance(one, dict) and isinstance(other, dict):
                last = was if isinstance(was, dict) else {}
                for key in sorted({*one, *other}, reverse=True):
                    inner = f"{place}.{key}"
                    if key in other:
                        pending.append((one.get(key), other[key], last.get(key), inner))
                    elif not self._live:
                        pending.append((one[key], None, None, inner))
                    elif key in last:
                        pending.append(
                            (one[key], {} if _both_maps(one[key], last[key]) else None, last[key], inner)
                        )
            elif _reordered(one, other):
                yield f"{place}[same arguments, other order]"
            elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
                before = was if isinstance(was, list) and len(was) == len(one) else [None] * len(one)
                triples = list(zip(one, other, before, strict=True))
                pending += [
                    (*triple, f"{place}[{index}]") for index, triple in reversed(list(enumerate(triples)))
                ]
            elif not self._equal(one, other, was, place):
                yield place

    def _equal(self, one: Any, other: Any, was: Any, place: str) -> bool:
        if json_equal(one, other):
            return True
        if isinstance(one, str) and isinstance(other, str):
            return self._live and place.startswith("spec.") and _same_duration(one, other)
        if not (self._is_empty(one) and self._is_empty(other)):
            return False
        if self._typed or one == [] or other == []:
            return True
        # Some kinds give an empty map a meaning: `backend: {inMemory: {}}`. Only applied fields show if a
        # server dropped it.
        return self._live and one is None and (was is not None or not self._known)

    def _is_empty(self, value: Any) -> bool:
        if isinstance(value, dict):
            return all(self._is_empty(one) for one in value.values())
        return value is None or value == [] or (value == "" and self._typed and self._live)


def _holds_values(value: Any) -> bool:
    """Return whether a value is a map of scalars."""
    if not (isinstance(value, dict) and value):
        return False
    return not any(isinstance(one, (dict, list)) for one in value.values())


def _reordered(one: Any, other: Any) -> bool:
    """Return whether two lists hold the same named items, such as arguments, in different order."""
    if not (is_list_of_maps(one) and is_list_of_maps(other) and len(one) == len(other) > 1):
        return False
    if any("name" not in item for item in (*one, *other)):
        return False
    ordered = [sorted(items, key=lambda item: (str(item["name"]), str(item))) for items in (one, other)]
    return not json_equal(one, other) and json_equal(*ordered)


def _both_maps(one: Any, other: Any) -> bool:
    """Return whether both values are mappings and differ: fields of the first may then be kept."""
    return isinstance(one, dict) and isinstance(other, dict) and not json_equal(one, other)


def _without_foreign(items: list[Any], owned: list[Any]) -> tuple[list[Any], list[Any]]:
    pairs = [(item, mine) for item, mine in zip(items, owned, strict=True) if mine is not None]
    return [item for item, _ in pairs], [mine for _, mine in pairs]


def _same_duration(one: str, other: str) -> bool:
    try:
        return parse_duration(one) == parse_duration(other)
    except ValueError:
        return False


def owned_part(current: Object, desired: Object, applied: Object | None = None) -> tuple[Object, Object]:
    """Return both sides of a diff; of a running object, only the fields that the topology owns.

    Objects from files come back unchanged. Raises TopologyError.
    """
    if not is_live(current):
        return current, desired
    current, desired, last = same_version(current, desired, applied or {})
    metadata = mapping(current, "metadata")
    own = kept(metadata, "name", "namespace")
    for name in _METADATA:
        wanted = {**mapping(last, "metadata", name), **mapping(desired, "metadata", name)}
        values = _ordered(
            {key: value for key, value in mapping(metadata, name).items() if key in wanted},
            mapping(desired, "metadata", name),
        )
        if values:
            own[name] = values
    before = {**kept(current, *_IDENTITY), "metadata": own}
    if "spec" in current:
        before["spec"] = _part(current["spec"], desired.get("spec"), last.get("spec"))
    # The garbage collector's references are not compared.
    after = {name: value for name, value in mapping(desired, "metadata").items() if name != "ownerReferences"}
    return before, {**desired, "metadata": after}


def _part(value: Any, desired: Any, applied: Any) -> Any:
    if isinstance(value, dict) and (isinstance(desired, dict) or isinstance(applied, dict)):
        mine = desired if isinstance(desired, dict) else {}
        last = applied if isinstance(applied, dict) else {}
        return _ordered(
            {
                key: _part(item, mine.get(key), last.get(key))
                for key, item in value.items()
                if key in mine or key in last
            },
            mine,
        )
    if isinstance(value, list) and isinstance(desired, list) and len(value) == len(desired):
        return [_part(item, other, None) for item, other in zip(value, desired, strict=True)]
    return value


def _ordered(value: Object, like: Object) -> Object:
    """Sort the keys of a mapping like those of another, so that a diff shows real differences only."""
    return {
        **{key: value[key] for key in like if key in value},
        **{key: item for key, item in value.items() if key not in like},
    }
