"""Find parts of a schema that `krmkit.libraries.schema.violations` does not know, in tests of schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from krmkit.libraries.json.paths import join
from krmkit.libraries.schema.violationtexts import NAMES

Schema = Mapping[str, Any]

_KEYWORDS = (
    *("type", "nullable", "enum", "default", "format", "description", "title", "example"),
    *("properties", "additionalProperties", "required", "items", "minItems", "maxItems"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "pattern"),
    *("x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"),
)


def unsupported(schema: Schema, path: str = "") -> list[str]:
    """Return the paths of keywords, types and formats in `schema` that `validate` would ignore."""
    found = [f"{join(path, key)}: unknown keyword" for key in schema if key not in _KEYWORDS]
    kind = schema.get("type")
    if kind is not None and kind not in NAMES:
        found.append(f"{join(path, 'type')}: unknown type {kind!r}")
    if kind is None and schema.get("x-kubernetes-int-or-string") is not True:
        if schema.get("x-kubernetes-preserve-unknown-fields") is not True:
            found.append(f"{path}: neither a type nor x-kubernetes-preserve-unknown-fields")
    properties: Mapping[str, Schema] = schema.get("properties") or {}
    for key, known in properties.items():
        found.extend(unsupported(known, join(join(path, "properties"), key)))
    for key in schema.get("required") or ():
        if key not in properties:
            found.append(f"{join(path, 'required')}: {key!r} is not a property")
    for key in ("items", "additionalProperties"):
        inner = schema.get(key)
        if isinstance(inner, dict):
            found.extend(unsupported(inner, join(path, key)))
    return found
