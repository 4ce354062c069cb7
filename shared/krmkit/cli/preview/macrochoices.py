"""Filling in macros: which ones a package uses, which values its config gives, and how another value gets there."""

from __future__ import annotations

import re

from krmkit.cli.preview.configplace import ChoiceError
from krmkit.lang.nearest import did_you_mean
from krmkit.render.diff import SECRET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.cli.preview.configplace import ConfigPlace
    from krmkit.krm.resource import Resource

_USED = re.compile(r"\{\{[^{}\n]*?\.spectro\.(system|macro|var)\.([A-Za-z0-9_.-]*[A-Za-z0-9_])")
_FIELDS = {"system": "system", "macro": "macros", "var": "variables"}
_MOST = 10_000  # characters of a value


class MacroChoices:
    """The values of one resolve-macros: `place` is its config, `items` are the resources that it gets."""

    def __init__(self, place: ConfigPlace, items: list[Resource]) -> None:
        self.place = place
        self._used = {
            (_FIELDS[kind], name)
            for item in items
            if ".spectro." in item.text
            for kind, name in _USED.findall(item.text)
        }

    def offered(self) -> dict[str, Any]:
        """Every macro that is used or has a value. Secret values are not said."""
        found: dict[str, Any] = {"id": self.place.id, "kind": "macros", "file": self.place.path}
        if self.place.flat:
            return {
                **found,
                "entries": [],
                "problem": "its config is a ConfigMap; values are edited in a ResolveMacros",
            }
        given = self._given()
        names = [*given, *sorted(self._used - given.keys())]
        return {**found, "entries": [self._entry(field, name, given) for field, name in names]}

    def _given(self) -> dict[tuple[str, str], dict[str, Any]]:
        """What the config says of each name: `value`, and `secret`."""
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for field in ("system", "macros"):
            values = self.place.get(field)
            for name, value in values.items() if isinstance(values, dict) else ():
                found[field, str(name)] = {"value": value}
        for one in self._variables():
            found["variables", str(one.get("name"))] = one
        return found

    def _variables(self) -> list[dict[str, Any]]:
        listed = self.place.get("variables")
        return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []

    def _entry(self, field: str, name: str, given: dict[tuple[str, str], dict[str, Any]]) -> dict[str, Any]:
        known = given.get((field, name), {})
        value, secret = known.get("value"), known.get("secret") is True
        text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        return {
            "field": field,
            "name": name,
            "value": SECRET if secret and text else text,
            "secret": secret,
            "given": value is not None,
            "used": (field, name) in self._used,
        }

    def choose(self, wanted: object) -> None:
        """Put `{field: {name: text}}` into the config; a value of null takes it out. Raises ChoiceError."""
        if self.place.flat:
            raise ChoiceError(f"{self.place.path}: {self.offered()['problem']}")
        if not isinstance(wanted, dict):
            raise ChoiceError(f"the values of {self.place.id} must be a map of fields, got {wanted!r}")
        for field, values in wanted.items():
            if field not in _FIELDS.values() or not isinstance(values, dict):
                raise ChoiceError(
                    f"must be system, macros or variables with a map of values, got {field}: {values!r}"
                )
            for name, value in values.items():
                self._choose(field, name, value)

    def _choose(self, field: str, name: str, value: object) -> None:
        given = self._given()
        known = [other for one, other in {*given, *self._used} if one == field]
        if name not in known:
            raise ChoiceError(f'there is no macro "{name}" in {field}{did_you_mean(name, known)}')
        if value is not None and (not isinstance(value, str) or len(value) > _MOST):
            raise ChoiceError(f"the value of {name} must be a text of up to {_MOST:,} characters")
        path: tuple[str | int, ...] = (field, name)
        if field == "variables":
            names = [str(one.get("name")) for one in self._variables()]
            if name not in names:
                if value is not None:
                    self._append({"name": name, "value": value})
                return
            path = (field, names.index(name), "value")
        if value is None:
            self.place.remove(path)
        elif self._entry(field, name, given)["value"] != value or given[field, name].get("secret"):
            self.place.set(path, value)

    def _append(self, entry: dict[str, str]) -> None:
        listed = self.place.get("variables")
        if isinstance(listed, list):
            self.place.set(("variables", len(listed)), entry)
        else:
            self.place.set(("variables",), [entry])
