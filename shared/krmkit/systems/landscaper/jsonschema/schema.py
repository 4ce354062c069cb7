"""Check values by JSON schemas as gojsonschema does.

violations({"type": "object", "required": ["a"]}, {})   # ["(root): a is required"]

A library decides whether a schema is valid, after `_meant` has rewritten the parts that gojsonschema reads
differently. Values are checked as gojsonschema does (`errors`). Its messages contain no values: they may be
secrets.
"""

from __future__ import annotations

from typing import Any

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.messages.extras import missing
from krmkit.libraries.yaml.effort import EffortError
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.jsonschema.errors import LATER, explained
from krmkit.systems.landscaper.jsonschema.faults import LISTED, NAMED, ONE, check_schema

_DEEPEST = 200
_MOST = 100
_DRAFTS = {
    "draft-04": ("Draft4Validator", frozenset[str]()),
    "draft-06": ("Draft6Validator", LATER - {"if", "then", "else"}),
    "draft-07": ("Draft7Validator", LATER),
}
"""The library's class for each draft, and the keywords that the draft knows beside the common ones."""


def violations(schema: object, value: object) -> list[str]:
    """Return at most 100 violations as `field: text`, in gojsonschema's order. Raises GoInputError."""
    try:
        import jsonschema_rs
    except ImportError as error:
        raise missing("JSON schemas", error) from None
    if not isinstance(schema, (dict, bool)):
        raise GoInputError("Invalid JSON: a schema must be an object or a boolean")
    check_depth(value)
    check_depth(schema)
    draft = str(schema.get("$schema", "")) if isinstance(schema, dict) else ""
    # The reference knows drafts 4, 6 and 7, and reads every other schema as a mixture of them.
    known = next((name for name in _DRAFTS if name in draft), "")
    library, keywords = _DRAFTS[known or "draft-07"]
    try:
        whole = (
            _meant({key: item for key, item in schema.items() if key != "$schema"}, not known)
            if isinstance(schema, dict)
            else schema
        )
        check_schema(whole, LATER - keywords)
        getattr(jsonschema_rs, library)(whole, offline=True, pattern_options=jsonschema_rs.RegexOptions())
        return explained(whole, value, keywords)[:_MOST]
    except EffortError:
        raise
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        raise GoInputError(str(error).partition("\n")[0]) from None


def _meant(schema: Any, mixed: bool) -> Any:
    """Translate a schema from gojsonschema's reading to the library's.

    A reference hides the keywords beside it, and `#definitions/a`, which is not a pointer, means the whole
    schema. The encoding and the media type of a text are ignored. mixed: the schema has no draft, so
    `exclusiveMinimum: true` means the same as in draft 4.
    """
    if not isinstance(schema, dict):
        return schema
    meant = {key: value for key, value in schema.items() if key not in _IGNORED}
    for name in NAMED & meant.keys():
        if isinstance(meant[name], dict):
            meant[name] = {key: _meant(inner, mixed) for key, inner in meant[name].items()}
    for name in (ONE | LISTED) & meant.keys():
        part = meant[name]
        meant[name] = (
            [_meant(inner, mixed) for inner in part] if isinstance(part, list) else _meant(part, mixed)
        )
    reference = meant.get("$ref")
    if isinstance(reference, str):
        for name in _HIDDEN & meant.keys():
            del meant[name]
        if reference.startswith("#") and not reference.startswith("#/"):
            meant["$ref"] = "#"
    for exclusive, limit in _LIMITS.items() if mixed else ():
        if isinstance(meant.get(exclusive), bool) and limit in meant:
            if meant.pop(exclusive):
                meant[exclusive] = meant.pop(limit)
    return meant


_IGNORED = frozenset({"contentEncoding", "contentMediaType"})
_LIMITS = {"exclusiveMaximum": "maximum", "exclusiveMinimum": "minimum"}
_HIDDEN = frozenset({*_LIMITS, "enum", "maximum", "minimum", "required", "type"})


def check_depth(value: object) -> None:
    """Raise InstallationError for a value that is nested too deeply."""
    pending: list[tuple[object, int]] = [(value, 0)]
    while pending:
        node, depth = pending.pop()
        if depth > _DEEPEST:
            raise InstallationError("limit", f"a value is nested more than {_DEEPEST} deep")
        if isinstance(node, dict):
            pending += [(item, depth + 1) for item in node.values()]
        elif isinstance(node, list):
            pending += [(item, depth + 1) for item in node]
