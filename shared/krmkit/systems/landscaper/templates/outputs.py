"""Read the keys of executors' output as Go's encoding/json does: in any letter case.

Only the fields of Go structs are read so. Free data in them (config, labels, exports, bindings), and the
templates of nested installations, keep their keys.
"""

from __future__ import annotations

from collections.abc import Iterator

from krmkit.libraries.json import Object
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.walk import kind_of
from krmkit.systems.landscaper.errors import InstallationError

_TARGET: Object = dict.fromkeys(("import", "index", "key", "name", "namespace"))
_ITEM: Object = {
    **dict.fromkeys(("name", "type"), ""),
    **dict.fromkeys(("config", "timeout", "updateOnChangeOnly")),
    "labels": {},
    "dependsOn": [""],
    "target": _TARGET,
    "onDelete": {"skipUninstallIfClusterRemoved": None},
}
OUTPUTS: dict[str, Object] = {
    "import": {"bindings": {}, "errors": [""], "state": None},
    "subinst": {"subinstallations": [{}], "state": None},
    "deploy": {"deployItems": [_ITEM], "state": None},
    "export": {"exports": {}, "state": None},
}
"""The fields of each phase's output; an empty mapping has any keys, and None is free data."""
_TYPES: dict[type, str] = {dict: "a mapping", list: "a list", str: "a text"}


def folded(value: object, shape: object) -> object:
    """Spell keys like the fields: folded({"DependsOn": []}, {"dependsOn": None}) has dependsOn.

    Of several spellings of one field, the last in byte order wins, as YAML becomes JSON with sorted keys.
    """
    if isinstance(shape, list) and isinstance(value, list):
        return [folded(one, shape[0]) for one in value]
    if not isinstance(shape, dict) or not isinstance(value, dict):
        return value
    fields = {_fold(name): name for name in shape}
    known = all(key in shape or _fold(str(key)) not in fields for key in value)
    found: Object = {}
    for key in value if known else sorted(value, key=lambda one: str(one).encode("utf-8", "surrogatepass")):
        name = str(fields.get(_fold(str(key)), key))
        found[name] = folded(value[key], shape.get(name))
    return found


def misfit(value: object, shape: object, place: str = "") -> str:
    """Return the first field that Go cannot decode, as `dependsOn must be a list, got string`; "" if none."""
    if value is None or shape is None:
        return ""
    if not isinstance(value, type(shape)):
        return f"{place or 'the output'} must be {_TYPES[type(shape)]}, got {kind_of(value)}"
    inner: Iterator[tuple[str, object, object]] = iter(())
    if isinstance(value, list) and isinstance(shape, list):
        inner = ((f"{place}[{index}]", one, shape[0]) for index, one in enumerate(value))
    elif isinstance(value, dict) and isinstance(shape, dict):
        inner = ((f"{place}.{key}".lstrip("."), one, shape.get(key)) for key, one in value.items())
    return next(filter(None, (misfit(one, wanted, here) for here, one, wanted in inner)), "")


def unknown_keys(value: object, shape: object, place: str = "") -> list[tuple[str, str, list[str]]]:
    """Return place, name and known names of each unknown key; an empty shape allows any key."""
    if isinstance(shape, list) and shape and isinstance(value, list):
        return [
            one
            for index, inner in enumerate(value)
            for one in unknown_keys(inner, shape[0], f"{place}[{index}]")
        ]
    if not shape or not isinstance(shape, dict) or not isinstance(value, dict):
        return []
    found = [(place, str(key), list(shape)) for key in value if key not in shape]
    for key, inner in value.items():
        found += unknown_keys(inner, shape.get(key), f"{place}.{key}".lstrip("."))
    return found


def unknown_fields_of(value: object, shape: object, where: str) -> list[InstallationError]:
    """Return a warning for each unknown key. where: the part of the blueprint with the data."""
    found = []
    for place, name, known in unknown_keys(value, shape):
        path = " ".join(filter(None, ("blueprint", ".".join(filter(None, (where, place))))))
        message = f"{path}: {name} is no field, so Landscaper does not read it" + did_you_mean(name, known)
        found.append(InstallationError("unknown-field", message, word=f"{name}:"))
    return found


def _fold(key: str) -> str:
    """Return a key as Go compares it: in lower case, the long s as s."""
    return key.lower().replace("ſ", "s")
