"""Kubeadm and core objects of v1beta1 at v1beta2, and templates back."""

from __future__ import annotations

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.objectversion import in_version, same_version

BOOTSTRAP = "bootstrap.cluster.x-k8s.io"
PLANE = "controlplane.cluster.x-k8s.io"
CORE = "cluster.x-k8s.io"


def template(
    version: str, spec: Object, kind: str = "KubeadmConfigTemplate", group: str = BOOTSTRAP
) -> Object:
    return {"apiVersion": f"{group}/{version}", "kind": kind, "spec": {"template": {"spec": spec}}}


OLD_CONFIG: Object = {
    "clusterConfiguration": {
        "apiServer": {"extraArgs": {"v": "4", "audit": "on"}, "timeoutForControlPlane": "20m0s"},
        "etcd": {"local": {"extraArgs": {"quota": "8"}}},
    },
    "initConfiguration": {"bootstrapTokens": [{"token": "a.b", "ttl": "1h0m0s"}]},
    "joinConfiguration": {
        "nodeRegistration": {"kubeletExtraArgs": {"cloud-provider": "external"}},
        "discovery": {"timeout": "5m0s"},
    },
    "files": [{"path": "/a", "content": "x"}],
}
NEW_CONFIG: Object = {
    "clusterConfiguration": {
        "apiServer": {"extraArgs": [{"name": "audit", "value": "on"}, {"name": "v", "value": "4"}]},
        "etcd": {"local": {"extraArgs": [{"name": "quota", "value": "8"}]}},
    },
    "initConfiguration": {
        "bootstrapTokens": [{"token": "a.b", "ttlSeconds": 3600}],
        "timeouts": {"controlPlaneComponentHealthCheckSeconds": 1200},
    },
    "joinConfiguration": {
        "nodeRegistration": {"kubeletExtraArgs": [{"name": "cloud-provider", "value": "external"}]},
        "discovery": {},
        "timeouts": {"controlPlaneComponentHealthCheckSeconds": 1200, "tlsBootstrapSeconds": 300},
    },
    "files": [{"path": "/a", "content": "x"}],
}


def test_a_kubeadm_config_is_converted_up_and_down() -> None:
    """Arguments become a list, time-outs move, durations become seconds, and all of it comes back."""
    old, new = template("v1beta1", OLD_CONFIG), template("v1beta2", NEW_CONFIG)

    assert in_version(old, f"{BOOTSTRAP}/v1beta2") == new
    assert in_version(new, f"{BOOTSTRAP}/v1beta1") == old


def test_what_only_v1beta1_has_is_lost() -> None:
    """Fields that v1beta2 dropped, and a false that Go writes for an absent field."""
    spec = {
        "clusterConfiguration": {"kubernetesVersion": "v1.30.0", "networking": {"dnsDomain": "a"}},
        "files": [{"path": "/a", "append": False}],
        "useExperimentalRetryJoin": True,
    }

    found = in_version(template("v1beta1", spec), f"{BOOTSTRAP}/v1beta2")

    assert found == template("v1beta2", {"clusterConfiguration": {}, "files": [{"path": "/a"}]})


def test_a_control_plane_template_is_converted_up_and_down() -> None:
    """Rollout, remediation, naming and the machines' time-outs have other places."""
    old = {
        "kubeadmConfigSpec": OLD_CONFIG,
        "rolloutStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}},
        "rolloutBefore": {"certificatesExpiryDays": 21},
        "remediationStrategy": {"maxRetry": 3, "retryPeriod": "1m0s"},
        "machineNamingStrategy": {"template": "a-{{ .random }}"},
        "machineTemplate": {"nodeDrainTimeout": "10s"},
    }
    new = {
        "kubeadmConfigSpec": NEW_CONFIG,
        "rollout": {
            "before": {"certificatesExpiryDays": 21},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}},
        },
        "remediation": {"maxRetry": 3, "retryPeriodSeconds": 60},
        "machineNaming": {"template": "a-{{ .random }}"},
        "machineTemplate": {"spec": {"deletion": {"nodeDrainTimeoutSeconds": 10}}},
    }
    kind = "KubeadmControlPlaneTemplate"

    assert in_version(template("v1beta1", old, kind, PLANE), f"{PLANE}/v1beta2") == template(
        "v1beta2", new, kind, PLANE
    )
    assert in_version(template("v1beta2", new, kind, PLANE), f"{PLANE}/v1beta1") == template(
        "v1beta1", old, kind, PLANE
    )


def test_the_reference_of_a_control_plane_follows() -> None:
    """v1beta1 has it beside the machines' metadata, with an apiVersion."""
    reference = {"apiVersion": "infra.io/v1", "kind": "M", "name": "m", "namespace": "ns"}
    old = {
        "apiVersion": f"{PLANE}/v1beta1",
        "kind": "KubeadmControlPlane",
        "spec": {"machineTemplate": {"infrastructureRef": reference}},
    }

    found = in_version(old, f"{PLANE}/v1beta2")

    assert found is not None
    assert found["spec"] == {
        "machineTemplate": {"spec": {"infrastructureRef": {"apiGroup": "infra.io", "kind": "M", "name": "m"}}}
    }


def test_a_machine_deployment_is_converted_up() -> None:
    """Strategy, time-outs and references of machines have other places and forms."""
    old = {
        "apiVersion": f"{CORE}/v1beta1",
        "kind": "MachineDeployment",
        "spec": {
            "clusterName": "c",
            "rolloutAfter": "2026-01-01T00:00:00Z",
            "minReadySeconds": 5,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "deletePolicy": "Oldest"}},
            "template": {
                "spec": {
                    "bootstrap": {"configRef": {"apiVersion": "b.io/v1beta1", "kind": "B", "name": "b"}},
                    "nodeDrainTimeout": "1m",
                }
            },
        },
    }

    found = in_version(old, f"{CORE}/v1beta2")

    assert found is not None
    assert found["spec"] == {
        "clusterName": "c",
        "deletion": {"order": "Oldest"},
        "rollout": {
            "after": "2026-01-01T00:00:00Z",
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}},
        },
        "template": {
            "spec": {
                "bootstrap": {"configRef": {"apiGroup": "b.io", "kind": "B", "name": "b"}},
                "deletion": {"nodeDrainTimeoutSeconds": 60},
                "minReadySeconds": 5,
            }
        },
    }


def test_other_kinds_have_no_known_conversion() -> None:
    """A provider's versions are the provider's; the same version is the object itself."""
    one = template("v1beta1", {}, "MetalMachineTemplate", "infrastructure.cluster.x-k8s.io")

    assert in_version(one, "infrastructure.cluster.x-k8s.io/v1beta2") is None
    assert in_version(one, "infrastructure.cluster.x-k8s.io/v1beta1") is one
    assert same_version(one, template("v1beta2", {}, "MetalMachineTemplate"))[0] is one


def test_an_object_of_a_wrong_form_is_an_error() -> None:
    """The message says which object, and where."""
    wrong = template("v1beta1", {"initConfiguration": "x", "clusterConfiguration": {"apiServer": {"timeoutForControlPlane": "1m"}}})  # fmt: skip

    with pytest.raises(TopologyError, match=r"from v1beta1 to v1beta2: spec\.template\.spec"):
        in_version(wrong, f"{BOOTSTRAP}/v1beta2")
