"""Apply the patches of an answer as a controller does, and check that they are valid and permitted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.json.equal import json_equal
from krmkit.libraries.schema.fields import find, mapping
from krmkit.services.extension.contractreport import ContractReport
from krmkit.services.extension.live import read_patch
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.roles import NO_ROLE
from krmkit.systems.clusterapi.model.extensions import JSON_MERGE_PATCH, JSON_PATCH
from krmkit.systems.clusterapi.patches.apply import PROTECTED_ANNOTATIONS, PROTECTED_LABELS, Patched
from krmkit.systems.clusterapi.patches.request import RequestItem

_TAKEN = ("/spec/", "/metadata/labels/", "/metadata/annotations/")


def patch_of(report: ContractReport, name: str, item: Object) -> Any:
    """Return the patch of an item as data; None, and a finding, if it does not decode."""
    try:
        return read_patch(item.get("patch"), name)
    except TopologyError as error:
        report.add(name, "patch-encoding", str(error).partition(": ")[2])
        return None


def patched_request(report: ContractReport, name: str, request: Object, answer: Object) -> Object | None:
    """Return the request with the patches applied; None if they are invalid."""
    result = deepcopy(request)
    items = {str(item.get("uid")): item for item in result.get("items") or []}
    listed = answer.get("items") or []
    if not isinstance(listed, list):
        report.add(name, "items", f"items must be a list, got {type(listed).__name__}")
        return None
    sound = True
    for one in listed:
        sound = _apply(report, name, one, items) and sound
    return result if sound else None


def _apply(report: ContractReport, name: str, one: Any, items: dict[str, Object]) -> bool:
    item = items.get(str(one.get("uid"))) if isinstance(one, dict) else None
    if item is None:
        shown = json.dumps(one)[:100]
        report.add(name, "unknown-uid", f"the answer has an item for no template of the request: {shown}")
        return False
    kind = one.get("patchType")
    if kind not in (JSON_PATCH, JSON_MERGE_PATCH):
        report.add(name, "patch-type", f"patchType must be {JSON_PATCH} or {JSON_MERGE_PATCH}, got {kind!r}")
        return False
    patch = patch_of(report, name, one)
    if patch is None:
        return False
    if not isinstance(patch, list if kind == JSON_PATCH else dict):
        report.add(name, "patch-encoding", f"a {kind} must not be a {type(patch).__name__}")
        return False
    if isinstance(patch, list) and not all(isinstance(operation, dict) for operation in patch):
        report.add(name, "patch-encoding", f"a {kind} must be a list of operations, each of them a map")
        return False
    before = item["object"]
    work = RequestItem("", NO_ROLE, {}, before)
    try:
        if isinstance(patch, list):
            Patched(work).json_patch(patch)
        else:
            Patched(work).merge_patch(patch)
    except TopologyError as error:
        report.add(name, "patch-fails", f"{before.get('kind')}: {error}")
        return False
    outside = [path for path in _paths(patch) if not path.startswith(_TAKEN)]
    for path in outside:
        what = f'changes "{path}"; the controller takes only spec, metadata.labels and metadata.annotations'
        report.add(name, "protected", f"{before.get('kind')}: {what}")
    for path in _protected_changes(before, work.object, item):
        report.add(name, "protected", f"{before.get('kind')}: changes {path}, which the controller protects")
    item["object"] = work.object
    return not outside


def _paths(patch: list[Object] | Object) -> list[str]:
    """Return the paths that a patch changes, with a final slash: `/spec/` is no prefix of `/specs/`."""
    if isinstance(patch, list):
        return [f"{operation.get('path', '')}/" for operation in patch]
    metadata = patch.get("metadata")
    inner = [f"/metadata/{key}/" for key in metadata] if isinstance(metadata, dict) else []
    return [f"/{key}/" for key in patch if key != "metadata" or not isinstance(metadata, dict)] + inner


def _protected_changes(before: Object, after: Object, item: Object) -> Iterator[str]:
    for place, names in (("labels", PROTECTED_LABELS), ("annotations", PROTECTED_ANNOTATIONS)):
        for base in (("metadata", place), ("spec", "template", "metadata", place)):
            for name in names:
                old = find(before, (*base, name))
                if old is not None and not json_equal(old, find(after, (*base, name))):
                    yield f"{'.'.join(base)}[{name}]"
    holder = mapping(item, "holderReference")
    if (holder.get("kind"), holder.get("fieldPath")) == ("Cluster", "spec.controlPlaneRef"):
        for path in _set_by_topology(item):
            whole = ("spec", "template", *path)
            if not json_equal(find(before, whole), find(after, whole)):
                yield ".".join(whole)


def _set_by_topology(item: Object) -> list[tuple[str, ...]]:
    """Return the control plane's fields that the topology sets before patches, as far as `builtin` shows."""
    paths: list[tuple[str, ...]] = [("spec", "version")]
    known = {str(one.get("name")): one.get("value") for one in item.get("variables") or []}
    builtin = find(known, ("builtin", "controlPlane"), {})
    if find(builtin, ("replicas",)) is not None:
        paths.append(("spec", "replicas"))
    if find(builtin, ("machineTemplate", "infrastructureRef")) is not None:
        paths += [
            ("spec", "machineTemplate", "metadata"),
            ("spec", "machineTemplate", "infrastructureRef"),
            ("spec", "machineTemplate", "spec", "infrastructureRef"),
        ]
    return paths
