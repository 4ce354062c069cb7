"""The values of a resource by their paths, those of a pack's values.yaml included, as results name them."""

from __future__ import annotations

import re

from krmkit.cli.report.macrowords import with_macros, without_macros
from krmkit.krm.errors import ListError
from krmkit.krm.resource import Resource
from krmkit.palette.packitems import CARRIERS, place
from krmkit.yaml.errors import YamlError

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
        path_of_values = place(kind, "values.yaml")
        inner = resource.string(*path_of_values) if kind in CARRIERS else ""
        if inner:
            bare, words = without_macros(inner)
            below: dict[str, object] = {}
            _flatten(Resource(bare).get(), "", below)
            found.pop(".".join(path_of_values), None)
            macros = list(words)
            for path, value in below.items():
                shown = with_macros(value, macros) if isinstance(value, str) else value
                found.setdefault(with_macros(path, macros), shown)
    except (ListError, YamlError):
        return found  # a text that is no mapping stays one value
    return found


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
    return plain(wanted) in above(path)


def above(path: str) -> list[str]:
    """A path and those above it, without marks: what covers it. `above("a[0].b") == ["a", "a.0", "a.0.b"]`."""
    bare = plain(path)
    return [*(bare[: match.start()] for match in re.finditer("[.]", bare)), bare]
