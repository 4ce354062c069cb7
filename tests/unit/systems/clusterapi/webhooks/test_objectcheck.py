"""One object against the API: created by people, or applied by the topology controller."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.webhooks.objectcheck import ObjectCheck
from tests.unit.systems.clusterapi.fixtures import BOOTSTRAP, CONTROL_PLANE, CORE, INFRASTRUCTURE, template

CHECK = ObjectCheck()
SOURCE = {"secret": {"name": "a", "key": "b"}}


def config(**spec: Any) -> Object:
    return template(BOOTSTRAP, "KubeadmConfigTemplate", {"verbosity": 1, **spec})


def old_config(**spec: Any) -> Object:
    return template("bootstrap.cluster.x-k8s.io/v1beta1", "KubeadmConfigTemplate", spec)


def plane(**config_spec: Any) -> Object:
    return template(CONTROL_PLANE, "KubeadmControlPlaneTemplate", {"kubeadmConfigSpec": config_spec})


@pytest.mark.parametrize(
    ("data", "field", "text"),
    [
        (config(files=[{"path": "/a", "content": "x", "contentFrom": SOURCE}]), "files[0]", "only one of content"),
        (config(files=[{"path": "/a", "content": "x"}, {"path": "/a", "content": "y"}]), "files[1].path", "unique"),
        (config(users=[{"name": "a", "passwd": "x", "passwdFrom": SOURCE}]), "users[0]", "only one of passwd"),
        (config(ignition={"containerLinuxConfig": {"strict": True}}), "format", "must be set to"),
        (config(format="ignition", bootCommands=["x"]), "bootCommands", "not supported"),
        (config(format="ignition", users=[{"name": "a", "inactive": True}]), "users[0].inactive", "not supported"),
        (config(format="ignition", files=[{"path": "/a", "encoding": "gzip"}]), "files[0].encoding", "not supported"),
        (
            config(diskSetup={"partitions": [{"device": "a", "diskLayout": [{"percentage": 60}, {"percentage": 50}]}]}),
            "diskSetup.partitions[0].diskLayout",
            "must not be greater than 100",
        ),
        (old_config(files=[{"path": "/a", "content": "x", "contentFrom": SOURCE}]), "files[0]", "only one of content"),
    ],
)  # fmt: skip
def test_what_the_kubeadm_webhook_refuses(data: Object, field: str, text: str) -> None:
    errors = CHECK.given(data)

    assert errors
    assert errors[0].field == f"spec.template.spec.{field}"
    assert text in errors[0].detail


def test_a_control_plane_that_waits_for_different_times() -> None:
    seconds = {"timeouts": {"controlPlaneComponentHealthCheckSeconds": 9}}

    assert [error.value for error in CHECK.given(plane(initConfiguration=seconds))] == ["9", "unset"]
    assert CHECK.given(plane(initConfiguration=seconds, joinConfiguration=seconds)) == []
    assert CHECK.given(config(joinConfiguration=seconds)) == []


@pytest.mark.parametrize(
    ("data", "path", "hint"),
    [
        (config(filez=[]), "spec.template.spec.filez", '; did you mean "files"?'),
        (config(joinConfiguration={"nodeRegistration": {"name": "a", "own": {}}}), "spec.template.spec.joinConfiguration.nodeRegistration.own", ""),
        (config(files=[{"path": "/a", "mode": "1"}]), "spec.template.spec.files[0].mode", ""),
        (old_config(notAField=1), "spec.template.spec.notAField", ""),
        (template(INFRASTRUCTURE, "DevMachineTemplate", {"backend": {"inMemory": {"cpu": 1}}}), "spec.template.spec.backend.inMemory.cpu", ""),
    ],
)  # fmt: skip
def test_undeclared_fields(data: Object, path: str, hint: str) -> None:
    """A create drops them, a server-side apply refuses them."""
    assert CHECK.given(data) == []
    assert CHECK.dropped(data) == {path: hint}
    [error] = CHECK.made(data)
    assert (error.field, error.detail) == (path, f"field not declared in schema{hint}")
    assert CHECK.made(CHECK.stored(data)) == []


def test_a_map_of_which_nothing_is_left() -> None:
    """A create drops fields before it checks."""
    [error] = CHECK.given(config(joinConfiguration={"nodeRegistration": {"own": {}}}))

    assert error.detail.endswith("should have at least 1 properties")


def test_fields_of_v1beta1_only() -> None:
    """The older version declares them."""
    data = old_config(useExperimentalRetryJoin=True, clusterConfiguration={"clusterName": "x", "apiServer": {"timeoutForControlPlane": "2m"}})  # fmt: skip

    assert CHECK.dropped(data) == {}


def test_a_negative_number_of_replicas() -> None:
    """What has a scale subresource takes none, shipped schemas and CRDs alike."""
    reference = {"apiGroup": "infrastructure.cluster.x-k8s.io", "kind": "A", "name": "a"}
    machine = {"clusterName": "c", "bootstrap": {"configRef": reference}, "infrastructureRef": reference}
    pool: Object = {
        "apiVersion": CORE,
        "kind": "MachinePool",
        "spec": {"clusterName": "c", "replicas": -1, "template": {"spec": machine}},
    }
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"count": {"type": "integer"}}}},
    }
    version = {
        "name": "v1",
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"scale": {"specReplicasPath": ".spec.count"}},
    }
    crd = {"spec": {"group": "a.b", "names": {"kind": "T"}, "versions": [version]}}
    own = {"apiVersion": "a.b/v1", "kind": "T", "spec": {"count": -2}}

    for data, found in ((pool, "spec.replicas"), (own, "spec.count")):
        [error] = ObjectCheck([crd]).given(data)
        assert (error.field, error.detail) == (found, "should be a non-negative integer")


def test_kinds_without_a_schema() -> None:
    data = template("infrastructure.cluster.x-k8s.io/v9", "CloudTemplate", {"any": 1})

    assert (CHECK.given(data), CHECK.dropped(data), CHECK.made(data)) == ([], {}, [])
