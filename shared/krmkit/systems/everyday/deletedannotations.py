"""delete-annotations: delete annotations of resources."""

from __future__ import annotations

from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.data import is_null
from krmkit.libraries.yaml.tree import Map
from krmkit.systems.everyday.common.findings import refused, reporting, wrong_config
from krmkit.systems.everyday.common.kptconfig import described, text_at

_KEY = "annotationKeys"
_PATH = ("metadata", "annotations")


@reporting
def delete_annotations(resources: ResourceList, config: Resource | None) -> list[Finding]:
    """Delete the annotations in the config, as in data `{annotationKeys: "note, example.com/owner"}`."""
    text = text_at(config, "data", _KEY) if config is not None and config.root.entries else ""
    keys = list(dict.fromkeys(key.strip() for key in text.split(",") if key.strip()))
    if not keys:
        message = f"{_KEY} was not provided as part of the config or paramters to the function"
        raise wrong_config(message, config, f"data.{_KEY}")
    results: list[Finding] = []
    changed = 0
    for item in resources:
        if not any(item.may_hold(key) for key in keys) or not (item.api_version and item.kind and item.name):
            continue
        annotations = item.node(*_PATH)
        if is_null(annotations):
            continue
        if not isinstance(annotations, Map):
            message = f"annotations must be a map of texts, got {described(annotations)}"
            raise refused("wrong-type", message, item, "metadata.annotations")
        gone = [key for key in keys if item.remove((*_PATH, key))]
        left = item.node(*_PATH)
        if gone and isinstance(left, Map) and not left.entries:
            item.remove(_PATH)
        changed += bool(gone)
        results += [
            Finding("deleted", f"Annonation: [{key}] removed from resource: [{item.name}]", item)
            for key in gone
        ]
    if not results:
        return [Finding("deleted", "None of the resources had the provided annotations to delete")]
    return [Finding("deleted", f"The provided annotations were deleted from {changed} resource(s)"), *results]
