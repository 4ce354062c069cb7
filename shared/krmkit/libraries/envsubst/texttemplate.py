"""A text with `${VARIABLE}`s, parsed once and filled repeatedly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from krmkit.libraries.envsubst.bracedvariables import BracedVariable, Part, SubstitutionError, parts_of
from krmkit.libraries.envsubst.substitute import joined
from krmkit.libraries.messages.nearest import nearest


@dataclass(slots=True)
class TemplateVariable:
    """One variable, by its first occurrence in a template: `required` if no operator follows the name."""

    name: str
    required: bool
    default: str = ""


class TextTemplate:
    """A parsed template. Raises SubstitutionError.

    TextTemplate("name: ${NAME}\\nversion: ${VERSION:=v1.33.1}\\n").filled({"NAME": "lyon"})
    """

    def __init__(self, text: str) -> None:
        self._parts = parts_of(text)

    @property
    def variables(self) -> list[TemplateVariable]:
        """The variables, sorted by name, without those inside defaults of others, as in clusterctl."""
        found: dict[str, TemplateVariable] = {}
        for part in self._parts:
            if isinstance(part, BracedVariable) and part.name not in found:
                default = _shown(part.arguments[0]) if part.has_default else ""
                found[part.name] = TemplateVariable(part.name, not part.arguments, default)
        return [found[name] for name in sorted(found)]

    def filled(self, values: Mapping[str, str]) -> str:
        """Replace the variables by their values. Raises SubstitutionError, which names all missing ones."""
        known = self.variables
        missing = [one.name for one in known if one.required and one.name not in values]
        if missing:
            names = {one.name for one in known}
            wrong = [(name, nearest(name, missing)) for name in values if name not in names]
            meant = "".join(
                f'; the template has no {name}, did you mean "{near}"?' for name, near in wrong if near
            )
            raise SubstitutionError(
                f"no value for {', '.join(missing)}; give it in --values FILE or by --set NAME=VALUE{meant}"
            )
        return joined(self._parts, values)


def _shown(parts: list[Part]) -> str:
    return "".join(part if isinstance(part, str) else f"${{{part.name}}}" for part in parts)
