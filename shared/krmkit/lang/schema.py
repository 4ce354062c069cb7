"""A validator for structural OpenAPI v3 schemas, as Kubernetes writes them for custom resources.

`validate(schema, data, path)` takes plain data (what JSON can hold) and gives back a copy with the defaults
filled in and every violation, each with its path; it never stops at the first. Differences from Kubernetes:
an unknown field is a violation instead of being pruned (unless the schema says
`x-kubernetes-preserve-unknown-fields: true`), and so is a null for a field that is neither nullable nor has a
default.

Keywords: type, properties, additionalProperties, required, items, enum, minimum, maximum, exclusiveMinimum,
exclusiveMaximum, minLength, maxLength, minItems, maxItems, pattern, nullable, default,
x-kubernetes-int-or-string, x-kubernetes-preserve-unknown-fields; `format: password` keeps the value out of the
violations. `krmkit.lang.schemacheck` names everything else, so that no keyword is ignored unnoticed.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Schema = Mapping[
        str, Any
    ]  # a schema is plain data too; what stands under a keyword depends on the keyword

NAMES = {
    "object": "a map",
    "array": "a list",
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
}
_LONGEST_SHOWN = 64  # characters of a value that stands in a message


class Violation:
    """One place where data breaks the schema: `path` as in `spec.selections[0].pack`, and what would be right.

    `current` is the value found there when it is a scalar that may be shown, else None.
    """

    __slots__ = ("current", "message", "path")

    def __init__(self, path: str, message: str, current: object = None) -> None:
        self.path = path
        self.message = message
        self.current = current

    def __str__(self) -> str:
        return self.path + ": " + self.message if self.path else self.message

    def __repr__(self) -> str:
        return f"Violation({self.path!r}, {self.message!r}, {self.current!r})"


def validate(schema: Schema, data: object, path: str = "") -> tuple[object, list[Violation]]:
    """A copy of `data` with defaults, and the violations in the order of the data. `path` is where data stands."""
    violations: list[Violation] = []
    return _check(schema, data, path, violations), violations


def join(path: str, key: str) -> str:
    """`path` with one more map key; a key that would be misread inside a path is put in double quotes."""
    if not key or "." in key or "[" in key or '"' in key or " " in key:
        key = '"' + key.replace('"', '\\"') + '"'
    return path + "." + key if path else key


def _check(schema: Schema, data: object, path: str, violations: list[Violation]) -> object:
    if data is None:
        if schema.get("nullable") is True or ("type" not in schema and not _int_or_string(schema)):
            return None
        wanted = _wanted(schema)
        violations.append(
            Violation(path, f"must be {wanted}, not empty (null); leave the key out to say nothing")
        )
        return None
    kind = schema.get("type")
    if _int_or_string(schema):
        if type(data) is not int and type(data) is not str:
            _wrong_type(schema, data, path, violations)
            return data
    elif kind == "object":
        if type(data) is not dict:
            _wrong_type(schema, data, path, violations)
            return data
        return _check_map(schema, data, path, violations)
    elif kind == "array":
        if type(data) is not list:
            _wrong_type(schema, data, path, violations)
            return data
        return _check_list(schema, data, path, violations)
    elif kind == "integer":
        if type(data) is float and data.is_integer():
            data = int(data)
        if type(data) is not int:
            _wrong_type(schema, data, path, violations)
            return data
    elif kind == "number":
        if type(data) is not int and (type(data) is not float or data - data != 0.0):
            _wrong_type(schema, data, path, violations)
            return data
    elif kind == "string":
        if type(data) is not str:
            _wrong_type(schema, data, path, violations)
            return data
    elif kind == "boolean" and type(data) is not bool:
        _wrong_type(schema, data, path, violations)
        return data
    _check_scalar(schema, data, path, violations)
    return data


def _check_map(schema: Schema, data: dict[str, object], path: str, violations: list[Violation]) -> object:
    properties: Mapping[str, Schema] = schema.get("properties") or {}
    others: Any = schema.get("additionalProperties")
    if others is None:
        # A schema that names its fields is closed; one that names none says nothing about them.
        others = not properties or schema.get("x-kubernetes-preserve-unknown-fields") is True
    checked: dict[str, object] = {}
    for key, value in data.items():
        known = properties.get(key)
        if known is not None:
            if value is None and "default" in known and known.get("nullable") is not True:
                continue
            checked[key] = _check(known, value, join(path, key), violations)
        elif others is True:
            checked[key] = value
        elif others is False:
            from krmkit.lang.nearest import did_you_mean

            violations.append(
                Violation(join(path, key), f'unknown field "{key}"{did_you_mean(key, properties)}')
            )
        else:
            checked[key] = _check(others, value, join(path, key), violations)
    for key, known in properties.items():
        if key not in checked and "default" in known and (key not in data or data[key] is None):
            checked[key] = _check(known, known["default"], join(path, key), violations)
    for key in schema.get("required") or ():
        if key not in checked and key not in data:
            wanted = _wanted(properties[key]) if key in properties else "a value"
            violations.append(Violation(join(path, key), f"is required: {wanted}"))
    return checked


def _check_list(schema: Schema, data: list[object], path: str, violations: list[Violation]) -> object:
    _check_size(schema, data, path, violations)
    items = schema.get("items")
    if items is None:
        return list(data)
    return [_check(items, value, f"{path}[{index}]", violations) for index, value in enumerate(data)]


def _check_size(schema: Schema, data: list[object] | str, path: str, violations: list[Violation]) -> None:
    low, high, unit = "minItems", "maxItems", "entries"
    if isinstance(data, str):
        low, high, unit = "minLength", "maxLength", "characters"
    least: int | None = schema.get(low)
    most: int | None = schema.get(high)
    if least is not None and len(data) < least:
        if not data:
            violations.append(Violation(path, "must not be empty"))
        else:
            violations.append(Violation(path, f"must have at least {least} {unit}, not {len(data)}"))
    elif most is not None and len(data) > most:
        violations.append(Violation(path, f"must have at most {most} {unit}, not {len(data)}"))


def _check_scalar(schema: Schema, data: object, path: str, violations: list[Violation]) -> None:
    shown = None if schema.get("format") == "password" else data
    allowed: list[object] | None = schema.get("enum")
    if allowed is not None:
        # 1 == True in Python, and not in YAML.
        if not any(data == value and type(data) is type(value) for value in allowed):
            from krmkit.lang.nearest import nearest

            near = (
                nearest(data, (v for v in allowed if isinstance(v, str))) if isinstance(data, str) else None
            )
            hint = f'; did you mean "{near}"?' if near is not None and shown is not None else ""
            listed = ", ".join(str(value) for value in allowed)
            violations.append(Violation(path, f"must be one of {listed}{_instead(shown)}{hint}", shown))
        return
    if type(data) is str:
        _check_size(schema, data, path, violations)
        pattern: str | None = schema.get("pattern")
        if pattern is not None:
            import re

            # Patterns come from function.yaml, which we write ourselves; those of users go through RE2.
            if re.search(pattern, data, re.ASCII) is None:
                violations.append(Violation(path, f"must match the pattern {pattern}", shown))
    elif type(data) is int or type(data) is float:
        least: float | None = schema.get("minimum")
        most: float | None = schema.get("maximum")
        if least is not None and (data <= least if schema.get("exclusiveMinimum") is True else data < least):
            more = "more than" if schema.get("exclusiveMinimum") is True else "at least"
            violations.append(Violation(path, f"must be {more} {least}", shown))
        elif most is not None and (data >= most if schema.get("exclusiveMaximum") is True else data > most):
            less = "less than" if schema.get("exclusiveMaximum") is True else "at most"
            violations.append(Violation(path, f"must be {less} {most}", shown))


def _wrong_type(schema: Schema, data: object, path: str, violations: list[Violation]) -> None:
    found = describe(data)
    hint = ""
    secret = schema.get("format") == "password"
    scalar = isinstance(data, str | int | float)
    if scalar and schema.get("type") == "string":
        hint = "; put it in quotes"
    elif isinstance(data, str) and schema.get("type") in {"integer", "number", "boolean"}:
        hint = "; without quotes" if _reads_as(data, str(schema["type"])) else ""
    shown = data if scalar and not secret else None
    violations.append(Violation(path, f"must be {_wanted(schema)}, not {found}{hint}", shown))


def _instead(shown: object) -> str:
    """`, not "smal"`: a value that may be shown and is short enough to be read in a message."""
    if isinstance(shown, str):
        return f', not "{shown}"' if len(shown) <= _LONGEST_SHOWN else ""
    if isinstance(shown, int | float):
        return f", not {describe(shown) if isinstance(shown, bool) else shown}"
    return ""


def _reads_as(text: str, kind: str) -> bool:
    if kind == "boolean":
        return text in {"true", "false"}
    digits = text[1:] if text[:1] in {"-", "+"} else text
    if kind == "number":
        digits = digits.replace(".", "", 1)
    return digits.isascii() and digits.isdigit()


def describe(data: object) -> str:
    """What kind of value `data` is, in the words of the messages."""
    if data is None:
        return "empty (null)"
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, float) and data - data != 0.0:
        return "not-a-number" if str(data) == "nan" else "an infinite number"
    for kind, name in (
        (int, "integer"),
        (float, "number"),
        (str, "string"),
        (list, "array"),
        (dict, "object"),
    ):
        if isinstance(data, kind):
            return NAMES[name]
    return type(data).__name__


def _wanted(schema: Schema) -> str:
    if _int_or_string(schema):
        return "an integer or a string"
    allowed: list[object] | None = schema.get("enum")
    if allowed is not None:
        return "one of " + ", ".join(str(value) for value in allowed)
    return NAMES.get(str(schema.get("type")), "a value")


def _int_or_string(schema: Schema) -> bool:
    return schema.get("x-kubernetes-int-or-string") is True
