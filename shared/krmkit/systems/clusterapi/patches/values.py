"""Values of JSON patches: templates with sprig's hermetic functions; their output is read as YAML.

Source: renderValueTemplate and calculateValue in patches/inline/json_patch_generator.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.go.json.data import from_json
from krmkit.libraries.gotemplate import Template, TemplateError, parse
from krmkit.libraries.yaml.data import go2_data
from krmkit.libraries.yaml.document import parse_all
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.scalars import go2_resolve
from krmkit.systems.clusterapi.api.errors import PatchValueError
from krmkit.systems.clusterapi.patches.lookup import VariablePath

_PLAIN_FIRST = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/")
_PLAIN = _PLAIN_FIRST | frozenset("-._:")
# Sprig's functions that change their argument. Templates that may call one get a copy of the data.
_CHANGING = ("set", "merge", "unset", "mustMerge")


@dataclass(slots=True)
class Variables:
    """The variables of one item: JSON for paths, and Go values for templates, made on first use."""

    values: Mapping[str, Any]
    _data: object = field(init=False, default=None)

    def template_data(self) -> object:
        """Return the data of templates, in which every number is a float64. Raises PatchValueError."""
        if self._data is None:
            try:
                self._data = from_json(dict(self.values))
            except GoError as error:
                raise PatchValueError(f"failed to calculate template data: {error}") from None
        return self._data


class ValueTemplate:
    """A template, parsed once. `ValueTemplate("{{ .n }}").value(Variables({"n": 3}))` is 3."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._template: Template | None = None
        self._error = ""
        try:
            self._template = parse(text, name="tpl", functions="hermetic")
        except TemplateError as error:
            # The reference parses a template when it is used, so an unused one never fails.
            self._error = f"failed to parse template: {quote(text)}: {error}"
        self._changing = any(word in text for word in _CHANGING)

    def value(self, variables: Variables) -> Any:
        """Return the template's output, read as YAML. Raises PatchValueError."""
        if self._template is None:
            raise PatchValueError(self._error)
        data = variables.template_data()
        if self._changing:
            data = from_json(data)
        try:
            output = self._template.execute(data, numbers="go")
        except TemplateError as error:
            raise PatchValueError(f"failed to render template: {quote(self._text)}: {error}") from None
        try:
            return yaml_value(output)
        except YamlError as error:
            raise PatchValueError(
                f"failed to unmarshal rendered template: {quote(output)}: error converting YAML to JSON: yaml: {error}"
            ) from None


def yaml_value(text: str) -> Any:
    """Read YAML into JSON values as sigs.k8s.io/yaml does: `yes` is True, `1e+06` is 1000000.

    Only the first of several documents counts. Raises YamlError.
    """
    if text and text[0] in _PLAIN_FIRST and _PLAIN.issuperset(text) and text[-1] != ":":
        return json_number(go2_resolve(text)[1])
    documents = parse_all(text, duplicates="keep")
    return json_numbers(go2_data(documents[0].root)) if documents else None


def json_number(value: Any) -> Any:
    """Convert a whole float64 to the integer of its JSON text. `json_number(3.0)` is 3."""
    if type(value) is float:
        if value - value != 0:
            raise YamlError(f"json: unsupported value: {value}")
        if value.is_integer() and abs(value) < 1e21:
            return int(value)
    return value


def json_numbers(value: Any) -> Any:
    """Apply `json_number` to all values inside."""
    if type(value) is float:
        return json_number(value)
    if isinstance(value, dict):
        return {key: json_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [json_numbers(item) for item in value]
    return value


def value_of(json_patch: Mapping[str, Any]) -> Callable[[Variables], Any]:
    """Return a function that calculates the value of one jsonPatch; a call may raise PatchValueError.

    value_of({"valueFrom": {"variable": "a.b"}})(Variables({"a": {"b": 1}}))   # 1
    """
    value, source = json_patch.get("value"), json_patch.get("valueFrom")
    # Go decodes `value: null` as an absent value.
    if value is None and source is None:
        return _failing("neither .value nor .valueFrom are set")
    if value is not None and source is not None:
        return _failing("both .value and .valueFrom are set")
    if value is not None:
        return lambda variables: value
    source = source if isinstance(source, dict) else {}
    variable, template = source.get("variable"), source.get("template")
    if not variable and not template:
        return _failing(".valueFrom is set, but neither .valueFrom.variable nor .valueFrom.template are set")
    if variable and template:
        return _failing(".valueFrom is set, but both .valueFrom.variable and .valueFrom.template are set")
    if variable:
        path = VariablePath(str(variable))
        return _told("", lambda variables: path.value(variables.values))
    return _told(" for template", ValueTemplate(str(template)).value)


def _failing(message: str) -> Callable[[Variables], Any]:
    def fail(variables: Variables) -> Any:
        raise PatchValueError(f"failed to calculate value: {message}")

    return fail


def _told(what: str, read: Callable[[Variables], Any]) -> Callable[[Variables], Any]:
    """Wrap a calculation so that its errors name what was calculated."""

    def calculate(variables: Variables) -> Any:
        try:
            return read(variables)
        except PatchValueError as error:
            raise PatchValueError(f"failed to calculate value{what}: {error}") from None

    return calculate


def enabled_by(text: str | None) -> Callable[[Variables], bool]:
    """Return the test of an enabledIf: True if it is absent, or if its output is exactly `true`.

    The test raises PatchValueError.
    """
    if not text:
        return lambda variables: True
    value = _told(" for enabledIf", ValueTemplate(text).value)
    return lambda variables: value(variables) is True
