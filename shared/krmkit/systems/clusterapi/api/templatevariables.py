"""Find and fill `${VARIABLE}` in templates, as `clusterctl generate yaml` does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from krmkit.libraries.envsubst import TextTemplate

REMEDY = "give it a value: krmkit clusterctl generate FILE --values VALUES.yaml -o NEW_FILE"
_SHOWN = 5


def cluster_template(text: str) -> TextTemplate:
    """Parse a template as clusterctl does, which also accepts `${ NAME }`. Raises SubstitutionError."""
    return TextTemplate(_without_spaces(text))


def _without_spaces(text: str) -> str:
    """Replace `${ NAME }`, an old form that clusterctl accepts, by `${NAME}`."""
    import re

    return re.sub(r"\$\{\s*([A-Za-z0-9_$]+)\s*\}", r"${\1}", text)


def unfilled(data: Mapping[str, Any]) -> tuple[str, str]:
    """Find a value that is still a template variable; return its path and a message, or ("", "").

    Checks names and fields that determine a topology's form, but no texts that may hold shell code.
    """
    found = [(path, name) for path, value in _formal(data) if (name := _whole_variable(value))]
    if not found:
        return "", ""
    path, name = found[0]
    others = list(dict.fromkeys(other for _, other in found if other != name))
    more = (
        f" (so are {', '.join(others[:_SHOWN])}{', ...' if len(others) > _SHOWN else ''})" if others else ""
    )
    return path, f"${{{name}}} is a variable of a clusterctl template{more}; {REMEDY}"


def _formal(data: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for section in ("metadata", "spec"):
        part = data.get(section)
        if section == "metadata" and isinstance(part, dict):
            yield from ((f"metadata.{key}", part.get(key)) for key in ("name", "namespace"))
        elif isinstance(part, dict):
            for key, value in part.items():
                if key in ("topology", "clusterNetwork"):
                    yield from _below(f"spec.{key}", value)


def _below(path: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key != "variables":
                yield from _below(f"{path}.{key}", inner)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _below(f"{path}[{number}]", inner)
    else:
        yield path, value


def _whole_variable(value: object) -> str:
    """Return the name of the variable that a text begins with, "" if it begins with none."""
    if not isinstance(value, str) or not value.startswith("${"):
        return ""
    inner = value[2:].lstrip()
    end = 0
    while end < len(inner) and (inner[end].isalnum() or inner[end] == "_"):
        end += 1
    return inner[:end] if "}" in inner[end:] else ""
