"""JSON Schemas of a pack's files, for `krmkit schema pack.json` and for the checks of packs.

pack.json may hold more than Palette documents; where an object is closed (`additionalProperties: false`) all
its names are known.
"""

from __future__ import annotations

from krmkit.libraries.json.text import parse
from krmkit.libraries.schema.fields import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.libraries.schema.openapi import Schema as Compiled

    Schema = dict[str, Any]


def _read() -> dict[str, Schema]:
    """Read the schemas by the module's own loader: loading pkgutil, which does the same, takes 10 ms."""
    loader: Any = __spec__.loader
    schemas: Any = parse(loader.get_data(f"{__file__.rpartition('.')[0]}.json").decode())
    return dict(schemas)


PACK_FILES = _read()
PACK_JSON, PRESETS_YAML, SCHEMA_YAML = (
    PACK_FILES[name] for name in ("pack.json", "presets.yaml", "schema.yaml")
)
_CONSTRAINTS = PACK_JSON["properties"]["constraints"]["properties"]
LAYERS = tuple(PACK_JSON["properties"]["layer"]["enum"])
CLOUDS = tuple(PACK_JSON["properties"]["cloudTypes"]["x-known"])
DEPENDENCY_TYPES = tuple(find(_CONSTRAINTS, ("dependencies", "items", "properties", "type", "enum")))
_RESOURCE = find(_CONSTRAINTS, ("resources", "items", "properties"))
RESOURCE_TYPES = tuple(_RESOURCE["type"]["enum"])
SCHEDULES = tuple(find(_RESOURCE, ("components", "items", "properties", "scheduleType", "enum")))


_compiled: list[Compiled] = []


def pack_json_schema() -> Compiled:
    """Return the schema of pack.json for the check of values; `unknown_names` checks names."""
    if not _compiled:
        from krmkit.libraries.schema.openapi import read_schema

        _compiled.append(read_schema(_opened(PACK_JSON)))
    return _compiled[0]


def _opened(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_opened(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    more = {"x-kubernetes-preserve-unknown-fields": True} if schema.get("type") == "object" else {}
    return {
        name: _opened(one) for name, one in schema.items() if one is not False and name != "$schema"
    } | more
