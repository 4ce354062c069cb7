"""Apply templates from files over a cluster's templates, as a three-way apply does.

The file's fields override. A field that only the cluster's template has stays, unless an earlier apply wrote
it and the file no longer does. `kubectl apply` records that in an annotation, server-side apply in
managedFields. Without either, the kind decides.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.clusterapi.api import labels
from krmkit.systems.clusterapi.api.collection import Collected, CollectedObject
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.objectversion import BOOTSTRAP, in_version, same_version
from krmkit.systems.clusterapi.desired.comparison import applied_by, is_live
from krmkit.systems.clusterapi.webhooks.objectcheck import ObjectCheck

# This kind is edited in place, and its webhook fills in no more than these.
_FEW_DEFAULTS = (BOOTSTRAP, "KubeadmConfigTemplate")
_DEFAULTS = {"format": "cloud-config", "imagePullPolicy": "IfNotPresent"}


def templates_as_stored(package: Collected) -> Collected:
    """Return the package with the fields removed that an API server drops from its templates."""
    check = ObjectCheck([crd.data for crd in package.crds])
    others = dict(package.others)
    for key, item in package.others.items():
        if item.kind.endswith("Template") and not item.is_generated:
            stored = check.stored(item.data)
            if stored is not item.data:
                others[key] = CollectedObject(item.resource, stored)
    return replace(package, others=others)


def templates_as_applied(old: Collected, new: Collected) -> Collected:
    """Return the new package after an apply of its templates over the cluster's (`old`)."""
    others = dict(new.others)
    for key, item in new.others.items():
        before = old.others.get(key) if item.kind.endswith("Template") else None
        if before is not None and before is not item and is_live(before.data):
            others[key] = CollectedObject(item.resource, after_apply(before.data, item.data))
    return replace(new, others=others)


def after_apply(live: Object, given: Object) -> Object:
    """Return a template from a file after an apply over a running one, in the file's version.

    after_apply({"spec": {"a": 1, "b": 2}, ...}, {"spec": {"a": 3}})   # {"spec": {"a": 3, "b": 2}}
    """
    try:
        base = in_version(live, str(given.get("apiVersion", "")))
    except TopologyError:
        return given
    if base is None:
        return given
    last = last_applied(live)
    if last is not None:
        last = same_version(given, last)[-1]
    few = (labels.group_of(str(given.get("apiVersion", ""))), given.get("kind")) == _FEW_DEFAULTS
    spec = _applied(base.get("spec"), given.get("spec"), mapping(last, "spec"), last is not None, few)
    return {**given, "spec": spec} if "spec" in given else given


def last_applied(live: Object) -> Object | None:
    """Return the fields of a running object that an apply wrote last, None if unknown."""
    text = find(live, ("metadata", "annotations", labels.LAST_APPLIED))
    if isinstance(text, str):
        try:
            found = json.loads(text)
        except ValueError:
            return None
        return found if isinstance(found, dict) else None
    return applied_by(live, None)


def _applied(live: Any, given: Any, last: Any, known: bool, few_defaults: bool) -> Any:
    """Merge a file into a running value.

    known: `last` was applied; few_defaults: else only _DEFAULTS stay.
    """
    if isinstance(live, list) and isinstance(given, list) and len(live) == len(given):
        pairs = zip(live, given, strict=True)
        return [_applied(one, own, None, False, False) if _adds(one, own) else own for one, own in pairs]
    if not (isinstance(live, dict) and isinstance(given, dict)):
        return given
    merged = {}
    before = last if isinstance(last, dict) else {}
    for name, value in live.items():
        if name in given:
            merged[name] = _applied(value, given[name], before.get(name), known, few_defaults)
        elif known:
            if name not in before:
                merged[name] = value
        elif not few_defaults or _DEFAULTS.get(name) == value:
            merged[name] = value
    return {**{name: merged.get(name, value) for name, value in given.items()}, **merged}


def _adds(live: Any, given: Any) -> bool:
    """Return whether `live` holds all of `given`, and perhaps more fields."""
    if isinstance(live, dict) and isinstance(given, dict):
        return all(name in live and _adds(live[name], value) for name, value in given.items())
    return bool(live == given)
