"""Read a config given as a flat ConfigMap.

Its `data` holds texts. Each key is a field of the spec, and its text is read as the type in the field's
schema: integers, numbers and booleans by their YAML form, lists and maps as YAML or JSON text. function.yaml
may define the meaning of other keys:

    configMap:
      others:
        into: selections    # the field of the spec that takes them: a list or a map
        key: pack           # (list) the field of an entry that takes the key
        value: presets      # (list) the field of an entry that takes the text
        split: ","          # (list) split the text here; entries are trimmed, empty ones dropped
"""

from __future__ import annotations

from krmkit.libraries.json.paths import join
from krmkit.libraries.schema.openapi import read_schema
from krmkit.libraries.schema.violations import Violation, validate
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.scalars import go_resolve
from krmkit.libraries.yaml.tree import Map, Scalar, deref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.krm.resource import Resource

_FIELDS = ("apiVersion", "kind", "metadata", "data", "immutable", "<<")
_TEXT: dict[str, Any] = {"type": "string"}


def flat(
    schema: dict[str, Any], mapping: dict[str, Any], resource: Resource, violations: list[Violation]
) -> object:
    """Return the spec that a ConfigMap describes, checked against `schema`.

    `mapping` is `configMap` of function.yaml. Errors are appended to `violations`, with paths in the
    ConfigMap.
    """
    for key in resource.root.names():
        if key not in _FIELDS:
            violations.append(
                Violation(join("", key), f'unknown field "{key}"; a ConfigMap holds the config under data')
            )
    fields: dict[str, Any] = schema["properties"]
    others: dict[str, str] | None = mapping.get("others")
    spec: dict[str, Any] = {}
    places: dict[str, str] = {}  # place of a value in the spec -> where it was written
    for key, text in _texts(resource, violations).items():
        path = join("data", key)
        if key in fields or others is None:
            value, problem = _read(fields.get(key, _TEXT), text)
            if problem is None:
                spec[key] = value
            else:
                violations.append(Violation(path, problem))
        else:
            field = others["into"]
            problem = _put(spec, field, fields[field], others, key, text, places, path)
            if problem is not None:
                violations.append(Violation(path, problem))
    unreadable = {violation.path for violation in violations}
    checked, found = validate(read_schema(schema), spec, "data")
    for violation in found:
        for start, place in places.items():
            rest = violation.path[len(start) :]
            if violation.path.startswith(start) and rest[:1] in {"", ".", "["}:
                violation.path = place
        if violation.path not in unreadable:
            violations.append(violation)
    return checked


def _texts(resource: Resource, violations: list[Violation]) -> dict[str, str]:
    """Return the data of a ConfigMap as texts: an unquoted `true` or `3` counts as "true" or "3"."""
    texts: dict[str, str] = {}
    data = resource.node("data")
    if isinstance(data, Map):
        for entry in data.entries:
            value = deref(entry.value)
            path = join("data", entry.name or "")
            if not isinstance(value, Scalar):
                wanted = "must be a text; put the YAML or JSON after `|`, indented"
                violations.append(Violation(path, wanted))
            elif entry.name is not None:
                texts[entry.name] = value.text
    elif data is not None and resource.get("data") is not None:
        from krmkit.libraries.schema.violationtexts import describe

        violations.append(Violation("data", f"must be a map, not {describe(resource.get('data'))}"))
    return texts


def _read(schema: dict[str, Any], text: str) -> tuple[object, str | None]:
    """Read a text as a value of the type in `schema`. Return (value, None), or (None, error)."""
    kind = schema.get("type")
    if kind in {"array", "object"}:
        try:
            root = parse(text).root
            return (None if root is None else go_data(root)), None
        except YamlError as error:
            return None, _wanted(kind, f", written as YAML or JSON: {error}")
    if kind == "string" or (kind is None and schema.get("x-kubernetes-int-or-string") is not True):
        return text, None
    tag, value = go_resolve(text.strip())
    if kind is None:
        return (value if tag == "int" else text), None
    right = {"integer": ("int", "float"), "number": ("int", "float"), "boolean": ("bool",)}[kind]
    if tag in right:
        return value, None
    shown = "" if schema.get("format") == "password" else f', not "{text[:40]}"'
    return None, _wanted(kind, shown)


def _wanted(kind: str, rest: str) -> str:
    """Return the error for a text that is not of the type `kind`."""
    from krmkit.libraries.schema.violationtexts import NAMES

    return f"must be {NAMES[kind]}{rest}"


def _put(
    spec: dict[str, Any],
    field: str,
    schema: dict[str, Any],
    others: dict[str, str],
    key: str,
    text: str,
    places: dict[str, str],
    path: str,
) -> str | None:
    """Store a key that is no field of the spec, as `others` says. Return the error in its text, or None."""
    if schema["type"] == "object":
        value, problem = _read(schema.get("additionalProperties") or _TEXT, text)
        if problem is None:
            spec.setdefault(field, {})[key] = value
            places[join(f"data.{field}", key)] = path
        return problem
    separator = others.get("split")
    if separator:
        value = [part.strip() for part in text.split(separator) if part.strip()]
    else:
        value, problem = _read(schema["items"]["properties"][others["value"]], text)
        if problem is not None:
            return problem
    entries = spec.setdefault(field, [])
    if isinstance(entries, list):
        places[f"data.{field}[{len(entries)}]"] = path
        entries.append({others["key"]: key, others["value"]: value})
    return None
