"""Three-way merge of Kptfiles, by the rules of `kpt pkg update`.

Name and namespace stay local. `upstream` and `upstreamLock` come from upstream only on request. Functions of a pipeline
are merged by name; if no function of the three Kptfiles has one, by image without tag, or by exec.

Source: kptfileutil (merge, UpdateKptfile) of kpt.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from krmkit.kpt.merge.threeway import UPSTREAM, Conflict, MergedValue, merge
from krmkit.libraries.schema.fields import MISSING

Kptfile = dict[str, Any]

PIPELINE = ("pipeline",)
MERGED = (
    ("metadata", "annotations"),
    ("metadata", "labels"),
    ("info",),
    PIPELINE,
    ("inventory",),
    ("status",),
)
LISTS = ("mutators", "validators")
STAND_IN = "_kpt-merge_"


def merge_kptfiles(
    base: Kptfile,
    upstream: Kptfile,
    local: Kptfile,
    with_upstream: bool = False,
    prefer: str = UPSTREAM,
) -> MergedValue:
    """Return the merged Kptfile; `with_upstream` copies upstream and upstreamLock from the upstream Kptfile.

    `prefer`: the side that wins where both changed a value.

    Example: base has no pipeline, upstream adds function a, local added function b: the merged pipeline has b, then a.
    """
    versions = [deepcopy(version) for version in (base, upstream, local)]
    nameless = all(_is_nameless(functions) for version in versions for functions in _function_lists(version))
    if nameless:
        for version in versions:
            _set_stand_ins(version)
    merged = dict(local)
    conflicts: list[Conflict] = []
    for path in MERGED:
        old, new, here = (_get(version, path) for version in versions)
        outcome = merge(old, new, here, infer=path == PIPELINE, prefer=prefer)
        conflicts += [
            Conflict(
                (*path, *map(_without_stand_in, one.path)), one.base, one.upstream, one.local, one.merged
            )
            for one in outcome.conflicts
        ]
        # kpt keeps an emptied part as an empty mapping.
        gone = outcome.value is MISSING and isinstance(here, dict)
        merged = _set(merged, path, {} if gone else outcome.value)
    if nameless:
        _remove_stand_ins(merged)
    if with_upstream:
        for key in ("upstream", "upstreamLock"):
            if upstream.get(key) is not None:
                merged[key] = upstream[key]
    return MergedValue(merged, conflicts)


def named_functions(*versions: Kptfile) -> list[Kptfile]:
    """Copies whose functions all have a name: if none has one, the program, as in the conflicts of `merge_kptfiles`."""
    copies = [deepcopy(version) for version in versions]
    if all(_is_nameless(functions) for version in copies for functions in _function_lists(version)):
        for version in copies:
            for functions in _function_lists(version):
                for function in functions:
                    function["name"] = _program(function)
    return copies


def _without_stand_in(step: str) -> str:
    return step.replace(f"[{STAND_IN}", "[", 1)


def _function_lists(kptfile: Kptfile) -> list[list[dict[str, Any]]]:
    pipeline = kptfile.get("pipeline")
    lists = [pipeline.get(key) for key in LISTS] if isinstance(pipeline, dict) else []
    return [
        [one for one in functions if isinstance(one, dict)]
        for functions in lists
        if isinstance(functions, list)
    ]


def _is_nameless(functions: list[dict[str, Any]]) -> bool:
    """Return whether no function has a name and all programs differ, so that the program can replace the name."""
    programs = [_program(function) for function in functions]
    return not any(function.get("name") for function in functions) and len(set(programs)) == len(programs)


def _program(function: dict[str, Any]) -> str:
    """Return the program of a function without a tag: `exec`, else the image up to its first colon."""
    return str(function.get("exec") or str(function.get("image") or "").split(":")[0])


def _set_stand_ins(kptfile: Kptfile) -> None:
    for functions in _function_lists(kptfile):
        for function in functions:
            function["name"] = STAND_IN + _program(function)


def _remove_stand_ins(kptfile: Kptfile) -> None:
    for functions in _function_lists(kptfile):
        for function in functions:
            if str(function.get("name", "")).startswith(STAND_IN):
                del function["name"]


def _get(data: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        data = data.get(key, MISSING) if isinstance(data, dict) else MISSING
    return data


def _set(data: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """A copy of `data` with the value at `path` set, or removed for MISSING."""
    key, *rest = path
    changed = dict(data)
    if rest:
        below = _set(changed.get(key) or {}, tuple(rest), value)
        if below or key in changed:
            changed[key] = below
    elif value is MISSING:
        changed.pop(key, None)
    else:
        changed[key] = value
    return changed
