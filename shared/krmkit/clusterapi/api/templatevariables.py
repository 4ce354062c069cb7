"""`${VARIABLE}` in Cluster API's templates: what `clusterctl generate yaml` puts in their place, and objects that still hold them."""

from __future__ import annotations

from dataclasses import dataclass

from krmkit.envsubst.bracedvariables import BracedVariable, Part, parts_of
from krmkit.envsubst.substitute import joined
from krmkit.messages.nearest import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

REMEDY = "give it a value: krmkit clusterctl generate FILE --values VALUES.yaml -o NEW_FILE"
_SHOWN = 5


class MissingValueError(ValueError):
    """Variables of a template have no value, and no default."""


@dataclass(slots=True)
class TemplateVariable:
    """One variable of a template. clusterctl looks at its first place: it needs a value if nothing follows on the name there."""

    name: str
    required: bool
    default: str = ""


class ClusterTemplate:
    """A template, read once. Raises SubstitutionError.

    ClusterTemplate("name: ${NAME}\\nversion: ${VERSION:=v1.33.1}\\n").filled({"NAME": "lyon"})
    """

    def __init__(self, text: str) -> None:
        self._parts = parts_of(_without_spaces(text))

    @property
    def variables(self) -> list[TemplateVariable]:
        """Its variables, by name. One within a default of another is not counted, as in clusterctl."""
        found: dict[str, TemplateVariable] = {}
        for part in self._parts:
            if isinstance(part, BracedVariable) and part.name not in found:
                default = _shown(part.arguments[0]) if part.has_default else ""
                found[part.name] = TemplateVariable(part.name, not part.arguments, default)
        return [found[name] for name in sorted(found)]

    def filled(self, values: Mapping[str, str]) -> str:
        """Return the text with values in place of variables. Raises MissingValueError, which names all that are missing."""
        missing = [one.name for one in self.variables if one.required and one.name not in values]
        if missing:
            known = {one.name for one in self.variables}
            wrong = [(name, nearest(name, missing)) for name in values if name not in known]
            meant = "".join(
                f'; the template has no {name}, did you mean "{near}"?' for name, near in wrong if near
            )
            raise MissingValueError(
                f"no value for {', '.join(missing)}; give it in --values FILE or by --set NAME=VALUE{meant}"
            )
        return joined(self._parts, values)


def _shown(parts: list[Part]) -> str:
    return "".join(part if isinstance(part, str) else f"${{{part.name}}}" for part in parts)


def _without_spaces(text: str) -> str:
    """Return the text with `${NAME}` for `${ NAME }`, which clusterctl knows from earlier times."""
    import re

    return re.sub(r"\$\{\s*([A-Za-z0-9_$]+)\s*\}", r"${\1}", text)


def unfilled(data: Mapping[str, Any]) -> tuple[str, str]:
    """Return the path of a value that is still a variable of a template, and what is to be said; ("", "") for none.

    Looked at are names and what a topology's form depends on, and no texts that may hold shell of their own (commands, files).
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
    """Return the name of the variable that a text begins with, "" for another value."""
    if not isinstance(value, str) or not value.startswith("${"):
        return ""
    inner = value[2:].lstrip()
    end = 0
    while end < len(inner) and (inner[end].isalnum() or inner[end] == "_"):
        end += 1
    return inner[:end] if "}" in inner[end:] else ""
