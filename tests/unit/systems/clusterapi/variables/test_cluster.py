"""krmkit.systems.clusterapi.variables.cluster: the variables of a Cluster in all four places."""

from __future__ import annotations

import copy
from typing import Any

from krmkit.systems.clusterapi.variables.cluster import default_and_validate
from krmkit.systems.clusterapi.variables.definitions import Definitions

DEFINITIONS = Definitions(
    [
        {
            "name": "cpu",
            "definitions": [
                {
                    "from": "inline",
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "default": {},
                            "properties": {"count": {"type": "integer", "default": 1, "minimum": 1}},
                            "x-kubernetes-validations": [
                                {"rule": "self.count >= oldSelf.count", "message": "less"}
                            ],
                        }
                    },
                }
            ],
        }
    ]
)


def topology(cluster: int, control_plane: int, deployment: int, pool: int) -> dict[str, Any]:
    def overrides(count: int) -> dict[str, Any]:
        return {"overrides": [{"name": "cpu", "value": {"count": count}}]}

    return {
        "version": "v1.33.0",
        "variables": [{"name": "cpu", "value": {"count": cluster}}],
        "controlPlane": {"replicas": 3, "variables": overrides(control_plane)},
        "workers": {
            "machineDeployments": [
                {"name": "md-0", "class": "w", "variables": overrides(deployment)},
                {"name": "md-1"},
            ],
            "machinePools": [{"name": "mp-0", "class": "w", "variables": overrides(pool)}],
        },
    }


PLACES = [
    "spec.topology.variables[cpu].value",
    "spec.topology.controlPlane.variables.overrides[cpu].value",
    "spec.topology.workers.machineDeployments[md-0].variables.overrides[cpu].value",
    "spec.topology.workers.machinePools[mp-0].variables.overrides[cpu].value",
]


def test_nothing_to_do() -> None:
    """A topology with all its values stays as it is."""
    given = topology(1, 2, 3, 4)

    assert default_and_validate(given, given, DEFINITIONS) == (given, [])


def test_defaults() -> None:
    """Each place gets its defaults, and the given topology stays as it was."""
    given = topology(1, 1, 1, 1)
    for place in (
        given["controlPlane"],
        given["workers"]["machineDeployments"][0],
        given["workers"]["machinePools"][0],
    ):
        place["variables"]["overrides"][0]["value"] = {}
    del given["variables"]
    before = copy.deepcopy(given)
    found, errors = default_and_validate(given, None, DEFINITIONS)

    assert not errors
    assert found == topology(1, 1, 1, 1)
    assert given == before


def test_errors_in_all_places() -> None:
    """The errors name their places, in order."""
    _, errors = default_and_validate(topology(0, 0, 0, 0), None, DEFINITIONS)

    assert [error.field.removesuffix(".count") for error in errors] == PLACES


def test_old_values_of_all_places() -> None:
    """Workers are compared with those of their name."""
    old = topology(5, 5, 5, 5)
    old["workers"]["machineDeployments"].reverse()
    _, errors = default_and_validate(topology(1, 1, 1, 1), old, DEFINITIONS)

    assert [(error.field, error.detail) for error in errors] == [(place, "less") for place in PLACES]


def test_failed_places_stay() -> None:
    """Where a variable is unknown, nothing is filled in; the error comes from defaulting and from validation."""
    given = {
        "variables": [{"name": "x"}],
        "controlPlane": {"variables": {"overrides": [{"name": "cpu", "value": {}}]}},
    }
    found, errors = default_and_validate(given, None, DEFINITIONS)

    assert found["variables"] == given["variables"]
    assert found["controlPlane"]["variables"]["overrides"][0]["value"] == {"count": 1}
    assert [str(error) for error in errors] == [
        'spec.topology.variables[x]: Invalid value: "": variable is not defined'
    ] * 2


def test_no_variables() -> None:
    """A class without variables leaves the list away."""
    assert default_and_validate({"variables": []}, None, Definitions([])) == ({}, [])
