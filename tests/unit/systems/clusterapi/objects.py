"""A small class and a Cluster of it, for the tests of the webhooks."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.features import FeatureGates

GATES = FeatureGates(machine_taint_propagation=True, runtime_sdk=True)


def reference(kind: str, group: str = "infrastructure.cluster.x-k8s.io") -> Object:
    """A template of the class."""
    return {"apiVersion": f"{group}/v1beta2", "kind": kind, "name": kind.lower()}


def worker_class(name: str, **more: Any) -> Object:
    """A MachineDeployment or MachinePool class."""
    return {
        "class": name,
        "bootstrap": {"templateRef": reference("BootTemplate", "bootstrap.cluster.x-k8s.io")},
        "infrastructure": {"templateRef": reference("MachineTemplate")},
        **more,
    }


def small_class(**spec: Any) -> Object:
    """A class with a control plane of machines, one MachineDeployment class and one MachinePool class."""
    return {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": "ClusterClass",
        "metadata": {"name": "small", "namespace": "n"},
        "spec": {
            "infrastructure": {"templateRef": reference("InfraTemplate")},
            "controlPlane": {
                "templateRef": reference("PlaneTemplate", "controlplane.cluster.x-k8s.io"),
                "machineInfrastructure": {"templateRef": reference("MachineTemplate")},
            },
            "workers": {
                "machineDeployments": [worker_class("default-worker")],
                "machinePools": [worker_class("pool")],
            },
            **spec,
        },
    }


def small_cluster(name: str = "c", **topology: Any) -> Object:
    """A Cluster of the small class."""
    return {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": "Cluster",
        "metadata": {"name": name, "namespace": "n"},
        "spec": {
            "topology": {
                "classRef": {"name": "small"},
                "version": "v1.33.1",
                "workers": {"machineDeployments": [{"class": "default-worker", "name": "md-0"}]},
                **topology,
            }
        },
    }
