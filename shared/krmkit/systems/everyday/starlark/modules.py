"""Wrap a program in Starlark: its predeclared names, the modules to load, and the check of its result.

Names with an underscore are Python's: `_spend` uses up steps of the effort, `_exceed` ends a program whose
value has more than `_most` values or is deeper than `_deepest`.
"""

from __future__ import annotations

MOST_VALUES = 2_000_000
"""Most values in a program's resources, or in what it prints or encodes; a list held twice counts twice."""

_KRMFN = """
def _match_gvk(resource, api_version, kind):
    if resource.get("kind") != kind or resource.get("apiVersion") != api_version:
        return False
    return _finds(api_version)

def _match_name(resource, name):
    return (resource.get("metadata", {}).get("name") or "") == name

def _match_namespace(resource, namespace):
    return (resource.get("metadata", {}).get("namespace") or "") == namespace

krmfn = struct(match_gvk = _match_gvk, match_name = _match_name, match_namespace = _match_namespace)
"""
# A module that defines `json` does not see the interpreter's own; this one hands it on. `moderate`
# counts the values in a value before Python gets it.
_NATIVE = """
native_json = json

def moderate(value):
    layer, count = [value], 0
    for _ in range(_deepest + 1):
        inner = []
        for one in layer:
            kind = type(one)
            if kind in ("dict", "list", "tuple", "range", "set"):
                count += len(one)
                if count > _most:
                    break
                inner.extend(one.values() if kind == "dict" else one)
        if count > _most:
            break
        if not inner:
            return count
        layer = inner
    _exceed()
"""
_JSON = """
load("native", "moderate", "native_json")

def _json_encode(value):
    _spend(8 * moderate(value))
    text = _encode(value)
    _spend(len(text) // 4)
    return text

def _json_decode(text):
    _spend(len(text))
    return native_json.decode(text)

def _json_indent(text, prefix = "", indent = "\\t"):
    _spend(len(text))
    return _indent(text, prefix, indent)

json = struct(encode = _json_encode, decode = _json_decode, indent = _json_indent)
"""
_YAML = """
load("native", "moderate")

def _yaml_loads(text):
    _spend(4 * len(text))
    return _loads(text)

def _yaml_dumps(value):
    _spend(8 * moderate(value))
    text = _dumps(value)
    _spend(len(text) // 4)
    return text

yaml = struct(loads = _yaml_loads, dumps = _yaml_dumps)
"""
_PRINT = """
load("native", "moderate")

def print(*words, sep = " "):
    _spend(8 * moderate(words))
    _show(sep, *words)
"""
LOADABLE = {"krmfn.star": _KRMFN, "encoding/json.star": _JSON, "encoding/yaml.star": _YAML}
MODULES = {**LOADABLE, "native": _NATIVE, "print": _PRINT}
HEAD = """
load("print", _print = "print")

print = _print
ctx = struct(resource_list = resource_list, open_api = {}, environment = {})
"""
TAIL = """
load("native", _moderate = "moderate")

_moderate(resource_list)
"""
