"""A structural OpenAPI v3 schema, parsed from plain data, as the API server's JSONSchemaProps.

Function configs, Porch's kinds and the variables of ClusterClasses all use this language.

>>> schema = read_schema({"type": "object", "properties": {"cpu": {"type": "integer", "minimum": 1}}})
>>> schema.properties["cpu"].minimum
1.0
"""

from __future__ import annotations

from krmkit.libraries.schema.errors import SchemaError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from krmkit.libraries.kube.fielderror import Verbatim

MAX_DEPTH = 100
"""Nesting of a schema that is read; a deeper schema is an error."""

_EXACT = float(1 << 53)  # up to here every whole number is a float
_LARGEST = 1.7976931348623157e308
UNSUPPORTED = "id $schema $ref patternProperties dependencies additionalItems definitions".split()
# Go's name of a field where it differs from the key.
_GO_NAMES = {"$schema": "schema"}


class ValidationRule:
    """One entry of x-kubernetes-validations. `reason` is None if absent."""

    __slots__ = ("field_path", "message", "message_expression", "optional_old_self", "reason", "rule")

    def __init__(
        self,
        rule: str,
        message: str = "",
        message_expression: str = "",
        reason: str | None = None,
        field_path: str = "",
        optional_old_self: bool | None = None,
    ) -> None:
        self.rule = rule
        self.message = message
        self.message_expression = message_expression
        self.reason = reason
        self.field_path = field_path
        self.optional_old_self = optional_old_self

    def shown(self) -> Verbatim:
        """Return the rule as errors quote it: JSON with the order and names of Go's fields."""
        from krmkit.libraries.go.json.functions import must_to_json
        from krmkit.libraries.kube.fielderror import Verbatim

        fields = (
            ("Rule", self.rule),
            ("Message", self.message),
            ("MessageExpression", self.message_expression),
            ("Reason", self.reason),
            ("FieldPath", self.field_path),
            ("OptionalOldSelf", self.optional_old_self),
        )
        return Verbatim("{" + ",".join(f'"{name}":{must_to_json(value)}' for name, value in fields) + "}")


class Schema:
    """One node of a schema, named as in JSONSchemaProps; an absent field is None, "" or empty.

    `additional` is the schema of additionalProperties; `additional_allowed` is False only for
    `additionalProperties: false`. `default` is valid only with `has_default`: a null default counts as none.
    """

    type = ""
    format = ""
    title = ""
    description = ""
    properties: Mapping[str, Schema] = {}
    additional: Schema | None = None
    has_additional = False
    additional_allowed = True
    items: Schema | None = None
    required: Sequence[str] = []
    default: object = None
    has_default = False
    example: object = None
    has_example = False
    enum: Sequence[object] = []
    maximum: float | None = None
    minimum: float | None = None
    exclusive_maximum = False
    exclusive_minimum = False
    multiple_of: float | None = None
    max_length: int | None = None
    min_length: int | None = None
    max_items: int | None = None
    min_items: int | None = None
    max_properties: int | None = None
    min_properties: int | None = None
    unique_items = False
    pattern = ""
    all_of: Sequence[Schema] = []
    any_of: Sequence[Schema] = []
    one_of: Sequence[Schema] = []
    not_: Schema | None = None
    nullable = False
    preserve_unknown_fields = False
    int_or_string = False
    embedded_resource = False
    list_type: str | None = None
    list_map_keys: Sequence[str] = []
    map_type: str | None = None
    rules: Sequence[ValidationRule] = []


def wrapped(name: str, schema: Schema) -> Schema:
    """Return an object schema with the property `name`, because structural schemas start with an object."""
    outer = Schema()
    outer.type = "object"
    outer.properties = {name: schema}
    return outer


def read_schema(data: object, path: str = "") -> Schema:
    """Return the schema of plain data. Unknown keys are skipped, as in the API server.

    Raises SchemaError.
    """
    return _read(data, path, 0)


def _read(data: object, path: str, depth: int) -> Schema:
    if depth > MAX_DEPTH:
        raise SchemaError(f"a schema must not nest deeper than {MAX_DEPTH} levels", path)
    if not isinstance(data, dict):
        raise SchemaError(f"a schema must be a map, got {_kind(data)}", path)
    schema = Schema()
    for key, value in data.items():
        if value is None:
            continue
        plain = _PLAIN.get(key)
        if plain is not None:
            attribute, kind = plain
            fits = type(value) is kind is not float
            setattr(schema, attribute, value if fits else _scalar(value, kind, path, key))
        elif key in ("default", "example"):
            setattr(schema, key, value)
            setattr(schema, "has_" + key, True)
        elif key == "enum":
            schema.enum = [item for item in _list(value, _at(path, key)) if item is not None]
        elif key in ("required", "x-kubernetes-list-map-keys"):
            names = [_scalar(item, str, path, key) for item in _list(value, _at(path, key))]
            setattr(schema, "required" if key == "required" else "list_map_keys", names)
        elif key == "x-kubernetes-validations":
            place = _at(path, key)
            schema.rules = [_rule(item, f"{place}[{i}]") for i, item in enumerate(_list(value, place))]
        else:
            _read_inner(schema, key, value, path, depth + 1)
    return schema


def _read_inner(schema: Schema, key: str, value: object, path: str, depth: int) -> None:
    place = _at(path, key)
    if key == "properties":
        if not isinstance(value, dict):
            raise SchemaError(f"must be a map, got {_kind(value)}", place)
        schema.properties = {
            str(name): _read(inner, f"{place}[{name}]", depth) for name, inner in value.items()
        }
    elif key == "additionalProperties":
        schema.has_additional = True
        if isinstance(value, bool):
            schema.additional_allowed = value
        else:
            schema.additional = _read(value, place, depth)
    elif key == "items":
        if isinstance(value, list):
            raise SchemaError("OpenAPIV3Schema 'items' must be a schema, but is an array", place)
        schema.items = _read(value, place, depth)
    elif key == "not":
        schema.not_ = _read(value, place, depth)
    elif key in _JUNCTORS:
        inner = [_read(item, f"{place}[{i}]", depth) for i, item in enumerate(_list(value, place))]
        setattr(schema, _JUNCTORS[key], inner)
    elif key in UNSUPPORTED and value:
        raise SchemaError(f"OpenAPIV3Schema '{_GO_NAMES.get(key, key)}' is not supported", path)


def _rule(data: object, path: str) -> ValidationRule:
    if not isinstance(data, dict):
        raise SchemaError(f"a rule must be a map, got {_kind(data)}", path)
    text = {
        key: str(_scalar(data[key], str, path, key))
        for key in ("rule", "message", "messageExpression", "reason", "fieldPath")
        if data.get(key) is not None
    }
    optional = data.get("optionalOldSelf")
    return ValidationRule(
        text.get("rule", ""),
        text.get("message", ""),
        text.get("messageExpression", ""),
        text.get("reason") or None,
        text.get("fieldPath", ""),
        optional if isinstance(optional, bool) else None,
    )


def _scalar(value: object, kind: type, path: str, key: str) -> object:
    """Return a value of the type of Go's field: numbers are float64, lengths int64."""
    path = _at(path, key)
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        if not -_LARGEST <= value <= _LARGEST:
            raise SchemaError("must be a number that JSON can hold", path)
        return float(value)
    if kind is int and type(value) is float and value.is_integer():
        return int(value)
    if type(value) is not kind:
        raise SchemaError(f"must be {_NAMES[kind]}, got {_kind(value)}", path)
    return value


def _list(value: object, path: str) -> list[object]:
    if not isinstance(value, list):
        raise SchemaError(f"must be a list, got {_kind(value)}", path)
    return value


def _at(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _kind(value: object) -> str:
    for kind, name in (*_NAMES.items(), (list, "a list"), (dict, "a map")):
        if type(value) is kind:
            return name
    return "nothing" if value is None else type(value).__name__


def fill_defaults(schema: Schema | None, value: object) -> object:
    """Return the value with defaults; the argument is not changed, and unchanged parts are shared.

    A field that is absent, or null where null is forbidden, gets its default. An object without a default is
    not created. An integral float becomes an integer where the schema wants one, as when Go writes it.
    """
    if schema is None:
        return value
    if isinstance(value, dict):
        return _fill_map(schema, value)
    if isinstance(value, list):
        items = schema.items
        if items is None:
            return value
        filled = [fill_defaults(items, _or_default(items, inner)) for inner in value]
        return filled if any(a is not b for a, b in zip(filled, value, strict=True)) else value
    if type(value) is float and schema.type == "integer" and abs(value) <= _EXACT and value.is_integer():
        return int(value)
    return value


def _fill_map(schema: Schema, value: dict[str, object]) -> dict[str, object]:
    filled: dict[str, object] = {}
    changed = False
    properties = schema.properties
    for name, inner in value.items():
        known = properties.get(name)
        if known is None and schema.has_additional:
            known = schema.additional
        new = inner
        if known is not None:
            new = fill_defaults(known, _or_default(known, inner))
            changed = changed or new is not inner
        filled[name] = new
    for name, known in properties.items():
        if known.has_default and name not in value:
            filled[name] = fill_defaults(known, _copy(known.default))
            changed = True
    return filled if changed else value


def _or_default(schema: Schema, value: object) -> object:
    return _copy(schema.default) if value is None and schema.has_default and not schema.nullable else value


def _copy(value: object) -> object:
    if isinstance(value, dict):
        return {name: _copy(inner) for name, inner in value.items()}
    return list(map(_copy, value)) if isinstance(value, list) else value


_NAMES: dict[type, str] = {str: "a text", int: "an integer", float: "a number", bool: "true or false"}
_JUNCTORS = {"allOf": "all_of", "anyOf": "any_of", "oneOf": "one_of"}


def _attribute(key: str) -> str:
    """Return the attribute for a key: `max_length` for maxLength, `list_type` for x-kubernetes-list-type."""
    name = key.removeprefix("x-kubernetes-").replace("-", "_")
    return "".join([f"_{char.lower()}" if char.isupper() else char for char in name])


_PLAIN = {
    key: (_attribute(key), kind)
    for kind, keys in (
        (str, "type format title description pattern x-kubernetes-list-type x-kubernetes-map-type"),
        (float, "maximum minimum multipleOf"),
        (int, "maxLength minLength maxItems minItems maxProperties minProperties"),
        (bool, "exclusiveMaximum exclusiveMinimum uniqueItems nullable x-kubernetes-preserve-unknown-fields"),
        (bool, "x-kubernetes-int-or-string x-kubernetes-embedded-resource"),
    )
    for key in keys.split()
}
"""The attribute and the type of each key whose value is a scalar."""
