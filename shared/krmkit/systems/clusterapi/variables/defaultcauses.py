"""Find variable values that are the defaults of their class, written by defaulting now or earlier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from krmkit.krm.cause import Cause, PathCauses
from krmkit.krm.fieldpath import Path
from krmkit.krm.resource import Resource
from krmkit.libraries.json.equal import json_equal
from krmkit.libraries.schema.openapi import Schema, fill_defaults
from krmkit.systems.clusterapi.variables.definitions import Definitions


class DefaultCauses:
    """Records defaults among a Cluster's variables. `declared`: spec.variables of the class `owner`."""

    def __init__(
        self, paths: PathCauses, definitions: Definitions, declared: object, owner: Resource | None
    ) -> None:
        self._paths = paths
        self._definitions = definitions
        self._owner = owner
        listed = declared if isinstance(declared, list) else []
        self._numbers = {
            one.get("name"): number for number, one in enumerate(listed) if isinstance(one, dict)
        }

    def record(self, path: Path, variables: list[Mapping[str, Any]], added: bool) -> None:
        """Record the list of variables at a path; `added`: defaulting adds variables, not only values."""
        for number, variable in enumerate(variables):
            name = str(variable.get("name", ""))
            definition = self._definitions.by_name.get(name)
            if definition is None or definition.schema is None or "value" not in variable:
                continue
            place: Path = (*path, number) if added else (*path, number, "value")
            self._value(name, definition.schema, variable["value"], place, (*path, number, "value"), ())

    def _value(self, name: str, schema: Schema, value: object, whole: Path, path: Path, inner: Path) -> None:
        """Record a default, or the parts of a value that are one; `inner`: the schema's place."""
        if schema.has_default and json_equal(value, fill_defaults(schema, schema.default)):
            number = self._numbers.get(name)
            field: Path = ()
            if number is not None:
                field = ("spec", "variables", number, "schema", "openAPIV3Schema", *inner, "default")
            self._paths.set(whole, Cause("default", name, self._owner if field else None, field))
            return
        if isinstance(value, dict):
            for key, part in value.items():
                child = schema.properties.get(key)
                below: Path = (*inner, "properties", key)
                if child is None:
                    child, below = schema.additional, (*inner, "additionalProperties")
                if child is not None:
                    self._value(name, child, part, (*path, key), (*path, key), below)
        elif isinstance(value, list) and schema.items is not None:
            for position, part in enumerate(value):
                place = (*path, position)
                self._value(name, schema.items, part, place, place, (*inner, "items"))
