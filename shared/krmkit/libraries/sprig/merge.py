"""Merging maps as dario.cat/mergo 1.0 does: into the first one, nested maps are shared and not copied."""

from __future__ import annotations

from krmkit.libraries.go.core.limits import CountingWalk
from krmkit.libraries.go.core.values import StringMap
from krmkit.libraries.go.errors import GoError


def merge(target: dict[str, object] | None, *sources: dict[str, object] | None) -> dict[str, object] | None:
    """merge, mustMerge: fills what is empty in the target; what the first has, stays."""
    return _merge_all(target, sources, overwrite=False)


def merge_overwrite(
    target: dict[str, object] | None, *sources: dict[str, object] | None
) -> dict[str, object] | None:
    """mergeOverwrite, mustMergeOverwrite: later values win, empty ones too; nested maps are merged."""
    return _merge_all(target, sources, overwrite=True)


def _merge_all(
    target: dict[str, object] | None, sources: tuple[dict[str, object] | None, ...], *, overwrite: bool
) -> dict[str, object] | None:
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
