"""The values of a resource by their paths, those of a pack's values.yaml included, as results name them."""

from __future__ import annotations

from krmkit.cli.report.resultplaces import without_macros
from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.yaml.errors import YamlError

VALUES = {"ConfigMap": ("data", "values.yaml"), "Pack": ("spec", "values")}
MISSING = object()


def values_of(text: str | None, kind: str) -> dict[str, object]:
    """Every scalar (and empty collection) of a resource by its path: `{"kind": "Service", "spec.ports[0].port": 80}`.

    The values of a pack stand under their own paths, as in `charts.app.replicas`, and not as a text.
    """
    if text is None:
        return {}
    found: dict[str, object] = {}
    try:
        resource = Resource(text)
        _flatten(resource.get(), "", found)
        place = VALUES.get(kind)
        inner = resource.string(*place) if place else ""
        if inner:
            bare, macros = without_macros(inner)
            below: dict[str, object] = {}
            _flatten(Resource(bare).get(), "", below)
            found.pop(".".join(VALUES[kind]), None)
            named = {str(_back(path, macros)): _back(value, macros) for path, value in below.items()}
            found.update({path: value for path, value in named.items() if path not in found})
    except (ListError, YamlError):
        return found  # a text that is no mapping stays one value
    return found


def _back(value: object, macros: dict[str, str]) -> object:
    """A value with the macros that were taken out of its text."""
    if isinstance(value, str):
        for word, macro in macros.items():
            value = value.replace(word, macro)
    return value


def _flatten(value: object, path: str, found: dict[str, object]) -> None:
    if isinstance(value, dict) and value:
        for key, below in value.items():
            _flatten(below, f"{path}.{key}" if path else str(key), found)
    elif isinstance(value, list) and value:
        for number, below in enumerate(value):
            _flatten(below, f"{path}[{number}]", found)
    else:
        found[path] = value


def plain(path: str) -> str:
    """A path without marks, for comparing: `a[0]."b.c"` and `a[0].b.c` are the same."""
    return path.replace('"', "").replace("'", "").replace("[", ".").replace("]", "").strip(".")


def covers(wanted: str, path: str) -> bool:
    """Whether a path is the wanted one, or lies below it."""
    wanted, path = plain(wanted), plain(path)
    return path == wanted or path.startswith(f"{wanted}.")
