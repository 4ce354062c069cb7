"""krmkit.systems.clusterapi.webhooks.clusterclass: what the ClusterClass webhook refuses."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.features import FeatureGates
from krmkit.systems.clusterapi.webhooks.clusterclass import validate_class, validate_class_for_clusters
from tests.unit.systems.clusterapi.objects import GATES, reference, small_class, small_cluster, worker_class


def texts(spec: dict[str, Any], gates: FeatureGates = GATES) -> list[str]:
    return [str(error) for error in validate_class(small_class(**spec), None, gates)]


def test_a_good_class() -> None:
    """The small class is accepted, also as an update of itself."""
    assert validate_class(small_class(), small_class(), GATES) == []


REFUSED = {
    "kind without Template": (
        {"infrastructure": {"templateRef": reference("Infra")}},
        'spec.infrastructure.ref.kind: Invalid value: "Infra": template kind must be of form "<name>Template"',
    ),
    "naming": (
        {"infrastructure": {"templateRef": reference("InfraTemplate"), "naming": {"template": "{{ .x }}"}}},
        'spec.infrastructure.naming.template: Invalid value: "{{ .x }}": invalid InfraCluster name template: rendering'
        ' template: template: template name generator:1:3: executing "template name generator" at <.x>: map has no'
        ' entry for key "x"',
    ),
    "naming does not parse": (
        {"infrastructure": {"templateRef": reference("InfraTemplate"), "naming": {"template": "{{"}}},
        'spec.infrastructure.naming.template: Invalid value: "{{": invalid InfraCluster name template: parsing template'
        ' "{{": template: template name generator:1: unclosed action',
    ),
    "health check": (
        {
            "workers": {
                "machineDeployments": [
                    worker_class("w", healthCheck={"checks": {"nodeStartupTimeoutSeconds": 29}})
                ]
            }
        },
        "spec.workers.machineDeployments[w].healthCheck.checks.nodeStartupTimeoutSeconds: Invalid value: 29:"
        " must be at least 30s",
    ),
    "remediation": (
        {
            "workers": {
                "machineDeployments": [worker_class("w", healthCheck={"remediation": {"maxInFlight": "a"}})]
            }
        },
        'spec.workers.machineDeployments[w].healthCheck.remediation.maxInFlight: Invalid value: "a": must be either an'
        " int or a percentage: invalid value for IntOrString: invalid type: string is not a percentage",
    ),
    "rollout": (
        {
            "workers": {
                "machineDeployments": [
                    worker_class(
                        "w",
                        rollout={"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}},
                    )
                ]
            }
        },
        "spec.workers.machineDeployments[w].rollout.strategy.rollingUpdate: Invalid value:"
        ' "0": maxUnavailable and maxSurge cannot both be 0',
    ),
    "taint": (
        {"workers": {"machinePools": [worker_class("w", taints=[{"key": "node.kubernetes.io/x"}])]}},
        'spec.workers.machinePools[w].taints[0].key: Invalid value: "node.kubernetes.io/x": taint key must not have'
        " the prefix node.kubernetes.io/, except for node.kubernetes.io/out-of-service",
    ),
    "metadata": (
        {"workers": {"machinePools": [worker_class("w", metadata={"annotations": {"a/b/c": ""}})]}},
        'spec.workers.machinePools[w].template.metadata.annotations: Invalid value: "a/b/c": a qualified name must',
    ),
    "versions": (
        {"kubernetesVersions": ["v1.31.0", "x", "v1.33.0"]},
        'spec.kubernetesVersion[1]: Invalid value: "x": version must be a valid semantic version',
    ),
    "class twice": (
        {"workers": {"machinePools": [worker_class("w"), worker_class("w")]}},
        'spec.workers.machinePools[1].class: Invalid value: "w": MachinePool class must be unique. MachinePool with'
        ' class "w" is defined more than once',
    ),
}


@pytest.mark.parametrize(("spec", "text"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(spec: dict[str, Any], text: str) -> None:
    """Each rule refuses with the reference's text."""
    assert texts(spec)[0].startswith(text)


def test_taints_need_their_gate() -> None:
    """With MachineTaintPropagation off every taint is refused."""
    spec = {"workers": {"machinePools": [worker_class("w", taints=[{"key": "a"}])]}}

    assert texts(spec) == []
    (text,) = texts(spec, FeatureGates())
    assert "when the feature gate MachineTaintPropagation is disabled" in text


def test_health_check_needs_machines() -> None:
    """The control plane's health check needs machineInfrastructure."""
    plane = {
        "templateRef": reference("PlaneTemplate"),
        "healthCheck": {"checks": {"nodeStartupTimeoutSeconds": 0}},
    }

    assert texts({"controlPlane": plane}) == [
        "spec.controlPlane.healthCheck: Forbidden: can be only set if spec.controlPlane.machineInfrastructure is set"
    ]


def change(new: Object, *clusters: Object, **old: Any) -> list[str]:
    return [str(error) for error in validate_class_for_clusters(new, small_class(**old), clusters)]


def test_removed_class_in_use() -> None:
    """A worker class that a Cluster uses cannot go; an unused one can."""
    new = small_class(workers={})

    assert change(new) == []
    assert change(new, small_cluster("a"), small_cluster("b")) == [
        'spec.workers.machineDeployments: Forbidden: MachineDeploymentClass "default-worker" cannot be deleted because it'
        f' is used by Cluster "{name}"'
        for name in ("a", "b")
    ]


def test_version_in_use() -> None:
    """Versions that Clusters have stay in kubernetesVersions."""
    assert change(small_class(kubernetesVersions=["v1.33.1"]), small_cluster()) == []
    assert change(small_class(kubernetesVersions=["v1.34.0"]), small_cluster()) == [
        'spec.kubernetesVersions: Forbidden: Kubernetes Version v1.33.1 is used by Cluster "c" but not set in ClusterClass'
    ]


def test_health_check_in_use() -> None:
    """A health check that Clusters ask for without defining it stays; all of its users are named."""
    workers = {"machineDeployments": [worker_class("default-worker", healthCheck={"checks": {"x": 1}})]}
    asking = {
        "machineDeployments": [{"class": "default-worker", "name": "m", "healthCheck": {"enabled": True}}]
    }
    users = [small_cluster("a", workers=asking), small_cluster("b", workers=asking), small_cluster("c")]

    assert change(small_class(), *users, workers=workers) == [
        "spec.workers.machineDeployments[default-worker].healthCheck: Forbidden: healthCheck cannot be deleted because it"
        ' is used by Cluster(s) "a,b"'
    ]


def test_autoscaler() -> None:
    """A class that hands sizes to the autoscaler breaks Clusters that set replicas."""
    annotations = {"cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size": "5"}
    workers = {"machineDeployments": [worker_class("default-worker", metadata={"annotations": annotations})]}
    sized = {"machineDeployments": [{"class": "default-worker", "name": "m", "replicas": 2}]}

    (text,) = change(small_class(workers=workers), small_cluster(workers=sized))
    assert text.startswith(
        "spec.topology.workers.machineDeployments[m].replicas: Invalid value: 2: cannot be set for cluster"
    )
