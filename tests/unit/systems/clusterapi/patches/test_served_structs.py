"""Patches below structs that a server fills in for v1beta1, and below maps that nobody fills in."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.roles import CONTROL_PLANE
from krmkit.systems.clusterapi.desired.comparison import without_unset_endpoint
from krmkit.systems.clusterapi.patches.apply import Patched
from krmkit.systems.clusterapi.patches.request import RequestItem
from tests.unit.systems.clusterapi.fixtures import template

GROUP = "controlplane.cluster.x-k8s.io"
CLUSTER = "/spec/template/spec/kubeadmConfigSpec/clusterConfiguration"


def patched(version: str, spec: Object, *operations: Object) -> Any:
    data = template(f"{GROUP}/{version}", "KubeadmControlPlaneTemplate", spec)
    item = RequestItem("1", CONTROL_PLANE, {}, data)
    Patched(item).json_patch(list(operations))
    return item.object["spec"]["template"]["spec"]


def add(path: str, value: object, op: str = "add") -> Object:
    return {"op": op, "path": path, "value": value}


def test_structs_of_v1beta1_are_there() -> None:
    given = {"kubeadmConfigSpec": {"clusterConfiguration": {"dns": {"imageTag": "1"}}}}

    found = patched(
        "v1beta1",
        given,
        add(f"{CLUSTER}/apiServer/extraArgs", {"v": "2"}),
        add(f"{CLUSTER}/dns/imageTag", "2"),
    )

    assert found["kubeadmConfigSpec"]["clusterConfiguration"] == {
        "apiServer": {"extraArgs": {"v": "2"}},
        "dns": {"imageTag": "2"},
    }
    replaced = patched("v1beta1", given, add(f"{CLUSTER}/scheduler", {"extraArgs": {"v": "1"}}, "replace"))
    assert replaced["kubeadmConfigSpec"]["clusterConfiguration"]["scheduler"] == {"extraArgs": {"v": "1"}}
    assert patched("v1beta1", {}, add("/spec/template/spec/kubeadmConfigSpec/files", [])) == {
        "kubeadmConfigSpec": {"files": []}
    }


@pytest.mark.parametrize(
    ("version", "spec", "path", "missing"),
    [
        (
            "v1beta2",
            {"kubeadmConfigSpec": {"clusterConfiguration": {}}},
            f"{CLUSTER}/apiServer/extraArgs",
            "clusterConfiguration.apiServer",
        ),
        (
            "v1beta1",
            {"kubeadmConfigSpec": {}},
            f"{CLUSTER}/apiServer/extraArgs",
            "kubeadmConfigSpec.clusterConfiguration",
        ),
    ],
)
def test_pointers_and_other_versions_are_not(version: str, spec: Object, path: str, missing: str) -> None:
    """The hint names the first map that the template lacks."""
    with pytest.raises(TopologyError) as caught:
        patched(version, spec, add(path, {}))

    assert f"{missing}, below which the patch adds: put it into the template" in caught.value.hint
    assert caught.value.wrapped("a").hint == caught.value.hint


def test_an_endpoint_that_the_template_leaves_open() -> None:
    """The provider sets it, so an unset one is no change of the running one."""
    assert without_unset_endpoint({"spec": {"controlPlaneEndpoint": {"host": "", "port": 0}}}) == {
        "spec": {"controlPlaneEndpoint": {}}
    }
    given = {"spec": {"controlPlaneEndpoint": {"host": "a", "port": 0}}}
    assert without_unset_endpoint(given) == {"spec": {"controlPlaneEndpoint": {"host": "a"}}}
