"""Find changes of a variable's definition that break Clusters with a value for it.

Source: Cluster API's guidelines for variable discovery, "Avoid breaking changes to variable definitions".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from krmkit.libraries.schema.fields import mapping
from krmkit.systems.clusterapi.variables.values import VariableValue

Data = Mapping[str, Any]

_MOST = ("maximum", "maxLength", "maxItems", "maxProperties")
_LEAST = ("minimum", "minLength", "minItems", "minProperties")
_EXACT = ("pattern", "format", "multipleOf", "oneOf", "anyOf", "allOf", "not", "x-kubernetes-validations")
_SWITCHES = ("exclusiveMaximum", "exclusiveMinimum", "uniqueItems")


def breaking_changes(old: Data, new: Data) -> list[str]:
    """Return the reasons why values of the old definition may fail in the new one; [] if all fit.

    >>> text = {"schema": {"openAPIV3Schema": {"type": "string"}}}
    >>> breaking_changes(text, {"schema": {"openAPIV3Schema": {"type": "string", "maxLength": 5}}})
    ['maxLength is 5 now']
    """
    schemas = [mapping(one, "schema", "openAPIV3Schema") for one in (old, new)]
    found = []
    if new.get("required") and not old.get("required") and "default" not in schemas[1]:
        found.append("is required now and has no default")
    return found + _narrowed(schemas[0], schemas[1], "")


def _narrowed(old: Data, new: Data, path: str) -> list[str]:
    """Return the constraints that the new schema adds or changes.

    Any changed constraint counts, as its effect is undecidable here.
    """
    where = f"{path}: " if path else ""
    found = []
    if new.get("type") != old.get("type") and not (
        old.get("type") == "integer" and new.get("type") == "number"
    ):
        return [f"{where}type is {_shown(new.get('type'))} now, was {_shown(old.get('type'))}"]
    if "enum" in new:
        gone = [one for one in old.get("enum", []) if one not in new["enum"]]
        if gone or "enum" not in old:
            found.append(f"{where}enum has no {_shown(gone)} now" if gone else f"{where}enum is new")
    for key in (*_MOST, *_LEAST):
        if key in new and (key not in old or (new[key] < old[key] if key in _MOST else new[key] > old[key])):
            found.append(f"{where}{key} is {_shown(new[key])} now")
    found += [f"{where}{key} is another one" for key in _EXACT if new.get(key) and new[key] != old.get(key)]
    found += [f"{where}{key} is true now" for key in _SWITCHES if new.get(key) and not old.get(key)]
    properties = mapping(new, "properties")
    found += [f"{where}{name} is required now and has no default" for name in _required(old, new, properties)]
    found += _fields(old, new, properties, path)
    for key in ("items", "additionalProperties"):
        if isinstance(old.get(key), dict) and isinstance(new.get(key), dict):
            found += _narrowed(old[key], new[key], f"{path}{'[]' if key == 'items' else '.*'}")
    return found


def _required(old: Data, new: Data, properties: Data) -> list[str]:
    """Return the fields without a default that only the new schema requires."""
    before = old.get("required") or []
    names = [name for name in new.get("required") or [] if name not in before]
    return [name for name in names if "default" not in mapping(properties, name)]


def _fields(old: Data, new: Data, properties: Data, path: str) -> Iterator[str]:
    is_open = new.get("x-kubernetes-preserve-unknown-fields") or new.get("additionalProperties")
    for name, schema in mapping(old, "properties").items():
        here = f"{path}.{name}" if path else str(name)
        if name in properties:
            yield from _narrowed(schema or {}, properties[name] or {}, here)
        elif not is_open:
            yield f"the field {here} is gone"
    if old.get("x-kubernetes-preserve-unknown-fields") and not is_open:
        yield f"{path or 'the value'} takes no unknown fields now"


def _shown(value: object) -> str:
    return VariableValue("", value).shown()[:80]
