"""Which templates the selector of a patch selects."""

from __future__ import annotations

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.roles import NO_ROLE
from krmkit.systems.clusterapi.patches.request import BOOTSTRAP_REF, RequestItem, matches, matches_class

TEMPLATE: Object = {"apiVersion": "b/v1", "kind": "ConfigTemplate"}


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("*", "workers", True),
        ("workers", "workers", True),
        ("workers", "workers-gpu", False),
        ("*-gpu", "workers-gpu", True),
        ("*-gpu", "workers-gpu-2", False),
        ("workers-*", "workers-gpu", True),
        ("workers-*", "my-workers-gpu", False),
        ("w*s", "workers", False),
        ("workers*", "workers", True),
    ],
)
def test_names_of_classes(pattern: str, name: str, fits: bool) -> None:
    """A star counts as the whole pattern, and as its first or last character."""
    assert matches_class(pattern, name) is fits


@pytest.mark.parametrize(
    ("resources", "selects"),
    [
        ({"machineDeploymentClass": {"names": ["*"]}}, ["MachineDeployment"]),
        ({"machinePoolClass": {"names": ["*"]}}, ["MachinePool"]),
        ({"machinePoolClass": {"names": ["other"]}}, []),
        ({"machinePoolClass": {"names": []}}, []),
        ({"infrastructureCluster": True, "controlPlane": True}, []),
    ],
)
def test_kinds_of_workers(resources: Object, selects: list[str]) -> None:
    """The classes of MachineDeployments and MachinePools are named apart, also where all names fit."""
    selector = {**TEMPLATE, "matchResources": resources}
    found = [
        kind
        for kind, builtin in (("MachineDeployment", "machineDeployment"), ("MachinePool", "machinePool"))
        if matches(
            RequestItem(
                "1",
                NO_ROLE,
                {"kind": kind, "fieldPath": BOOTSTRAP_REF},
                TEMPLATE,
                builtin={builtin: {"class": "workers"}},
            ),
            selector,
        )
    ]

    assert found == selects
