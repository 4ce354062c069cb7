"""Check the values of variables against their definitions.

Source: cluster-api, internal/topology/variables/cluster_variable_validation.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from krmkit.libraries.kube.fielderror import FieldError, child, invalid, key, required
from krmkit.libraries.schema.kubernetes.pruning import unknown_fields
from krmkit.libraries.schema.kubernetes.values import validate_value
from krmkit.libraries.schema.openapi import wrapped
from krmkit.systems.clusterapi.variables.definitions import Definitions, VariableDefinition
from krmkit.systems.clusterapi.variables.values import VariableValue, repeated, unusable

MAX_ERRORS = 1000
"""Errors and unknown fields of one value that are named; the rest is counted."""


def validate_variables(
    values: Sequence[VariableValue],
    old_values: Sequence[VariableValue],
    definitions: Definitions,
    path: str,
    *,
    require: bool,
) -> list[FieldError]:
    """Return every error of a list of values.

    require: True for the Cluster's own variables, not for overrides.
    """
    errors = repeated(values, path) or definitions.errors(path)
    if errors:
        return errors
    if require:
        errors += _missing(values, definitions, path)
    before = {variable.name: variable for variable in old_values}
    for variable in values:
        place = key(path, variable.name)
        definition = definitions.by_name.get(variable.name)
        if definition is None:
            errors.append(invalid(place, variable.shown(), "variable is not defined"))
        else:
            errors += validate_variable(variable, before.get(variable.name), definition, place)
    return errors


def _missing(values: Iterable[VariableValue], definitions: Definitions, path: str) -> list[FieldError]:
    names = {variable.name for variable in values}
    return [
        required(path, f'required variable "{name}" must be set')
        for name, definition in definitions.by_name.items()
        if definition.required and name not in names
    ]


def validate_variable(
    variable: VariableValue, old: VariableValue | None, definition: VariableDefinition, path: str
) -> list[FieldError]:
    """Return one value's errors of the first failing check: schema, unknown fields, rules.

    `path` is the path of the variable, `spec.topology.variables[cpu]`.
    """
    schema = definition.schema
    if schema is None:
        return [definition.unreadable(path)]
    place = child(path, "value")
    value = variable.value
    problem = unusable(value)
    if problem:
        return [invalid(place, variable.shown(), problem)]
    errors = validate_value(schema, value, place)
    if errors:
        for error in errors:
            error.detail = error.detail.removeprefix(" in body ")
        return _with_whole_value(errors, variable, place)
    unknown = unknown_fields(wrapped(variable.name, schema), {variable.name: value})
    if unknown:
        return [invalid(path, variable.shown(), _unknown(variable.name, unknown))]
    if definition.rules is None:
        return []
    errors = definition.rules.evaluate(schema, value, old.value if old is not None else None, place)
    return _with_whole_value(errors, variable, place)


def _with_whole_value(errors: list[FieldError], variable: VariableValue, path: str) -> list[FieldError]:
    """Add the whole value to errors; after MAX_ERRORS, give the number of the other errors."""
    if not errors:
        return errors
    shown = variable.shown()
    more = len(errors) - MAX_ERRORS
    for error in errors[:MAX_ERRORS]:
        error.value = shown
    return errors if more <= 0 else [*errors[:MAX_ERRORS], invalid(path, shown, f"has {more:,} more errors")]


def _unknown(name: str, fields: list[str]) -> str:
    """Return the error about unknown fields; if the whole value is a list, it is called variableValue."""
    shown = []
    for field in fields[:MAX_ERRORS]:
        below = field.removeprefix(name)
        shown.append(below[1:] if below.startswith(".") else f"variableValue{below}")
    if len(fields) > MAX_ERRORS:
        shown.append(f"and {len(fields) - MAX_ERRORS:,} more")
    return f'failed validation: "{",".join(shown)}" field(s) are not specified in the variable schema of variable "{name}"'
