"""Dicts. Keys are sorted where Go's order is random; set, unset and the merges change their argument.

The merges do as dario.cat/mergo 1.0 does: into the first map, and nested maps are shared.
"""

from __future__ import annotations

from krmkit.libraries.go.core.limits import CountingWalk, charge
from krmkit.libraries.go.core.values import StringList, StringMap, sorted_keys, type_of
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.sprig.strings import to_string

Dict = dict[str, object] | None


def make_dict(*pairs: object) -> dict[str, object]:
    """Make a dict of key, value, key, value ...; keys become text, a last key without a value gets ""."""
    out: dict[str, object] = {}
    for at in range(0, len(pairs), 2):
        out[to_string(pairs[at])] = pairs[at + 1] if at + 1 < len(pairs) else ""
    return out


def get(items: Dict, key: str) -> object:
    """Return the value of a key, "" if it is absent."""
    return (items or {}).get(key, "")


def set_key(items: Dict, key: str, value: object) -> Dict:
    """Set a key in the dict, and return it."""
    if items is None:
        raise GoError("assignment to entry in nil map")
    items[key] = value
    return items


def unset(items: Dict, key: str) -> Dict:
    """Remove a key from the dict, and return it."""
    if items is not None:
        items.pop(key, None)
    return items


def has_key(items: Dict, key: str) -> bool:
    """Return True if a dict has the key; a nil dict has none (hasKey)."""
    return items is not None and key in items


def pluck(key: str, *dicts: Dict) -> list[object]:
    """Return the values of one key in several dicts."""
    return [items[key] for items in dicts if items and key in items]


def keys(*dicts: Dict) -> StringList:
    """Return the keys of all dicts, each one's sorted."""
    charge(sum(len(items) for items in dicts if items))
    return StringList([key for items in dicts if items for key in sorted_keys(items)])


def values(items: Dict) -> list[object]:
    """Return the values, sorted by key."""
    if not items:
        return []
    charge(len(items))
    return [items[key] for key in sorted_keys(items)]


def pick(items: Dict, *names: str) -> dict[str, object]:
    """Return a new dict of the named keys."""
    return {name: items[name] for name in names if items and name in items}


def omit(items: Dict, *names: str) -> dict[str, object]:
    """Return a new dict without the named keys."""
    charge(len(items or ()) * (1 + len(names) // 4))
    return {key: value for key, value in (items or {}).items() if key not in names}


def dig(*params: object) -> object:
    """Return the value at the end of the keys, or the default if one is absent: dig key... default dict."""
    if len(params) < 3:
        raise GoError("dig needs at least three arguments")
    current, fallback = params[-1], params[-2]
    if type(current) is not dict:
        raise GoError(_conversion(current, "map[string]interface {}"))
    names = [key for key in params[:-2] if isinstance(key, str)]
    if len(names) < len(params) - 2:
        raise GoError(_conversion(next(key for key in params if not isinstance(key, str)), "string"))
    for name in names[:-1]:
        if name not in current:
            return fallback
        current = current[name]
        if type(current) is not dict:
            raise GoError(_conversion(current, "map[string]interface {}"))
    return current.get(names[-1], fallback)


def deep_copy(value: object) -> object:
    """Copy a value so that it shares nothing with the original (deepCopy, mustDeepCopy)."""
    if value is None:
        raise GoError("reflect: call of reflect.Value.Type on zero Value")
    return _copy(value, CountingWalk(), 0)


def _copy(value: object, walk: CountingWalk, depth: int) -> object:
    walk.visit(depth)
    charge(2)
    if isinstance(value, dict):
        return type(value)({key: _copy(item, walk, depth + 1) for key, item in value.items()})
    if isinstance(value, list):
        return type(value)([_copy(item, walk, depth + 1) for item in value])
    return value


def _conversion(value: object, wanted: str) -> str:
    found = "nil" if value is None else type_of(value)
    return f"interface conversion: interface {{}} is {found}, not {wanted}"


def merge(target: Dict, *sources: Dict) -> Dict:
    """Fill the empty entries of the target; its own values stay (merge, mustMerge)."""
    return _merge_all(target, sources, overwrite=False)


def merge_overwrite(target: Dict, *sources: Dict) -> Dict:
    """Let later values win, empty ones too, and merge nested maps (mergeOverwrite, mustMergeOverwrite)."""
    return _merge_all(target, sources, overwrite=True)


def _merge_all(target: Dict, sources: tuple[Dict, ...], *, overwrite: bool) -> Dict:
    walk = CountingWalk()
    for source in sources:
        if source is not None:
            target = {} if target is None else target
            _merge(target, source, overwrite, walk, 0)
    return target


def _merge(
    target: dict[str, object], source: dict[str, object], overwrite: bool, walk: CountingWalk, depth: int
) -> None:
    walk.visit(depth)
    for key, value in list(source.items()):
        if value is None:
            # nil overwrites, but it is never filled in.
            if overwrite:
                _set(target, key, None)
            continue
        known = target.get(key)
        if isinstance(value, dict) and isinstance(known, dict):
            _merge(known, value, overwrite, walk, depth + 1)
            if known:
                continue
        if overwrite or key not in target or not known:
            _set(target, key, value)


def _set(target: dict[str, object], key: str, value: object) -> None:
    if isinstance(target, StringMap) and not isinstance(value, str):
        raise GoError(
            "reflect.Value.SetMapIndex: value of type interface {} is not assignable to type string"
        )
    target[key] = value
