"""set-annotations and delete-annotations: edit annotations of resources, and of the config's fields."""

from __future__ import annotations

from krmkit.krm.apart import apart
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.go.json.functions import must_to_json
from krmkit.libraries.json.paths import dotted
from krmkit.libraries.yaml.data import is_null
from krmkit.libraries.yaml.tree import Map
from krmkit.systems.everyday.common.findings import refused, reporting, wrong_config
from krmkit.systems.everyday.common.kptconfig import API_VERSION, described, is_config_map, text_at, texts_at
from krmkit.systems.everyday.fields.maps import WrongTypeError, places, put
from krmkit.systems.everyday.fields.specs import renamed_specs
from krmkit.systems.everyday.fields.tables import FieldSpec, FieldTable

_KINDS = ("SetAnnotations", "SetAnnotationConfig")
_FIELDS = ("additionalAnnotationFields", "fieldSpecs")
_PREFIX = "failed to configure function: "
# Source: commonAnnotations of kustomize's default field specs, as in set-annotations.
_TEMPLATE = "spec.template.metadata.annotations"

_ANNOTATIONS = (
    FieldSpec("metadata.annotations", create=True),
    FieldSpec(_TEMPLATE, ("ReplicationController",), version="v1", create=True),
    FieldSpec(_TEMPLATE, ("Deployment", "ReplicaSet", "DaemonSet", "StatefulSet"), create=True),
    FieldSpec(_TEMPLATE, ("Job",), "batch", create=True),
    FieldSpec("spec.jobTemplate.metadata.annotations", ("CronJob",), "batch", create=True),
    FieldSpec("spec.jobTemplate.spec.template.metadata.annotations", ("CronJob",), "batch", create=True),
)


@reporting
def set_annotations(resources: ResourceList, config: Resource | None) -> list[Finding]:
    """Set the annotations of the config.

    Example: data `{team: blue}` sets `metadata.annotations.team` of every resource, and of the pods of every
    Deployment.
    """
    annotations, more = _decoded(config)
    table = FieldTable((*_ANNOTATIONS, *more))
    message = "set annotations: " + must_to_json(annotations)

    def one(item: Resource) -> list[Finding]:
        return _annotate(item, table, annotations, message)

    said = [finding for found in apart(resources, resources.items, one) for finding in found]
    results = [finding for finding in said if finding.file is not None]
    # Resources without a file share one result for each field, as in the original.
    fields = {finding.field for finding in said if finding.file is None}
    results += [Finding("annotations", message, None, field) for field in sorted(fields)]
    return results or [Finding("annotations", "no annotations applied")]


def _annotate(item: Resource, table: FieldTable, annotations: dict[str, str], message: str) -> list[Finding]:
    """Set the annotations of a resource. Return a finding for each field. Raises Refused for a wrong type."""
    found: list[Finding] = []
    for spec in table.possible(item):
        try:
            paths = places(item, spec)
            for path in paths:
                put(item, path, annotations, spec.create, lenient=True)
        except WrongTypeError as wrong:
            node = described(item.node(*wrong.path))
            text = f"annotations must be a map of texts, got {node}"
            raise refused("wrong-type", text, item, dotted(wrong.path)) from None
        if paths and (spec.create or any(item.node(*path) is not None for path in paths)):
            field = spec.path.rpartition("[].")[2]
            finding = Finding("annotations", message, None if found else item, field)
            if found:  # the name of the resource is computed once
                finding.resource_ref, finding.file = found[0].resource_ref, found[0].file
            found.append(finding)
    return found


def _decoded(config: Resource | None) -> tuple[dict[str, str], list[FieldSpec]]:
    """Return the annotations, sorted by key, and the config's additional fields. Raises Refused."""
    if config is not None and is_config_map(config):
        annotations, more = texts_at(config, "data"), []
    elif config is not None and config.kind in _KINDS and config.api_version == API_VERSION:
        annotations, more = texts_at(config, "annotations"), renamed_specs(config, *_FIELDS, _PREFIX)
    else:
        raise wrong_config(f"{_PREFIX}`functionConfig` must be a `ConfigMap` or `SetAnnotations`", config)
    if not annotations:
        raise wrong_config(f"{_PREFIX}input annotation list cannot be empty", config)
    return dict(sorted(annotations.items())), more


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
