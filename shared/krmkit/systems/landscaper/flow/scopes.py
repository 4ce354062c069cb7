"""Make the DataObjects and Targets that Landscaper writes: import copies, exports, execution exports."""

from __future__ import annotations

from krmkit.krm.annotations import is_tool_key
from krmkit.libraries.schema.fields import entries, mapping, text
from krmkit.systems.landscaper.apinames import (
    API_VERSION,
    CONTEXT_LABEL,
    EXPORT,
    HASH_ANNOTATION,
    IMPORT,
    INDEX_LABEL,
    KEY_LABEL,
    SOURCE_LABEL,
    SOURCE_TYPE_LABEL,
    TARGET_MAP_KEY_LABEL,
    execution_source,
    index_key,
    installation_source,
    object_name,
)
from krmkit.systems.landscaper.blueprint.blueprints import TARGET, TARGET_LIST, TARGET_MAP, ImportOrExport
from krmkit.systems.landscaper.components.descriptors import Data
from krmkit.systems.landscaper.flow.imports import Imports
from krmkit.systems.landscaper.items.hashes import data_hash, target_hash

_TARGET_FIELDS = ("type", "config", "secretRef")


def import_copies(
    definitions: list[ImportOrExport], values: Data, imports: Imports, installation: str, namespace: str
) -> list[Data]:
    """Return the copies of imports in the installation's own scope, in the order of definitions."""
    scope = installation_source(installation)
    owner = _owner("Installation", installation)
    found: list[Data] = []
    for definition in definitions:
        found += import_copies(definition.imports, values, imports, installation, namespace)
        if definition.name not in values:
            continue
        labels = _labels(scope, definition.name, scope, IMPORT)
        name = definition.name
        label, targets = "", dict[str, Data]()
        if definition.type == TARGET:
            found.append(_single_copy(imports.targets[name], scope, name, labels, namespace, owner))
        elif definition.type == TARGET_LIST:
            label = INDEX_LABEL
            targets = {str(index): one for index, one in enumerate(imports.target_lists[name])}
        elif definition.type == TARGET_MAP:
            label, targets = TARGET_MAP_KEY_LABEL, imports.target_maps[name]
        else:
            found.append(data_object(object_name(scope, name), namespace, labels, values[name], owner))
        for key, target in targets.items():
            extra = {**labels, label: key}
            found.append(_target_copy(target, scope, index_key(name, key), extra, namespace, owner))
    return found


def exported_objects(exports: Data, spec: Data, installation: str, namespace: str, scope: str) -> list[Data]:
    """Return the objects of an installation's exports in the scope of its parent."""
    owner = _owner("Installation", installation)
    source = installation_source(installation)
    wanted = mapping(spec.get("exports"))
    found: list[Data] = []
    for one in entries(wanted.get("data")):
        key = text(one.get("dataRef"))
        labels = _labels(scope, key, source, EXPORT)
        found.append(
            data_object(object_name(scope, key), namespace, labels, exports[text(one.get("name"))], owner)
        )
    for one in entries(wanted.get("targets")):
        key = text(one.get("target"))
        template = mapping(exports[text(one.get("name"))])
        spec_part = {name: template[name] for name in _TARGET_FIELDS if name in template}
        labels = {**mapping(template.get("labels")), **_labels(scope, key, source, EXPORT)}
        annotations = mapping(template.get("annotations"))
        found.append(_target(object_name(scope, key), namespace, labels, annotations, spec_part, owner))
    return found


def execution_exports(exports: Data, installation: str, namespace: str) -> Data:
    """Return the DataObject of an execution's exports: those of all deploy items by name."""
    source = execution_source(installation)
    labels: Data = {CONTEXT_LABEL: source, SOURCE_LABEL: source}
    return data_object(object_name(source, ""), namespace, labels, exports, _owner("Execution", installation))


def data_object(name: str, namespace: str, labels: Data, data: object, owner: Data) -> Data:
    """Return a DataObject with its hash."""
    return {
        "apiVersion": API_VERSION,
        "kind": "DataObject",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "annotations": {HASH_ANNOTATION: data_hash(data)},
            "labels": labels,
            "ownerReferences": [owner],
        },
        "data": data,
    }


def _target_copy(target: Data, scope: str, key: str, labels: Data, namespace: str, owner: Data) -> Data:
    return _target(object_name(scope, key), namespace, labels, {}, mapping(target.get("spec")), owner)


def _single_copy(target: Data, scope: str, key: str, labels: Data, namespace: str, owner: Data) -> Data:
    """Return the copy of a single target. Its labels and annotations stay, unlike in lists of targets."""
    copy = _target_copy(target, scope, key, labels, namespace, owner)
    original, metadata = mapping(target.get("metadata")), mapping(copy["metadata"])
    kept = {
        name: value for name, value in mapping(original.get("annotations")).items() if not is_tool_key(name)
    }
    metadata["annotations"] = {**kept, **mapping(metadata["annotations"])}
    metadata["labels"] = {
        **{
            name: value for name, value in mapping(original.get("labels")).items() if name not in _DATA_LABELS
        },
        **labels,
    }
    return copy


_DATA_LABELS = (CONTEXT_LABEL, KEY_LABEL, SOURCE_LABEL, SOURCE_TYPE_LABEL, INDEX_LABEL, TARGET_MAP_KEY_LABEL)


def _target(name: str, namespace: str, labels: Data, annotations: Data, spec: Data, owner: Data) -> Data:
    return {
        "apiVersion": API_VERSION,
        "kind": "Target",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "annotations": annotations | {HASH_ANNOTATION: target_hash(spec)},
            "labels": labels,
            "ownerReferences": [owner],
        },
        "spec": spec,
    }


def _labels(context: str, key: str, source: str, source_type: str) -> Data:
    labels: Data = {CONTEXT_LABEL: context} if context else {}
    return {**labels, KEY_LABEL: key, SOURCE_LABEL: source, SOURCE_TYPE_LABEL: source_type}


def _owner(kind: str, name: str) -> Data:
    return {"apiVersion": API_VERSION, "kind": kind, "name": name}
