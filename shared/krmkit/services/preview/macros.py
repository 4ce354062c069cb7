"""Macro choices: the macros that a package uses, their values in the config, and edits of these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from krmkit.krm.resource import Resource
from krmkit.krm.secretwords import SECRET
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.services.preview.configs import ChoiceError, ConfigPlace, Path

_USED = re.compile(r"\{\{[^{}\n]*?\.spectro\.(system|macro|var)\.([A-Za-z0-9_.-]*[A-Za-z0-9_])")
_FIELDS = {"system": "system", "macro": "macros", "var": "variables"}
_MOST = 10_000  # characters of a value


class MacroChoices:
    """The values of one resolve-macros. `place`: its config; `items`: its input resources."""

    def __init__(self, place: ConfigPlace, items: list[Resource]) -> None:
        self.place = place
        self._used = {
            (_FIELDS[kind], name)
            for item in items
            if ".spectro." in item.text
            for kind, name in _USED.findall(item.text)
        }

    def offered(self) -> dict[str, Any]:
        """Return every macro that is used or has a value, without secret values."""
        offered: dict[str, Any] = {"id": self.place.id, "kind": "macros", "file": self.place.path}
        if self.place.flat:
            return {
                **offered,
                "entries": [],
                "problem": "its config is a ConfigMap; values are edited in a ResolveMacros",
            }
        given = self._given()
        names = [*given, *sorted(self._used - given.keys())]
        return {**offered, "entries": [self._entry(field, name, given) for field, name in names]}

    def _given(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Return the config's entry for each macro: `value`, and `secret`."""
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for field in ("system", "macros"):
            values = self.place.get(field)
            for name, value in values.items() if isinstance(values, dict) else ():
                found[field, str(name)] = {"value": value}
        for _, one in self._variables():
            found.setdefault(("variables", str(one.get("name"))), one)
        return found

    def _variables(self) -> Iterator[tuple[int, dict[str, Any]]]:
        listed = self.place.get("variables")
        for number, one in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(one, dict):
                yield number, one

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
        """Put `{field: {name: text}}` into the config; a value of null removes it. Raises ChoiceError."""
        if self.place.flat:
            raise ChoiceError(f"{self.place.path}: {self.offered()['problem']}")
        if not isinstance(wanted, dict):
            raise ChoiceError(f"the values of {self.place.id} must be a map of fields, got {wanted!r}")
        given = self._given()
        numbers: dict[str, int] = {}
        for number, one in self._variables():
            numbers.setdefault(str(one.get("name")), number)
        known: dict[str, dict[str, None]] = {field: {} for field in _FIELDS.values()}
        for field, name in [*given, *sorted(self._used)]:
            known[field][name] = None
        added = []
        for field, values in wanted.items():
            if field not in known or not isinstance(values, dict):
                raise ChoiceError(
                    f"must be system, macros or variables with a map of values, got {field}: {values!r}"
                )
            for name, value in values.items():
                _check(field, name, value, known[field])
                if field != "variables":
                    self._put((field, name), value, self._entry(field, name, given))
                elif name in numbers:
                    self._put((field, numbers[name], "value"), value, self._entry(field, name, given))
                elif value is not None:
                    added.append({"name": name, "value": value})
        if added:
            self._append(added)

    def _put(self, path: Path, value: str | None, entry: dict[str, Any]) -> None:
        if value is None:
            self.place.remove(path)
        elif entry["value"] != value or entry["secret"]:
            self.place.set(path, value)

    def _append(self, variables: list[dict[str, str]]) -> None:
        listed = self.place.get("variables")
        if isinstance(listed, list):
            for number, entry in enumerate(variables, len(listed)):
                self.place.set(("variables", number), entry)
        else:
            self.place.set(("variables",), variables)


def _check(field: str, name: str, value: object, known: dict[str, None]) -> None:
    if name not in known:
        raise ChoiceError(f'there is no macro "{name}" in {field}{did_you_mean(name, known)}')
    if value is not None and (not isinstance(value, str) or len(value) > _MOST):
        raise ChoiceError(f"the value of {name} must be a text of up to {_MOST:,} characters")
