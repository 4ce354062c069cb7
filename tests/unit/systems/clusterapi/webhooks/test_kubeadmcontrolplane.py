"""What the webhook of KubeadmControlPlanes refuses when the topology controller writes them."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.systems.clusterapi.webhooks.kubeadmcontrolplane import created_errors, updated_errors

Object = dict[str, Any]


def plane(config: Object | None = None, version: str = "v1beta2", **spec: Any) -> Object:
    return {
        "apiVersion": f"controlplane.cluster.x-k8s.io/{version}",
        "kind": "KubeadmControlPlane",
        "metadata": {"name": "c1"},
        "spec": {"replicas": 1, "version": "v1.33.1", "kubeadmConfigSpec": config or {}, **spec},
    }


def surge(count: int) -> Object:
    return {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": count}}}


EXTERNAL = {"etcd": {"external": {"endpoints": ["https://e:2379"]}}}


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (plane(), []),
        (plane(replicas=3), []),
        (plane(replicas=2), ["spec.replicas: Forbidden: cannot be an even number when etcd is stacked"]),
        (plane({"clusterConfiguration": EXTERNAL}, replicas=2), []),
        (
            plane(replicas=0),
            [
                "spec.replicas: Forbidden: cannot be less than or equal to 0",
                "spec.replicas: Forbidden: cannot be an even number when etcd is stacked",
            ],
        ),
        # The webhook fills in 1.
        (plane(replicas=None), []),
        (plane(rollout=surge(0), replicas=3), []),
        (
            plane(rollout=surge(0)),
            [
                "spec.rollout.strategy.rollingUpdate: Required value: when KubeadmControlPlane is configured to scale-in,"
                " replica count needs to be at least 3"
            ],
        ),
        (plane(rollout=surge(2)), ["spec.rollout.strategy.rollingUpdate.maxSurge: Required value: value must be 1 or 0"]),
        (
            plane({"clusterConfiguration": {"certificateValidityPeriodDays": 400, "caCertificateValidityPeriodDays": 365}}),
            [
                "spec.kubeadmConfigSpec.clusterConfiguration.certificateValidityPeriodDays: Invalid value: 400: must be less than or"
                " equal to caCertificateValidityPeriodDays (365)"
            ],
        ),
        # Other kinds, and versions without a known conversion.
        ({**plane(replicas=2), "kind": "OtherControlPlane"}, []),
        ({**plane(replicas=2), "apiVersion": "controlplane.example.com/v1beta2"}, []),
        (plane(version="v1alpha3", replicas=2), []),
        (plane(version="v1beta1", replicas=2), ["spec.replicas: Forbidden: cannot be an even number when etcd is stacked"]),
    ],
)  # fmt: skip
def test_new_ones(made: Object, expected: list[str]) -> None:
    """The controller cannot make these."""
    assert [str(error) for error in created_errors(made)] == expected


CONFIG = "spec.kubeadmConfigSpec"


@pytest.mark.parametrize(
    ("old", "new", "field", "wrong"),
    [
        ({}, {"verbosity": 3}, "verbosity", ""),
        ({"verbosity": 3}, {}, "verbosity", ""),
        ({"files": [{"path": "/a"}]}, {"files": [{"path": "/b"}]}, "files[0].path", ""),
        ({}, {"clusterConfiguration": {"apiServer": {"certSANs": ["a"]}}}, "clusterConfiguration", ""),
        ({}, {"clusterConfiguration": {"certificatesDir": "/x"}}, "clusterConfiguration", "clusterConfiguration.certificatesDir"),
        (
            {"clusterConfiguration": {"apiServer": {"certSANs": ["a"]}, "scheduler": {"x": 1}}},
            {"clusterConfiguration": {"scheduler": {"x": 1}}},
            "clusterConfiguration.apiServer",
            "",
        ),
        ({"clusterConfiguration": {"imageRepository": "a"}}, {}, "clusterConfiguration", "clusterConfiguration"),
        # The last field goes, and with it the block.
        (
            {"clusterConfiguration": {"apiServer": {"certSANs": ["a"]}}},
            {"clusterConfiguration": {"apiServer": {}}},
            "clusterConfiguration.apiServer.certSANs",
            "clusterConfiguration",
        ),
        ({"joinConfiguration": {"skipPhases": ["a"]}}, {}, "joinConfiguration", "joinConfiguration"),
        (
            {"clusterConfiguration": {"caCertificateValidityPeriodDays": 10, "dns": {"imageTag": "a"}}},
            {"clusterConfiguration": {"caCertificateValidityPeriodDays": 20, "dns": {"imageTag": "a"}}},
            "clusterConfiguration.caCertificateValidityPeriodDays",
            "clusterConfiguration.caCertificateValidityPeriodDays",
        ),
    ],
)  # fmt: skip
def test_changes_of_the_configuration(old: Object, new: Object, field: str, wrong: str) -> None:
    """Single fields come and go, but for a few; blocks do not go."""
    found = updated_errors(
        plane({"format": "ignition", **old}), plane({"format": "ignition", **new}), [f"{CONFIG}.{field}"]
    )

    assert [str(one) for one in found] == (
        [f"{CONFIG}.{wrong}: Forbidden: cannot be modified"] if wrong else []
    )


def test_fields_of_others_stay() -> None:
    """What the running object has and the topology does not change is no change."""
    old = plane({"clusterConfiguration": {"certificatesDir": "/x", "imageRepository": "a"}}, replicas=3)

    assert updated_errors(old, plane({}, replicas=5), ["spec.replicas"]) == []
    assert [str(one) for one in updated_errors(old, plane({}, replicas=4), ["spec.replicas"])] == [
        "spec.replicas: Forbidden: cannot be an even number when etcd is stacked"
    ]


def test_stacked_etcd_does_not_become_external() -> None:
    """Nor the reverse."""
    local = {"clusterConfiguration": {"etcd": {"local": {"dataDir": "/e"}}, "dns": {"imageTag": "v1"}}}
    external = {"clusterConfiguration": {**EXTERNAL, "dns": {"imageTag": "v1"}}}

    for old, new in ((local, external), (external, local)):
        found = updated_errors(
            plane(old),
            plane(new),
            [f"{CONFIG}.clusterConfiguration.etcd.local", f"{CONFIG}.clusterConfiguration.etcd.external"],
        )
        assert [str(one) for one in found] == [
            f"{CONFIG}.clusterConfiguration.etcd.external: Forbidden: cannot change between external and local etcd"
        ]
