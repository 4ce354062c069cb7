"""Checks of what a request brings: variables against the definitions of the extension that gets them.

Source: Cluster API's guidelines for patch extensions, "Input validation: must always validate its input".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from krmkit.libraries.cel.kubernetes.environment import KubeEnvironment
from krmkit.libraries.json import Object
from krmkit.libraries.schema.fields import leaves
from krmkit.systems.clusterapi.hooks.messages import described
from krmkit.systems.clusterapi.patches.request import Request
from krmkit.systems.clusterapi.variables.definitions import Definitions
from krmkit.systems.clusterapi.variables.values import read_variables
from krmkit.systems.clusterapi.variables.valuevalidation import validate_variables

NO_VALUE = "<no value>"
"""What a Go template writes for a variable that is not there."""


class InputChecks:
    """The definitions of the variables that a handler may see. Values of other variables are not checked.

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
        """Return the errors of the Cluster's variables and of each item's own. `shown` removes secrets.

        require: whether a required variable must be there.
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
    """Return whether a rendered value shows that a variable is missing: `{"a": "v<no value>"}`."""
    return any(isinstance(text, str) and NO_VALUE in text for text in leaves(value, keys=True))


def variables_in(text: str) -> Iterator[str]:
    """Yield the variables that a text uses as a Go template would, right after its braces.

    >>> list(variables_in("v{{ .tag }} {{- .builtin.cluster.name }} {{ ds.meta_data.hostname }}")
    ['tag', 'builtin']
    """
    for part in text.split("{{")[1:]:
        inside = part.removeprefix("-").lstrip()
        if inside.startswith("."):
            name = inside[1:]
            end = next((at for at, char in enumerate(name) if not (char.isalnum() or char == "_")), len(name))
            yield name[:end]
