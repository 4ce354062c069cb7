"""Three-way merge of a resource, as data: what changed upstream wins over the base; the rest stays as it is locally.

Source: merge3 and walk of kyaml, which `kpt pkg update` goes by. Fields of mappings are merged one by one, elements of
associative lists by their keys; every other list, and a scalar, is taken whole. Null upstream or locally removes a field.

Example:
    merge({"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 1, "b": 7}).value  ->  {"a": 2, "b": 7}
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from krmkit.lang.dottedpath import dotted
from krmkit.porch.listkeys import MergeSchema
from krmkit.yaml.data import same_data


class Missing:
    """The type of MISSING: there is no such field, which is not the same as null."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()
# The keys that tell elements apart where no schema says it (kyaml's AssociativeSequenceKeys), tried in this order.
INFERRED_KEYS = ("mountPath", "devicePath", "ip", "type", "topologyKey", "name", "containerPort")

Path = tuple[str, ...]


class MergeError(ValueError):
    """The three versions of a field have different kinds, for example a mapping upstream and a list locally."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A field that upstream and the local package both changed, differently. `merged` is what the merge took."""

    path: Path
    base: Any
    upstream: Any
    local: Any
    merged: Any


@dataclass(slots=True)
class MergedValue:
    """The merged value, MISSING where nothing is left, and the conflicts in the order of their paths."""

    value: Any
    conflicts: list[Conflict] = field(default_factory=list)


def merge(
    base: Any, upstream: Any, local: Any, schema: MergeSchema | None = None, infer: bool = False
) -> MergedValue:
    """Merge the change from `base` to `upstream` into `local`; any of them may be MISSING.

    With `infer`, lists without a schema are associative where all elements of each version share one of INFERRED_KEYS.
    Raises MergeError where mappings, lists and scalars meet on one path.
    """
    walker = _Walker(infer)
    value = walker.walk((), base, upstream, local, schema)
    return MergedValue(value, walker.conflicts)


class _Walker:
    def __init__(self, infer: bool) -> None:
        self.infer = infer
        self.conflicts: list[Conflict] = []

    def walk(self, path: Path, base: Any, upstream: Any, local: Any, schema: MergeSchema | None) -> Any:
        kind = _common_kind(path, (local, base, upstream))
        if kind is list:
            keys = self._keys(path, (local, base, upstream), schema)
            if keys:
                return self._associative(path, base, upstream, local, keys, schema)
            return self._whole(path, base, upstream, local)
        if kind is str:
            return self._whole(path, base, upstream, local)
        return self._mapping(path, base, upstream, local, schema)

    def _mapping(self, path: Path, base: Any, upstream: Any, local: Any, schema: MergeSchema | None) -> Any:
        if upstream is None or local is None or (upstream is MISSING and local is MISSING):
            return MISSING
        versions = [value if isinstance(value, dict) else {} for value in (base, upstream, local)]
        merged = dict(versions[2])
        for name in sorted({str(name) for version in versions for name in version}):
            old, new, here = (version.get(name, MISSING) for version in versions)
            below = schema.field(name) if schema is not None else None
            value = self.walk((*path, name), old, new, here, below)
            if value is MISSING or value is None:
                merged.pop(name, None)
            else:
                merged[name] = value
        return merged

    def _whole(self, path: Path, base: Any, upstream: Any, local: Any) -> Any:
        """A scalar or a list that is taken whole: upstream's if upstream changed it, else the local one."""
        if upstream is None or local is None:
            return MISSING
        changed = not _same(upstream, base)
        merged = upstream if changed else local
        if changed and not _same(local, base) and not _same(local, upstream):
            self.conflicts.append(Conflict(path, base, upstream, local, merged))
        return merged

    def _associative(
        self,
        path: Path,
        base: Any,
        upstream: Any,
        local: Any,
        keys: tuple[str, ...],
        schema: MergeSchema | None,
    ) -> Any:
        if _is_absent(upstream) and not _is_absent(base):
            if not _is_absent(local) and not _same(local, base):
                self.conflicts.append(Conflict(path, base, upstream, local, MISSING))
            return MISSING
        indexes = [_by_key(value, keys) for value in (local, base, upstream)]
        element = schema.element if schema is not None else None
        merged: dict[tuple[str, ...], Any] = {}
        for index in indexes:
            for identity in index:
                if identity in merged:
                    continue
                here, old, new = (version.get(identity, MISSING) for version in indexes)
                name = "[" + ",".join(identity) + "]"
                merged[identity] = self._element((*path, name), old, new, here, element, keys)
        return [value for value in merged.values() if not _is_absent(value) and value != {}]

    def _element(
        self,
        path: Path,
        base: Any,
        upstream: Any,
        local: Any,
        schema: MergeSchema | None,
        keys: tuple[str, ...],
    ) -> Any:
        """An element that keeps anything keeps its keys too, also where upstream deleted the rest of it."""
        merged = self.walk(path, base, upstream, local, schema)
        if isinstance(merged, dict) and merged:
            for version in (local, base, upstream):
                for key in keys:
                    if isinstance(version, dict) and key in version and key not in merged:
                        merged[key] = version[key]
        return merged

    def _keys(self, path: Path, versions: tuple[Any, ...], schema: MergeSchema | None) -> tuple[str, ...]:
        """The keys of an associative list; none where the list is taken whole."""
        if schema is not None:
            return schema.keys
        if not self.infer:
            return ()
        found = {_inferred_key(value) for value in versions if isinstance(value, list) and value}
        if not found or "" in found:
            return ()
        if len(found) > 1:
            raise MergeError(
                f"{dotted(path)}: the elements must share one key in all versions, got {sorted(found)}"
            )
        return (found.pop(),)


def _inferred_key(elements: list[Any]) -> str:
    for key in INFERRED_KEYS:
        if all(isinstance(element, dict) and key in element for element in elements):
            return key
    return ""


def _by_key(elements: Any, keys: tuple[str, ...]) -> dict[tuple[str, ...], Any]:
    """Elements by the text of their keys; a key that an element lacks is left out, and counts as "" beside others."""
    found: dict[tuple[str, ...], Any] = {}
    for place, element in enumerate(elements if isinstance(elements, list) else ()):
        identity = tuple(str(element.get(key, "")) for key in keys) if isinstance(element, dict) else ()
        # An element without any key is told apart by its position.
        found.setdefault(identity if any(identity) else (f"#{place}",), element)
    return found


def _common_kind(path: Path, versions: tuple[Any, ...]) -> type:
    """dict, list or str (for any scalar): what all present versions are. No version at all counts as a mapping."""
    kinds = {_kind(value): value for value in versions if not _is_absent(value)}
    if len(kinds) > 1:
        names: dict[type, str] = {dict: "a mapping", list: "a list", str: "a scalar"}
        got = " and ".join(names[kind] for kind in kinds)
        raise MergeError(f"{dotted(path) or 'the resource'}: all versions must be of one kind, got {got}")
    return next(iter(kinds), dict)


def _kind(value: Any) -> type:
    return type(value) if isinstance(value, dict | list) else str


def _is_absent(value: Any) -> bool:
    return value is MISSING or value is None


def _same(one: Any, other: Any) -> bool:
    """Equal data; null counts as missing."""
    return (_is_absent(one) and _is_absent(other)) or same_data(one, other)
