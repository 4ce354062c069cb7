"""Merging maps into the first one as dario.cat/mergo 1.0 does, which shares nested maps."""

from __future__ import annotations

from krmkit.libraries.go.core.limits import CountingWalk
from krmkit.libraries.go.core.values import StringMap
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.sprig.dicts import Dict


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
