"""The settings of a handler: a schema, defaults, and the settings of a request, which override them."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.schema.kubernetes.pruning import unknown_fields
from krmkit.libraries.schema.kubernetes.values import validate_value
from krmkit.libraries.schema.openapi import fill_defaults
from krmkit.systems.clusterapi.hooks.messages import HookError
from krmkit.systems.clusterapi.variables.schema import convert_schema


class ExtensionSettings:
    """Settings with their schema. Without `settings` a handler accepts any, which its templates do not see.

    >>> ExtensionSettings({"defaults": {"registry": "r"}}, "settings", []).of({"settings": {"tag": "1"}})
    {'registry': 'r', 'tag': '1'}
    """

    def __init__(self, data: Object | None, path: str, problems: list[tuple[str, str]]) -> None:
        self._declared = data is not None
        self._defaults: Object = (data or {}).get("defaults") or {}
        self._schema = None
        openapi = ((data or {}).get("schema") or {}).get("openAPIV3Schema")
        if openapi is not None:
            self._schema, errors = convert_schema(openapi, f"{path}.schema.openAPIV3Schema")
            problems += [(error.field, error.body()) for error in errors]
            problems += [(f"{path}.defaults", text) for text in self._problems(self._defaults, partial=True)]

    def of(self, request: Object) -> Object | None:
        """Return the settings of a request, None for a handler that declares none. Raises HookError."""
        if not self._declared:
            return None
        given = request.get("settings")
        if given is not None and not isinstance(given, dict):
            raise HookError(f"settings must be a map of texts, got {type(given).__name__}")
        settings: Any = {**self._defaults, **(given or {})}
        if self._schema is not None:
            settings = fill_defaults(self._schema, settings)
            problems = self._problems(settings)
            if problems:
                raise HookError("; ".join(problems))
        found: Object = settings
        return found

    def _problems(self, settings: Object, partial: bool = False) -> list[str]:
        """Return the problems. partial: required settings may be missing."""
        if self._schema is None:
            return []
        found = [f"settings.{name} is unknown" for name in unknown_fields(self._schema, settings)]
        for error in validate_value(self._schema, settings, "settings"):
            if not (partial and error.type == "FieldValueRequired"):
                found.append(f"{error.field}: {error.body()}")
        return found
