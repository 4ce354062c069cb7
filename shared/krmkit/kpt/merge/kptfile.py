"""Three-way merge of Kptfiles, by the rules of `kpt pkg update`.

Name and namespace stay local. `upstream` and `upstreamLock` come from upstream only on request. Functions of
a pipeline are merged by name; if none of the three Kptfiles names a function, by image without tag or by
exec.

Source: kptfileutil (merge, UpdateKptfile) of kpt.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

from krmkit.kpt.merge.threeway import UPSTREAM, Conflict, MergedValue, merge
from krmkit.libraries.schema.fields import MISSING, entries, lookup

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
WHOLE: tuple[tuple[str, ...], ...] = ((),)
"""Everything, for versions that one pipeline was made of: their names differ by edits alone."""
KEPT = (("info",), PIPELINE, ("status",))
"""What stays as an empty mapping where the merge leaves nothing of it, as in kpt."""
LISTS = ("mutators", "validators")
STAND_IN = "_kpt-merge_"
RENDERED = "Rendered"


def merge_kptfiles(
    base: Kptfile,
    upstream: Kptfile,
    local: Kptfile,
    with_upstream: bool = False,
    prefer: str = UPSTREAM,
    parts: tuple[tuple[str, ...], ...] = MERGED,
) -> MergedValue:
    """Return the merged Kptfile.

    - `with_upstream`: copy upstream and upstreamLock from the upstream Kptfile.
    - `prefer`: the side that wins a conflict.
    - `parts`: the fields to merge; all others stay local, and so does what a render writes into the status.

    Example: base has no pipeline, upstream adds function a, local added function b: the merged pipeline has
    b, then a.
    """
    versions = [deepcopy(one) for one in (_as_rendered(base, local), _as_rendered(upstream, local), local)]
    nameless = _set_names(versions, STAND_IN)
    merged = dict(local)
    conflicts: list[Conflict] = []
    for path in parts:
        old, new, here = (lookup(version, path) for version in versions)
        outcome = merge(old, new, here, infer=path in (PIPELINE, ()), prefer=prefer)
        conflicts += [
            replace(one, path=(*path, *(step.replace(f"[{STAND_IN}", "[", 1) for step in one.path)))
            for one in outcome.conflicts
        ]
        emptied = outcome.value is MISSING and path in KEPT and isinstance(here, dict)
        merged = _set(merged, path, {} if emptied else outcome.value)
    if nameless:
        for function in _functions(merged):
            if str(function.get("name", "")).startswith(STAND_IN):
                del function["name"]
    if with_upstream:
        for key in ("upstream", "upstreamLock"):
            if upstream.get(key) is not None:
                merged[key] = upstream[key]
    return MergedValue(merged, conflicts)


def without_render(kptfile: Kptfile) -> Kptfile:
    """Return a Kptfile without the status fields that each render replaces."""
    return _as_rendered(kptfile, {})


def _as_rendered(kptfile: Kptfile, other: Kptfile) -> Kptfile:
    own, its = ({**side} if isinstance(side := one.get("status"), dict) else {} for one in (kptfile, other))
    if "renderStatus" not in {**own, **its} and RENDERED not in str({**own, **its}):
        return kptfile
    conditions = [one for one in own.pop("conditions", None) or () if not _is_of_render(one)]
    conditions += [one for one in its.get("conditions") or () if _is_of_render(one)]
    own.pop("renderStatus", None)
    own |= {"conditions": conditions} if conditions else {}
    own |= {"renderStatus": its["renderStatus"]} if "renderStatus" in its else {}
    rest = {key: value for key, value in kptfile.items() if key != "status"}
    return {**rest, "status": own} if own else rest


def _is_of_render(condition: Any) -> bool:
    return isinstance(condition, dict) and condition.get("type") == RENDERED


def named_functions(*versions: Kptfile) -> list[Kptfile]:
    """Return copies in which all functions have a name.

    If no function has one, it is the program, as in the conflicts of `merge_kptfiles`.
    """
    copies = [deepcopy(version) for version in versions]
    _set_names(copies, "")
    return copies


def _set_names(versions: list[Kptfile], prefix: str) -> bool:
    """Name all functions by their programs, with a prefix, and return True, unless one has a name."""
    if not all(_is_nameless(functions) for version in versions for functions in _function_lists(version)):
        return False
    for version in versions:
        for function in _functions(version):
            function["name"] = prefix + _program(function)
    return True


def _functions(kptfile: Kptfile) -> Iterator[dict[str, Any]]:
    for functions in _function_lists(kptfile):
        yield from functions


def _function_lists(kptfile: Kptfile) -> list[list[dict[str, Any]]]:
    pipeline = kptfile.get("pipeline")
    lists = [pipeline.get(key) for key in LISTS] if isinstance(pipeline, dict) else []
    return [entries(functions) for functions in lists]


def _is_nameless(functions: list[dict[str, Any]]) -> bool:
    """Return True if no function has a name, and all programs differ and so can be the names."""
    programs = [_program(function) for function in functions]
    return not any(function.get("name") for function in functions) and len(set(programs)) == len(programs)


def _program(function: dict[str, Any]) -> str:
    """Return the program of a function without a tag: `exec`, else the image up to its first colon."""
    return str(function.get("exec") or str(function.get("image") or "").split(":")[0])


def _set(data: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    if not path:
        return dict(value)
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
