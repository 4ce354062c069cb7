"""The types of an Installation's fields: mapping, list, text, number or boolean."""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.systems.landscaper.errors import InstallationError

_DATA = {"name": "a text", "key": "a text"}
_SCHEDULE = {"interval": "a text", "cronSpec": "a text", "numberOfReconciles": "a number"}
SPEC: dict[str, object] = {
    "context": "a text",
    "verification": {"signatureName": "a text"},
    "componentDescriptor": {
        "ref": {"repositoryContext": {}, "componentName": "a text", "version": "a text"},
        "inline": {},
    },
    "blueprint": {"ref": {"resourceName": "a text"}, "inline": {}},
    "imports": {
        "data": [{"name": "a text", "dataRef": "a text", "secretRef": _DATA, "configMapRef": _DATA}],
        "targets": [
            {
                "name": "a text",
                "target": "a text",
                "targets": [],
                "targetMap": {},
                "targetListRef": "a text",
                "targetMapRef": "a text",
            }
        ],
    },
    "importDataMappings": {},
    "exports": {
        "data": [{"name": "a text", "dataRef": "a text"}],
        "targets": [{"name": "a text", "target": "a text"}],
    },
    "exportDataMappings": {},
    "automaticReconcile": {"succeededReconcile": _SCHEDULE, "failedReconcile": _SCHEDULE},
    "optimization": {"hasNoSiblingImports": "true or false", "hasNoSiblingExports": "true or false"},
}
"""The nesting of mappings and lists, and the types of scalars; an empty mapping or list allows any content. A null counts as absent."""
_TYPES: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (str, "a text"),
    (int, "a number"),
    (float, "a number"),
    (dict, "a mapping"),
    (list, "a list"),
)


def type_errors(value: object, shape: object, place: str) -> Iterator[InstallationError]:
    """Yield an error for every field of a wrong type: type_errors({"data": 5}, {"data": []}, "spec") gives one about spec.data."""
    if value is None:
        return
    got = next((name for kind, name in _TYPES if isinstance(value, kind)), type(value).__name__)
    wanted = shape if isinstance(shape, str) else "a mapping" if isinstance(shape, dict) else "a list"
    if got != wanted:
        yield InstallationError("invalid", f"must be {wanted}, got {got}", place)
    elif isinstance(shape, dict) and isinstance(value, dict):
        for key, item in value.items():
            if key in shape:
                yield from type_errors(item, shape[key], f"{place}.{key}")
    elif isinstance(shape, list) and isinstance(value, list) and shape:
        for index, item in enumerate(value):
            yield from type_errors(item, shape[0], f"{place}[{index}]")
