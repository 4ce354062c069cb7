"""Odd requests for handlers: missing variables, variables of another type, other versions, unknown kinds."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

from krmkit.libraries.json import Object


def odd_requests(request: Object) -> dict[str, Object]:
    """Return changed requests, by a description of the change.

    >>> sorted(odd_requests({"variables": [{"name": "v", "value": "x"}]}))[:2]
    ['with templates of another apiVersion', 'with v of another type']
    """
    names = sorted(_variable_names(request) - {"builtin"})
    odd = {"without variables": _with_variables(request, lambda one: None)}
    for variable in names:
        odd[f"without the variable {variable}"] = _with_variables(request, lambda one: None, variable)
        odd[f"with {variable} of another type"] = _with_variables(request, _of_other_type, variable)
    other = deepcopy(request)
    for item in other.get("items") or []:
        group = str(item["object"].get("apiVersion", "")).partition("/")[0]
        item["object"]["apiVersion"] = f"{group}/v9unknown1"
    odd["with templates of another apiVersion"] = other
    return odd


def with_unknown_kind(request: Object) -> Object:
    """Return the request with one more template, of an unknown kind."""
    unknown = deepcopy(request)
    stranger = {"apiVersion": "unknown.example.com/v1", "kind": "StrangeTemplate", "metadata": {"name": "s"}}
    holder = {"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineDeployment", "namespace": "default", "name": "s",
              "fieldPath": "spec.template.spec.infrastructureRef"}  # fmt: skip
    unknown.setdefault("items", []).append(
        {"uid": "unknown-kind", "holderReference": holder, "object": stranger}
    )
    return unknown


def _variable_names(request: Object) -> set[str]:
    places = (request, *(request.get("items") or []))
    return {str(one.get("name")) for place in places for one in place.get("variables") or []}


def _with_variables(request: Object, change: Callable[[Object], Object | None], name: str = "") -> Object:
    """Return the request with `change` applied to a variable, or to all; None leaves it out."""
    result = deepcopy(request)
    for place in (result, *(result.get("items") or [])):
        if "variables" in place:
            changed = [one if name and one["name"] != name else change(one) for one in place["variables"]]
            place["variables"] = [one for one in changed if one is not None]
    return result


def _of_other_type(variable: Object) -> Object:
    return {**variable, "value": 12345 if isinstance(variable.get("value"), str) else "another type"}
