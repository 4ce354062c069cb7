"""Check the variables and settings of a request against the definitions of the extension that receives them.

Source: Cluster API's guidelines for patch extensions, "Input validation: must always validate its input".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from krmkit.libraries.cel.kubernetes.environment import KubeEnvironment
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import leaves
from krmkit.libraries.schema.kubernetes.pruning import unknown_fields
from krmkit.libraries.schema.kubernetes.values import validate_value
from krmkit.libraries.schema.openapi import fill_defaults
from krmkit.systems.clusterapi.hooks.messages import HookError, described
from krmkit.systems.clusterapi.patches.request import Request
from krmkit.systems.clusterapi.variables.definitions import Definitions
from krmkit.systems.clusterapi.variables.schema import convert_schema
from krmkit.systems.clusterapi.variables.values import read_variables
from krmkit.systems.clusterapi.variables.valuevalidation import validate_variables

NO_VALUE = "<no value>"
"""What a Go template writes for a variable that is not there."""


class InputChecks:
    """The definitions of the variables that a handler may see. Other variables are not checked.

    >>> text = {"name": "tag", "required": True, "schema": {"openAPIV3Schema": {"type": "string"}}}
    >>> from krmkit.systems.clusterapi.patches.request import Request
    >>> InputChecks([text]).problems(Request([], {"tag": 5}, {}), require=True, shown=str)
    ['variables[tag].value: Invalid value: "5": must be of type string: "integer"']
    """

    def __init__(
        self, variables: Sequence[Object], environment: Callable[[], KubeEnvironment] | None = None
    ) -> None:
        self._listed = variables
        self._environment = environment
        self._definitions: Definitions | None = None  # made for the first request

    def problems(self, request: Request, *, require: bool, shown: Callable[[str], str]) -> list[str]:
        """Return the errors of the Cluster's variables and of each item's own. `shown` masks secrets.

        require: whether a missing required variable is an error.
        """
        if not self._listed:
            return []
        found = self._errors(request.variables, "variables", require)
        for item in request.items:
            if item.variables:
                found += self._errors(item.variables, f"{described(item)}: variables", require=False)
        return [shown(text) for text in dict.fromkeys(found)]

    def _errors(self, values: Mapping[str, Any], path: str, require: bool) -> list[str]:
        definitions = self._made()
        given = read_variables(
            [{"name": name, "value": value} for name, value in values.items() if name in definitions.by_name]
        )
        return [str(error) for error in validate_variables(given, [], definitions, path, require=require)]

    def _made(self) -> Definitions:
        if self._definitions is None:
            status = [{"name": one["name"], "definitions": [one]} for one in self._listed]
            has_rules = "x-kubernetes-validations" in repr(self._listed)
            environment = self._environment() if self._environment is not None and has_rules else None
            self._definitions = Definitions(status, environment)
        return self._definitions


def has_no_value(value: Any) -> bool:
    """Return whether a rendered value shows that a variable was missing: `{"a": "v<no value>"}`."""
    return any(isinstance(text, str) and NO_VALUE in text for text in leaves(value, keys=True))


def variables_in(text: str) -> Iterator[str]:
    """Yield the variables that a template reads right after its opening braces.

    >>> list(variables_in("v{{ .tag }} {{- .builtin.cluster.name }} {{ ds.meta_data.hostname }}")
    ['tag', 'builtin']
    """
    for part in text.split("{{")[1:]:
        inside = part.removeprefix("-").lstrip()
        if inside.startswith("."):
            name = inside[1:]
            end = next((at for at, char in enumerate(name) if not (char.isalnum() or char == "_")), len(name))
            yield name[:end]


class ExtensionSettings:
    """Settings with their schema. A handler without `settings` accepts any; its templates see none.

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
        """Return a request's settings, None if the handler declares none. Raises HookError."""
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
        """Return the errors. partial: required settings may be missing."""
        if self._schema is None:
            return []
        found = [f"settings.{name} is unknown" for name in unknown_fields(self._schema, settings)]
        for error in validate_value(self._schema, settings, "settings"):
            if not (partial and error.type == "FieldValueRequired"):
                found.append(f"{error.field}: {error.body()}")
        return found
