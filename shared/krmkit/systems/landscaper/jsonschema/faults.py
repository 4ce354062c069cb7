"""Find schema errors that gojsonschema reports and the Python library does not.

These are contradictions, duplicate values and dangling references: check_schema({"enum": [1, 1]}) raises
GoInputError: enum items must be unique.
"""

from __future__ import annotations

from typing import Any

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.json.functions import must_to_json
from krmkit.libraries.go.net.url import unescape
from krmkit.libraries.messages.nearest import proposal


def target(root: Any, reference: str) -> Any:
    """Return the target of a reference inside the schema.

    `#name`, which is not a pointer, means the whole schema. Raises GoInputError: target({},
    "#/definitions/x") fails with `Object has no key 'definitions'`.
    """
    value = root
    if not reference.startswith("#/"):
        return value
    steps = unescape(reference[2:], "fragment").split("/")
    for part in steps:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            if name not in value:
                raise GoInputError(f"Object has no key '{name}'")
            value = value[name]
        elif isinstance(value, list):
            is_index = name.isascii() and name.isdigit() and len(name) < 19  # what Go's numbers hold
            if not is_index or int(name) >= len(value):
                raise GoInputError(f"Out of bound array[0,{len(value)}] index '{name}'")
            value = value[int(name)]
        else:
            raise GoInputError(f"Invalid token reference '{name}'")
    return value


NAMED = frozenset({"definitions", "properties", "patternProperties", "dependencies"})
"""Keywords that hold schemas by names."""
ONE = frozenset(
    {"additionalItems", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"}
)
"""Keywords that hold one schema."""
LISTED = frozenset({"items", "allOf", "anyOf", "oneOf"})
"""Keywords that hold a list of schemas; `items` may hold one, too."""
_TYPES = ("array", "boolean", "integer", "number", "null", "object", "string")
_PAIRS = (("minLength", "maxLength"), ("minProperties", "maxProperties"))


def check_schema(root: object, unknown: frozenset[str]) -> None:
    """Raise GoInputError for the first error of a schema, in any part, used or not.

    unknown: the keywords that the schema's draft does not know.
    """
    draft_4 = "const" in unknown
    waiting: list[object] = [root]
    while waiting:
        schema = waiting.pop()
        if not isinstance(schema, dict):
            continue
        if isinstance(schema.get("$ref"), str):
            if schema["$ref"].startswith("#"):
                target(root, schema["$ref"])
            schema = {
                "definitions": schema.get("definitions")
            }  # other keywords beside a reference are not read
        _check(schema, draft_4)
        for name, part in schema.items():
            if name in NAMED and isinstance(part, dict):
                waiting += part.values()
            elif name in LISTED and isinstance(part, list):
                waiting += part
            elif (name in ONE or name in LISTED) and name not in unknown:
                waiting.append(part)


def _check(schema: dict[str, Any], draft_4: bool) -> None:
    types = schema.get("type")
    for one in types if isinstance(types, list) else [types]:
        if isinstance(one, str) and one not in _TYPES:
            known = " ".join(_TYPES)
            raise GoInputError(
                f"has a primitive type that is NOT VALID -- given: /{one}/ Expected valid values are:[{known}]"
                + proposal(one, _TYPES)
            )
    for least, most in _PAIRS:
        low, high = schema.get(least), schema.get(most)
        if isinstance(low, int) and isinstance(high, int) and low > high:
            raise GoInputError(f"{least} cannot be greater than {most}")
    options = schema.get("enum")
    if isinstance(options, list) and len({must_to_json(option) for option in options}) < len(options):
        raise GoInputError("enum items must be unique")
    for exclusive, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if exclusive in schema and draft_4 and not isinstance(schema[exclusive], bool):
            raise GoInputError(f"Invalid type. Expected: boolean, given: {exclusive}")
        if isinstance(schema.get(exclusive), bool) and limit not in schema:
            raise GoInputError(f"{exclusive} cannot be used without {limit}")
