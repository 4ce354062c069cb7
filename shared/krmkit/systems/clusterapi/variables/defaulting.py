"""The defaults of variables.

Source: cluster-api, internal/topology/variables/cluster_variable_defaulting.go.
"""

from __future__ import annotations

from collections.abc import Sequence

from krmkit.libraries.kube.fielderror import FieldError, invalid, key
from krmkit.libraries.schema.openapi import fill_defaults
from krmkit.systems.clusterapi.variables.definitions import Definitions, VariableDefinition
from krmkit.systems.clusterapi.variables.values import VariableValue, repeated, unusable


def default_variables(
    values: Sequence[VariableValue], definitions: Definitions, path: str, *, create: bool
) -> tuple[list[VariableValue], list[FieldError]]:
    """Return the values with defaults, or errors and no values at all.

    create: add variables that are not set and have a default, in the order of the definitions.
    """
    errors = repeated(values, path) or definitions.errors(path)
    if errors:
        return [], errors
    found: list[VariableValue] = []
    for variable in values:
        definition = definitions.by_name.get(variable.name)
        if definition is None:
            detail = "variable is not defined"
            errors.append(invalid(key(path, variable.name), variable.shown(), detail))
            continue
        if unusable(variable.value):
            found.append(variable)  # validation reports it
            continue
        defaulted, problems = default_variable(variable, definition, path, create=create)
        errors += problems
        found += [] if defaulted is None else [defaulted]
    existing = {variable.name for variable in values}
    for name, definition in definitions.by_name.items() if create else ():
        if name not in existing:
            defaulted, problems = default_variable(None, definition, path, create=True)
            errors += problems
            found += [] if defaulted is None else [defaulted]
    return ([], errors) if errors else (found, [])


def default_variable(
    variable: VariableValue | None, definition: VariableDefinition, path: str, *, create: bool
) -> tuple[VariableValue | None, list[FieldError]]:
    """Return one value with its defaults; None if it is absent without a default. A set value stays."""
    schema = definition.schema
    if schema is None:
        return None, [definition.unreadable(key(path, definition.name))]
    if variable is None and not (create and schema.has_default):
        return None, []
    value = variable.value if variable is not None else None
    if value is None and schema.has_default:
        value = schema.default
    new = fill_defaults(schema, value)
    if variable is not None and new is variable.value and variable.raw:
        return variable, []
    return VariableValue(definition.name, new), []
