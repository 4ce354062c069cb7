"""JSON schemas of imports and exports, checked as gojsonschema checks them.

    violations({"type": "object", "required": ["a"]}, {})   # ["(root): a is required"]

The texts are those of gojsonschema, without values: they may be secrets.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from krmkit.landscaper.errors import InstallationError
from krmkit.landscaper.schemacost import check_cost
from krmkit.lang.schemawalk import kind_of
from krmkit.yaml.effort import EffortError

if TYPE_CHECKING:
    import jsonschema_rs

_DEEPEST = 200
_MOST = 100
_DRAFTS = {"draft-04": "Draft4Validator", "draft-06": "Draft6Validator", "draft-07": "Draft7Validator"}


class JsonSchemaError(ValueError):
    """The schema itself is invalid."""


def violations(schema: object, value: object) -> list[str]:
    """Return every violation as `field: text`, at most 100, in the order of the schema; [] for a valid value.

    Raises JsonSchemaError for an invalid schema.
    """
    import jsonschema_rs

    if not isinstance(schema, (dict, bool)):
        raise JsonSchemaError("Invalid JSON: a schema must be an object or a boolean")
    check_depth(value)
    check_depth(schema)
    found: dict[str, None] = {}
    try:
        whole = _whole(schema)
        cost = check_cost(whole, value)
        validator = _validator(jsonschema_rs, schema, whole)
        if validator.is_valid(value):
            return []
        cost.explain()
        for error in validator.iter_errors(value):
            for line in _lines(error):
                found[line] = None
            if len(found) > _MOST:
                break
    except EffortError:
        raise
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        raise JsonSchemaError(_first_line(error)) from None
    return list(found)[:_MOST]


def _whole(schema: dict[str, object] | bool) -> Any:
    """Return the schema as gojsonschema reads it, without the name of its draft."""
    # The reference knows drafts 4, 6 and 7, and reads every other schema as a mixture of them.
    if isinstance(schema, dict) and "$schema" in schema:
        schema = {key: value for key, value in schema.items() if key != "$schema"}
    return _meant(schema)


def _validator(library: Any, schema: dict[str, object] | bool, whole: Any) -> jsonschema_rs.Validator:
    draft = schema.get("$schema", "") if isinstance(schema, dict) else ""
    name = next((cls for key, cls in _DRAFTS.items() if key in str(draft)), "Draft7Validator")
    validator: jsonschema_rs.Validator = getattr(library, name)(
        whole, validate_formats=True, offline=True, pattern_options=library.RegexOptions()
    )
    return validator


def _meant(schema: Any) -> Any:
    """Return the schema as gojsonschema reads it: `#definitions/a` is `#`, because a fragment that is not a pointer means the whole schema."""
    if isinstance(schema, list):
        return [_meant(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _meant(value) for key, value in schema.items()}
    reference = found.get("$ref")
    if isinstance(reference, str) and reference.startswith("#") and not reference.startswith("#/"):
        found["$ref"] = "#"
    if found.get("additionalProperties") is False:
        found.setdefault("properties", {})  # with it the library names the unknown properties
    return found


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


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _lines(error: jsonschema_rs.ValidationError) -> list[str]:
    """Return gojsonschema's lines about one error: one line, or one for each name, and the lines of anyOf's and oneOf's branches."""
    place = ".".join(map(str, error.instance_path)) or "(root)"
    kind: Any = error.kind
    name = type(kind).__name__
    if name in _TEXTS:
        return [f"{place}: {_TEXTS[name].format(limit=_number(kind))}"]
    if name == "Type":
        return [f"{place}: Invalid type. Expected: {'/'.join(kind.types)}, given: {_type(error.instance)}"]
    if name == "Required":
        return [f"{place}: {kind.property} is required"]
    if name == "AdditionalProperties":
        return [f"{place}: Additional property {key} is not allowed" for key in kind.unexpected]
    if name == "Enum":
        allowed = ", ".join(json.dumps(option, ensure_ascii=False) for option in kind.options)
        return [f"{place}: {place} must be one of the following: {allowed}"]
    if name == "Constant":
        return [f"{place}: {place} does not match: {json.dumps(kind.expected_value, ensure_ascii=False)}"]
    if name in ("AnyOf", "OneOfNotValid"):
        return [f"{place}: {_COMBINED[name]}", *_best(kind.context)]
    if name == "PropertyNames":
        return [
            f'{place}: Property name of "{error.instance_path[-1] if error.instance_path else ""}" does not match'
        ]
    return [f"{place}: does not match the schema ({name})"]


def _best(branches: list[list[jsonschema_rs.ValidationError]]) -> list[str]:
    """Return the violations of the branch with the best match."""
    if not branches:
        return []
    return [line for error in min(branches, key=len) for line in _lines(error)]


_COMBINED = {
    "AnyOf": "Must validate at least one schema (anyOf)",
    "OneOfNotValid": "Must validate one and only one schema (oneOf)",
}
_TEXTS = {
    "OneOfMultipleValid": _COMBINED["OneOfNotValid"],
    "Not": "Must not validate the schema (not)",
    "AdditionalItems": "No additional items allowed on array",
    "MinItems": "Array must have at least {limit} items",
    "MaxItems": "Array must have at most {limit} items",
    "UniqueItems": "array items must be unique",
    "Contains": "At least one of the items must match",
    "MinProperties": "Must have at least {limit} properties",
    "MaxProperties": "Must have at most {limit} properties",
    "MinLength": "String length must be greater than or equal to {limit}",
    "MaxLength": "String length must be less than or equal to {limit}",
    "Pattern": "Does not match pattern '{limit}'",
    "Format": "Does not match format '{limit}'",
    "MultipleOf": "Must be a multiple of {limit}",
    "Minimum": "Must be greater than or equal to {limit}",
    "Maximum": "Must be less than or equal to {limit}",
    "ExclusiveMinimum": "Must be greater than {limit}",
    "ExclusiveMaximum": "Must be less than {limit}",
    "FalseSchema": "False always fails validation",
}


def _number(kind: Any) -> str:
    value = getattr(kind, "value", "")
    return f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value)


def _type(value: object) -> str:
    return "integer" if isinstance(value, float) and value.is_integer() else kind_of(value)
