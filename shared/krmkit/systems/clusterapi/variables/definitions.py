"""Compute ClusterClass status.variables: the class's own definitions, then the patches' discovered ones.

The class's own status.variables may be absent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from krmkit.libraries.cel.kubernetes.environment import KubeEnvironment
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.kube.fielderror import INTERNAL, FieldError, aggregate, child, type_invalid
from krmkit.libraries.schema.fields import MISSING, find, mapping
from krmkit.libraries.schema.kubernetes.rules import RuleSet, has_rules
from krmkit.libraries.schema.openapi import Schema
from krmkit.systems.clusterapi.api.errors import DefinitionsError
from krmkit.systems.clusterapi.variables.definitionvalidation import openapi_of, validate_class_variables
from krmkit.systems.clusterapi.variables.schema import convert_schema
from krmkit.systems.clusterapi.variables.values import VariableValue, go_number

INLINE = "inline"

_SHOWN = 60  # characters of a value in the text about a conflict
# Explicit false is the same as absent.
_FALSE = (
    "uniqueItems",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-int-or-string",
)


@dataclass(slots=True, eq=False)
class VariableDefinition:
    """One variable; its schema and rules are compiled once for a ClusterClass.

    `problems` are the errors of an unreadable schema; `sources` are the names in `from`.
    """

    name: str
    required: bool
    schema: Schema | None
    problems: list[FieldError]
    rules: RuleSet | None
    sources: tuple[str, ...]

    def unreadable(self, path: str) -> FieldError:
        """Return the error about the unreadable schema, for a value at `path`."""
        detail = (
            f'failed to convert schema definition for variable "{self.name}"; ClusterClass should be checked:'
            f" {'; '.join(map(str, self.problems))}"
        )
        return FieldError(INTERNAL, path, None, detail)


class Definitions:
    """The variables of a ClusterClass by name, in the order of status.variables.

    >>> one = {"from": "inline", "schema": {"openAPIV3Schema": {"type": "integer"}}}
    >>> list(Definitions([{"name": "cpu", "definitions": [one]}]).by_name)
    ['cpu']
    """

    def __init__(
        self, status: Sequence[Mapping[str, Any]], environment: KubeEnvironment | None = None
    ) -> None:
        """Read status.variables. environment: evaluates rules; by default it is made on first use."""
        self.by_name: dict[str, VariableDefinition] = {}
        # The reason for an unusable class; errors then name all its variables.
        self._problem = ""
        self._names = ""
        problems: list[str] = []
        for entry in status:
            name = str(entry.get("name", ""))
            listed = entry.get("definitions") or []
            if not listed:
                problems.append(f'variable "{name}" has no definitions')
                continue
            if entry.get("definitionsConflict"):
                problems.append(f'variable "{name}" has conflicting definitions')
                continue
            first = listed[0]
            schema, errors = convert_schema(openapi_of(first), "schema")
            rules = None
            if schema is not None and has_rules(schema):
                if environment is None:
                    environment = _environment()
                rules = RuleSet(schema, environment)
            sources = tuple(str(definition.get("from", "")) for definition in listed)
            self.by_name[name] = VariableDefinition(
                name, bool(first.get("required")), schema, errors, rules, sources
            )
        if problems:
            self._names = ",".join(f"Name: {entry.get('name', '')}" for entry in status)
            self._problem = problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"

    def errors(self, path: str) -> list[FieldError]:
        """Return the error of unusable variables for a list of values at `path`, [] if they are usable."""
        if not self._problem:
            return []
        detail = f"variable definitions in the ClusterClass not valid: {self._problem}"
        return [type_invalid(path, f"[{self._names}]", detail)]


def _environment() -> KubeEnvironment:
    from krmkit.libraries.cel.kubernetes.environment import KubeEnvironment

    return KubeEnvironment()


def status_variables(
    cluster_class: Mapping[str, Any],
    discovered: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    environment: KubeEnvironment | None = None,
) -> list[dict[str, Any]]:
    """Return status.variables of a ClusterClass. discovered: variables by name of their external patch.

    Raises DefinitionsError for invalid discovered variables, and for conflicting definitions.
    """
    spec = mapping(cluster_class, "spec")
    entries: dict[str, dict[str, Any]] = {}
    for variable in spec.get("variables") or []:
        _add(entries, variable, INLINE)
    problems: list[FieldError] = []
    for patch in spec.get("patches") or []:
        name = str(patch.get("name", ""))
        variables = find(discovered, (name,))
        if not variables:
            continue
        found = validate_class_variables(variables, None, child(name, "variables"), environment)
        problems += found
        if not found:
            for variable in variables:
                _add(entries, variable, name)
    class_name = find(cluster_class, ("metadata", "name"), "")
    prefix = f"failed to discover variables for ClusterClass {class_name}: "
    if problems:
        raise DefinitionsError(prefix + aggregate(problems))
    listed = [entries[name] for name in sorted(entries)]
    conflicting = [entry for entry in listed if entry["definitionsConflict"]]
    if conflicting:
        names = ",".join(entry["name"] for entry in conflicting)
        message = f"{prefix}the following variables have conflicting schemas: {names}"
        raise DefinitionsError(message, listed, [conflict_of(entry) for entry in conflicting])
    return listed


def _add(entries: dict[str, dict[str, Any]], variable: Mapping[str, Any], source: str) -> None:
    definition: dict[str, Any] = {"from": source}
    for keyword in ("required", "deprecatedV1Beta1Metadata", "schema"):
        if keyword in variable:
            definition[keyword] = variable[keyword]
    name = str(variable.get("name", ""))
    entry = entries.setdefault(name, {"name": name, "definitionsConflict": False, "definitions": []})
    if entry["definitions"] and differ(entry["definitions"][0], definition):
        entry["definitionsConflict"] = True
    entry["definitions"].append(definition)


def differ(first: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two definitions of a variable conflict; explicit false equals absent."""
    return (
        bool(first.get("required")) is not bool(other.get("required"))
        or mapping(first, "deprecatedV1Beta1Metadata") != mapping(other, "deprecatedV1Beta1Metadata")
        or _without_false(openapi_of(first)) != _without_false(openapi_of(other))
    )


def conflict_of(entry: Mapping[str, Any]) -> str:
    """Return the differences between the definitions of a status.variables entry, with their sources.

    `cpu: inline and the patch "sizes" differ in default (1, 2)`
    """
    first, *others = entry["definitions"]
    other = next(one for one in others if differ(first, one))
    sources = [
        "inline" if one["from"] == INLINE else f"the patch {quote(one['from'])}" for one in (first, other)
    ]
    fields = []
    if bool(first.get("required")) is not bool(other.get("required")):
        fields.append(_both("required", bool(first.get("required")), bool(other.get("required"))))
    metadata = [mapping(one, "deprecatedV1Beta1Metadata") for one in (first, other)]
    if metadata[0] != metadata[1]:
        fields.append(_both("metadata", *metadata))
    fields += differing(_without_false(openapi_of(first)), _without_false(openapi_of(other)))
    return f"{entry['name']}: {sources[0]} and {sources[1]} differ in {', '.join(fields)}"


def differing(first: object, other: object, path: str = "") -> list[str]:
    """Return the paths at which two schemas differ, with both values.

    >>> differing({"properties": {"a": {"type": "string"}}}, {"properties": {"a": {}}})
    ['properties.a.type ("string", absent)']
    """
    if isinstance(first, dict) and isinstance(other, dict):
        found = []
        for key in dict.fromkeys([*first, *other]):
            here = f"{path}.{key}" if path else str(key)
            if key not in first or key not in other:
                found.append(_both(here, first.get(key, MISSING), other.get(key, MISSING)))
            else:
                found += differing(first[key], other[key], here)
        return found
    return [] if first == other else [_both(path, first, other)]


def _both(path: str, first: object, other: object) -> str:
    shown = [
        "absent" if one is MISSING else VariableValue("", one).shown()[:_SHOWN] for one in (first, other)
    ]
    return f"{path} ({shown[0]}, {shown[1]})"


def _without_false(schema: object) -> object:
    """Drop booleans that are false from a schema, at all levels."""
    if not isinstance(schema, dict):
        return schema
    found: dict[str, object] = {}
    for keyword, value in schema.items():
        if value is None or (value is False and keyword in _FALSE):
            continue
        if keyword == "properties" and isinstance(value, dict):
            value = {name: _without_false(inner) for name, inner in value.items()}
        elif keyword in ("items", "additionalProperties", "not"):
            value = _without_false(value)
        elif keyword in ("allOf", "anyOf", "oneOf") and isinstance(value, list):
            value = [_without_false(inner) for inner in value]
        else:
            value = go_number(value)
        found[keyword] = value
    return found
