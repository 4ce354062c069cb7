"""Three-way merge of a resource's data: apply upstream's changes, keep all other local data.

Source: merge3 and walk of kyaml, which `kpt pkg update` uses. Fields of mappings are merged one by one,
elements of associative lists by their keys; other lists and scalars are replaced whole. A null on one side
clears the field, unless the base has null too; otherwise null counts as absent.

Unlike kpt:

- A value that only one side changed is taken exactly, including list order, null and empty values: kpt brings
  a locally deleted container back as `{name: c}`, and writes no null.
- A list element that one side deleted and the other changed is kept whole; kpt keeps the changed fields only.
- A list with two elements of equal keys is replaced whole; kpt drops one of them.
- Texts of several lines are merged inside, if the caller passes `texts`.

Example:
    merge({"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 1, "b": 7}).value  ->  {"a": 2, "b": 7}
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from krmkit.kpt.merge.listkeys import MergeSchema
from krmkit.libraries.schema.fields import MISSING
from krmkit.libraries.yaml.data import same_data

TextMerge = Callable[["Path", str, str, str], "MergedValue | None"]


UPSTREAM, LOCAL = "upstream", "local"
# The keys of elements of lists without a schema (kyaml's AssociativeSequenceKeys), tried in this order.
INFERRED_KEYS = ("mountPath", "devicePath", "ip", "type", "topologyKey", "name", "containerPort")

Path = tuple[str, ...]
Identity = tuple[str, ...]  # the texts of an element's keys


@dataclass(frozen=True, slots=True)
class Conflict:
    """A field that both sides changed differently. `merged` is the value that was taken.

    `line`: the first conflicting line, from 1, of the text at `path`; 0 for the whole field.
    """

    path: Path
    base: Any
    upstream: Any
    local: Any
    merged: Any
    line: int = 0


@dataclass(slots=True)
class MergedValue:
    """The merged value, MISSING if nothing is left, and the conflicts in the order of their paths."""

    value: Any
    conflicts: list[Conflict] = field(default_factory=list)


def merge(
    base: Any,
    upstream: Any,
    local: Any,
    schema: MergeSchema | None = None,
    *,
    infer: bool = False,
    ordered: bool = False,
    prefer: str = UPSTREAM,
    texts: TextMerge | None = None,
) -> MergedValue:
    """Merge the change from `base` to `upstream` into `local`; any of them may be MISSING.

    - `infer`: lists without a schema are associative if all their elements share one of INFERRED_KEYS that
      tells them apart.
    - `ordered`: elements that upstream moved move; in kpt they do not.
    - `prefer`: the side that wins a conflict.
    - `texts`: merges a text that both sides changed, from its path and three versions; None means: replace it
      whole.
    """
    walker = _Walker(infer, prefer, texts, ordered)
    value = walker.walk((), base, upstream, local, schema)
    return MergedValue(value, walker.conflicts)


@dataclass(slots=True)
class _Walker:
    infer: bool
    prefer: str
    texts: TextMerge | None
    ordered: bool = False
    conflicts: list[Conflict] = field(init=False, default_factory=list)

    def walk(self, path: Path, base: Any, upstream: Any, local: Any, schema: MergeSchema | None) -> Any:
        if base is None:
            base = MISSING  # as in kpt, a null before says nothing of either side
        elif local is None:  # a null clears, whatever upstream has
            if not (_same(upstream, base) or upstream is None):
                self.conflicts.append(Conflict(path, base, upstream, local, local))
            return local
        elif upstream is None and not _is_absent(local):
            return upstream if _same(local, base) else self._conflict(path, base, upstream, local)
        if _same(upstream, base) or _same(upstream, local):
            return local
        if _same(local, base):
            return upstream
        versions = (local, base, upstream)
        kind = _common_kind(versions)
        if kind is dict and local is not None and upstream is not None:
            return self._mapping(path, base, upstream, local, schema)
        if kind is list:
            keys = self.keys(versions, schema)
            if keys is not None:
                return self._associative(path, base, upstream, local, keys, schema)
        return self._whole(path, base, upstream, local)

    def _mapping(self, path: Path, base: Any, upstream: Any, local: Any, schema: MergeSchema | None) -> Any:
        versions = [value if isinstance(value, dict) else {} for value in (base, upstream, local)]
        merged = dict(versions[2])
        for name in sorted({name for version in versions for name in version}):
            old, new, here = (version.get(name, MISSING) for version in versions)
            below = schema.field(name) if schema is not None else None
            value = self.walk((*path, name), old, new, here, below)
            if value is MISSING:
                merged.pop(name, None)
            else:
                merged[name] = value
        return MISSING if upstream is MISSING and not merged else merged

    def _whole(self, path: Path, base: Any, upstream: Any, local: Any) -> Any:
        """Take one side's value where both sides changed it."""
        if self.texts is not None and all(isinstance(value, str) for value in (base, upstream, local)):
            inside = self.texts(path, base, upstream, local)
            if inside is not None:
                self.conflicts += [replace(one, path=(*path, *one.path)) for one in inside.conflicts]
                return inside.value
        return self._conflict(path, base, upstream, local)

    def _conflict(self, path: Path, base: Any, upstream: Any, local: Any) -> Any:
        merged = upstream if self.prefer == UPSTREAM else local
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
        if _is_absent(upstream):
            return local if _is_absent(local) else self._conflict(path, base, upstream, local)
        indexes = [_by_key(value, keys) for value in (local, base, upstream)]
        element = schema.element if schema is not None else None
        order = [*{**indexes[0], **indexes[1], **indexes[2]}]
        if self.ordered:
            order, clash = _order([*indexes[0]], [*indexes[1]], [*indexes[2]], self.prefer)
            if clash:
                self._conflict(path, base, upstream, local)
        merged: list[Any] = []
        for identity in order:
            here, old, new = (version.get(identity, MISSING) for version in indexes)
            merged.append(self._element((*path, _step(identity)), old, new, here, element, keys))
        return [value for value in merged if not _is_absent(value) and value != {}]

    def _element(
        self,
        path: Path,
        base: Any,
        upstream: Any,
        local: Any,
        schema: MergeSchema | None,
        keys: tuple[str, ...],
    ) -> Any:
        """Merge an element, which keeps its keys.

        An element that one side deleted and the other changed is removed or kept whole.
        """
        changed = not _same(upstream, base) and not _same(local, base)
        if changed and (upstream is MISSING) != (local is MISSING) and base is not MISSING:
            return self._conflict(path, base, upstream, local)
        merged = self.walk(path, base, upstream, local, schema)
        if isinstance(merged, dict) and merged:
            for version in (local, base, upstream):
                for key in keys:
                    if isinstance(version, dict) and key in version and key not in merged:
                        merged[key] = version[key]
        return merged

    def keys(self, versions: tuple[Any, ...], schema: MergeSchema | None) -> tuple[str, ...] | None:
        """Return the keys of an associative list, () for positions; None if the list is taken whole.

        Without a schema, the one mapping of a list is the same element in all versions if its fields are.
        """
        if schema is not None:
            candidates = [schema.keys] if schema.keys else []
        elif self.infer:
            lists = [value for value in versions if isinstance(value, list) and value]
            elements = [element for value in lists for element in value]
            if not all(isinstance(element, dict) for element in elements):
                return None
            candidates = [(key,) for key in INFERRED_KEYS if all(key in element for element in elements)]
            if len(lists) == len(elements) == len(versions) and len({*map(frozenset, elements)}) == 1:
                candidates.append(())
        else:
            return None
        distinct = (keys for keys in candidates if all(_are_distinct(value, keys) for value in versions))
        return next(distinct, None)


def elements_by_step(
    versions: tuple[Any, ...], schema: MergeSchema | None, infer: bool = False
) -> list[dict[str, Any]] | None:
    """Return each version's elements of an associative list, by their step in a Conflict's path.

    None for other lists.
    """
    if _common_kind(versions) is not list:
        return None
    keys = _Walker(infer, UPSTREAM, None).keys(versions, schema)
    if keys is None:
        return None
    named = (_by_key(value, keys).items() for value in versions)
    return [{_step(identity): element for identity, element in one} for one in named]


def _order(
    local: list[Identity], base: list[Identity], upstream: list[Identity], prefer: str
) -> tuple[list[Identity], bool]:
    """Return the order of merged elements, and whether both sides moved some, differently.

    It is that of the side that moved some, upstream's without one; the others stay behind the element that
    they follow: _order([a, b, x], [a, b], [b, a], UPSTREAM) == ([b, x, a], False)
    """
    common = {*local} & {*base} & {*upstream}
    before, theirs, ours = ([one for one in side if one in common] for side in (base, upstream, local))
    clash = ours != before != theirs != ours
    keeps_local = ours != before and not (clash and prefer == UPSTREAM)
    first, other = (local, upstream) if keeps_local else (upstream, local)
    order, placed = [*first], {*first}
    for elements in (other, base):
        for number, one in enumerate(elements):
            if one not in placed:
                order.insert(order.index(elements[number - 1]) + 1 if number else 0, one)
                placed.add(one)
    return order, clash


def _step(identity: tuple[str, ...]) -> str:
    return "[" + ",".join(identity) + "]"


def _identity(place: int, element: Any, keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values of an element's keys as texts, "" for a missing one; without any, its position."""
    identity = tuple(str(element.get(key, "")) for key in keys) if isinstance(element, dict) else ()
    return identity if any(identity) else (f"#{place}",)


def _by_key(elements: Any, keys: tuple[str, ...]) -> dict[tuple[str, ...], Any]:
    listed = elements if isinstance(elements, list) else ()
    return {_identity(place, element, keys): element for place, element in enumerate(listed)}


def _are_distinct(elements: Any, keys: tuple[str, ...]) -> bool:
    return not isinstance(elements, list) or len(_by_key(elements, keys)) == len(elements)


def _common_kind(versions: tuple[Any, ...]) -> type:
    """Return dict or list if all present versions have this type, str for scalars and mixed types.

    Without a version it is dict.
    """
    present = [value for value in versions if not _is_absent(value)]
    return next((kind for kind in (dict, list) if all(isinstance(one, kind) for one in present)), str)


def _is_absent(value: Any) -> bool:
    return value is MISSING or value is None


def _same(one: Any, other: Any) -> bool:
    return (_is_absent(one) and _is_absent(other)) or same_data(one, other)
