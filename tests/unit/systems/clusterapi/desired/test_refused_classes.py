"""render-cluster-topology says of a class in use that the webhooks refuse it."""

from __future__ import annotations

import pytest

from tests.unit.systems.clusterapi.desired.test_render import package, run
from tests.unit.systems.clusterapi.fixtures import BOOTSTRAP, CONTROL_PLANE, INFRASTRUCTURE, cluster_class

SELECTORS = [
    (INFRASTRUCTURE, "MetalClusterTemplate", "matchResources.infrastructureCluster: true"),
    (CONTROL_PLANE, "KubeadmControlPlaneTemplate", "matchResources.controlPlane: true"),
    (BOOTSTRAP, "KubeadmConfigTemplate", "matchResources.machineDeploymentClass.names: [worker]"),
    (BOOTSTRAP, "StrangeTemplate", "no template of the class has this apiVersion and kind"),
]


@pytest.mark.parametrize(("api_version", "kind", "needed"), SELECTORS, ids=[case[1] for case in SELECTORS])
def test_a_class_that_the_webhooks_refuse(api_version: str, kind: str, needed: str) -> None:
    """A selector that selects nothing is said while rendering, with what it needs and who else names it."""
    patch = {"op": "add", "path": "/spec/template/spec/region", "value": "south"}
    definition = {
        "selector": {"apiVersion": api_version, "kind": kind, "matchResources": {}},
        "jsonPatches": [patch],
    }

    outcome = run(package(the_class=cluster_class(patches=[{"name": "region", "definitions": [definition]}])))

    [found] = [one for one in outcome.results if one.rule == "invalid-class"]
    assert (found.severity, found.field) == ("error", "spec.patches[0].definitions[0].selector")
    assert "no selector enabled" in found.message
    assert f"; needed: {needed}" in found.message
    assert outcome.exit_code == 1
