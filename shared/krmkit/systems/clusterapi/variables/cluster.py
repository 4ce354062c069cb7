"""Default and validate a Cluster's variables: its own, and the overrides of groups.

Source: DefaultAndValidateVariables in core/webhooks/admission/cluster.go, and
internal/topology/variables/cluster_variable_defaulting.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from krmkit.libraries.kube.fielderror import FieldError, invalid, key
from krmkit.libraries.schema.fields import find, mapping
from krmkit.libraries.schema.openapi import fill_defaults
from krmkit.systems.clusterapi.variables.definitions import Definitions, VariableDefinition
from krmkit.systems.clusterapi.variables.values import VariableValue, read_variables, repeated, unusable
from krmkit.systems.clusterapi.variables.valuevalidation import validate_variables

Data = Mapping[str, Any]

CLUSTER_PATH = "spec.topology.variables"
CONTROL_PLANE_PATH = "spec.topology.controlPlane.variables.overrides"
WORKERS = ("machineDeployments", "machinePools")


class _Place:
    """One list of values: its path, the old values, and the result."""

    def __init__(self, path: str, items: list[Any] | None, old: list[Any] | None, create: bool) -> None:
        self.path = path
        self.values = read_variables(items)
        self.old = old
        self.create = create
        self.failed = False

    def items(self) -> list[dict[str, Any]]:
        return [{"name": variable.name, "value": variable.value} for variable in self.values]


def default_and_validate(
    topology: Data, old_topology: Data | None, definitions: Definitions
) -> tuple[dict[str, Any], list[FieldError]]:
    """Return the topology with defaults, and all errors: first of defaulting, then of validation.

    Values that cannot be defaulted stay. Rules see the values of `old_topology` as oldSelf. The result shares
    unchanged parts with the original.
    """
    places = _places(topology, old_topology or {})
    errors: list[FieldError] = []
    for place in places:
        values, found = default_variables(place.values, definitions, place.path, create=place.create)
        errors += found
        place.failed = bool(found)
        if not found:
            place.values = values
    for place in places:
        errors += validate_variables(
            place.values, read_variables(place.old), definitions, place.path, require=place.create
        )
    return _with_values(topology, places), errors


def _places(topology: Data, old: Data) -> list[_Place]:
    """Return the variables of the Cluster, then the existing overrides."""
    places = [_Place(CLUSTER_PATH, topology.get("variables"), old.get("variables"), True)]
    owners: list[tuple[str, Data, Data]] = [
        (CONTROL_PLANE_PATH, mapping(topology, "controlPlane"), mapping(old, "controlPlane"))
    ]
    for kind in WORKERS:
        old_items = {item.get("name"): item for item in find(old, ("workers", kind)) or []}
        owners += [
            (_worker_path(kind, item), item, old_items.get(item.get("name")) or {})
            for item in find(topology, ("workers", kind)) or []
        ]
    for path, owner, old_owner in owners:
        overrides = _overrides(owner)
        if overrides:
            places.append(_Place(path, overrides, _overrides(old_owner), False))
    return places


def _worker_path(kind: str, item: Data) -> str:
    return f"spec.topology.workers.{kind}[{item.get('name', '')}].variables.overrides"


def _overrides(owner: Data) -> list[Any]:
    return find(owner, ("variables", "overrides")) or []


def _with_values(topology: Data, places: list[_Place]) -> dict[str, Any]:
    """Return the topology with the values that could be defaulted; its order stays."""
    changed = dict(topology)
    own, *rest = places
    if not own.failed:
        changed.pop("variables", None)
        if own.values:
            changed["variables"] = own.items()
    pending = iter(rest)
    control_plane = mapping(topology, "controlPlane")
    if _overrides(control_plane):
        changed["controlPlane"] = _with_overrides(control_plane, next(pending))
    workers = topology.get("workers")
    if workers:
        changed["workers"] = dict(workers)
        for kind in WORKERS:
            if workers.get(kind):
                changed["workers"][kind] = [
                    _with_overrides(item, next(pending)) if _overrides(item) else item
                    for item in workers[kind]
                ]
    return changed


def _with_overrides(owner: Data, place: _Place) -> Data:
    if place.failed:
        return owner
    return {**owner, "variables": {**owner["variables"], "overrides": place.items()}}


def default_variables(
    values: Sequence[VariableValue], definitions: Definitions, path: str, *, create: bool
) -> tuple[list[VariableValue], list[FieldError]]:
    """Return the values with defaults, or only the errors.

    create: add unset variables that have a default, in the order of the definitions.
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
    """Return one value with its defaults; None if it is absent and has no default. A set value stays."""
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
