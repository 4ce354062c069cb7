"""The variables of a Cluster, in all four places: the Cluster's own, and overrides of control plane and workers.

Source: DefaultAndValidateVariables in cluster-api, core/webhooks/admission/cluster.go.
"""

from __future__ import annotations

from krmkit.clusterapi.variables.defaulting import default_variables
from krmkit.clusterapi.variables.validation import validate_variables
from krmkit.clusterapi.variables.values import Variable, read_variables
from krmkit.lang.fielderror import FieldError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from krmkit.clusterapi.variables.definitions import Definitions

    Data = Mapping[str, Any]

CLUSTER_PATH = "spec.topology.variables"
CONTROL_PLANE_PATH = "spec.topology.controlPlane.variables.overrides"
WORKERS = ("machineDeployments", "machinePools")


def default_and_validate(
    topology: Data, old_topology: Data | None, definitions: Definitions
) -> tuple[dict[str, Any], list[FieldError]]:
    """The topology with defaults, and every error: those of defaulting first, then those of validation.

    Variables that cannot be defaulted stay as they are. `old_topology` is what rules call oldSelf.
    """
    defaulted, errors = default_topology(topology, definitions)
    return defaulted, errors + validate_topology(defaulted, old_topology, definitions)


def default_topology(topology: Data, definitions: Definitions) -> tuple[dict[str, Any], list[FieldError]]:
    """A copy of the topology whose variables have their defaults; what does not change is shared with the original."""
    errors: list[FieldError] = []
    found = dict(topology)
    variables = _defaulted(topology.get("variables"), definitions, CLUSTER_PATH, True, errors)
    if variables is not None:
        found["variables"] = variables
        if not variables:
            del found["variables"]
    control_plane = topology.get("controlPlane")
    if control_plane:
        found["controlPlane"] = _with_overrides(control_plane, definitions, CONTROL_PLANE_PATH, errors)
    workers = topology.get("workers")
    if workers:
        found["workers"] = dict(workers)
        for kind in WORKERS:
            if workers.get(kind):
                found["workers"][kind] = [
                    _with_overrides(item, definitions, _worker_path(kind, item), errors)
                    for item in workers[kind]
                ]
    return found, errors


def validate_topology(topology: Data, old: Data | None, definitions: Definitions) -> list[FieldError]:
    """Every error of the variables of a topology."""
    before: Data = old or {}
    errors = validate_variables(
        read_defaulted(topology.get("variables")),
        read_variables(before.get("variables")),
        definitions,
        CLUSTER_PATH,
        require=True,
    )
    places: list[tuple[str, Data, Data]] = [
        (CONTROL_PLANE_PATH, topology.get("controlPlane") or {}, before.get("controlPlane") or {})
    ]
    for kind in WORKERS:
        old_items = {item.get("name"): item for item in (before.get("workers") or {}).get(kind) or []}
        places += [
            (_worker_path(kind, item), item, old_items.get(item.get("name")) or {})
            for item in (topology.get("workers") or {}).get(kind) or []
        ]
    for path, item, old_item in places:
        overrides = _overrides(item)
        if overrides:
            values = read_defaulted(overrides)
            old_values = read_variables(_overrides(old_item))
            errors += validate_variables(values, old_values, definitions, path, require=False)
    return errors


def read_defaulted(items: list[Any] | None) -> list[Variable]:
    """The values of a list after defaulting, where a null is written as null."""
    return [Variable(variable.name, variable.value) for variable in read_variables(items)]


def _worker_path(kind: str, item: Data) -> str:
    return f"spec.topology.workers.{kind}[{item.get('name', '')}].variables.overrides"


def _overrides(item: Data) -> list[Any]:
    return (item.get("variables") or {}).get("overrides") or []


def _with_overrides(item: Data, definitions: Definitions, path: str, errors: list[FieldError]) -> Data:
    overrides = _overrides(item)
    if not overrides:
        return item
    values = _defaulted(overrides, definitions, path, False, errors)
    if values is None:
        return item
    return {**item, "variables": {**item["variables"], "overrides": values}}


def _defaulted(
    items: list[Any] | None, definitions: Definitions, path: str, create: bool, errors: list[FieldError]
) -> list[dict[str, Any]] | None:
    """The list with defaults; None where there are errors, which are added."""
    values, found = default_variables(read_variables(items), definitions, path, create=create)
    if found:
        errors += found
        return None
    return [{"name": variable.name, "value": variable.value} for variable in values]
