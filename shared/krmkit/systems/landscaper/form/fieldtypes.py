"""The types of an Installation's fields: mapping, list, text, number or boolean."""

from __future__ import annotations

from collections.abc import Iterator
from pkgutil import get_data
from typing import Any

from krmkit.libraries.schema.kubernetes.published import PublishedCrds
from krmkit.systems.landscaper.apinames import API_VERSION
from krmkit.systems.landscaper.errors import InstallationError

PUBLISHED = PublishedCrds(lambda: get_data("krmkit.systems.landscaper.items", "publishedcrds.json") or b"")
_WORDS = {"string": "a text", "boolean": "true or false", "integer": "a number", "number": "a number"}


def _shape(schema: Any) -> Any:
    """Return the nesting of mappings and lists with scalar types; empty ones allow any content, None all."""
    if schema.get("type") == "array":
        return [_shape(schema["items"])] if "properties" in schema["items"] else []
    if schema.get("type") == "object":
        return {name: _shape(inner) for name, inner in schema.get("properties", {}).items()}
    return _WORDS.get(schema.get("type"))


SPEC: dict[str, object] = _shape(PUBLISHED.data(f"{API_VERSION}/Installation")["properties"]["spec"])
"""The fields of an Installation's spec, from the CRD. A null counts as absent."""
_TYPES: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (str, "a text"),
    (int, "a number"),
    (float, "a number"),
    (dict, "a mapping"),
    (list, "a list"),
)


def type_errors(value: object, shape: object, place: str) -> Iterator[InstallationError]:
    """Yield each field of a wrong type: type_errors({"data": 5}, {"data": []}, "spec") gives spec.data."""
    if value is None or shape is None:
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
