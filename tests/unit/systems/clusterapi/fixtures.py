"""A small ClusterClass with a Cluster of it, written for the tests of desired states."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.contracts import Contracts
from krmkit.systems.clusterapi.desired.blueprint import ClusterBlueprint, read_blueprint

INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io/v1beta2"
CONTROL_PLANE = "controlplane.cluster.x-k8s.io/v1beta2"
BOOTSTRAP = "bootstrap.cluster.x-k8s.io/v1beta2"
CORE = "cluster.x-k8s.io/v1beta2"


def template(api_version: str, kind: str, spec: Object, **metadata: Any) -> Object:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": kind.lower(), "namespace": "ns", **metadata},
        "spec": {"template": {"spec": spec}},
    }


def reference(api_version: str, kind: str) -> Object:
    return {"templateRef": {"apiVersion": api_version, "kind": kind, "name": kind.lower()}}


def templates() -> list[Object]:
    return [
        template(INFRASTRUCTURE, "MetalClusterTemplate", {"region": "north"}),
        template(CONTROL_PLANE, "KubeadmControlPlaneTemplate", {"kubeadmConfigSpec": {"verbosity": 1}}),
        template(INFRASTRUCTURE, "MetalMachineTemplate", {"image": "one"}, labels={"own": "label"}),
        template(BOOTSTRAP, "KubeadmConfigTemplate", {"joinConfiguration": {"skipPhases": ["preflight"]}}),
        template(BOOTSTRAP, "OtherConfigTemplate", {"joinConfiguration": {"skipPhases": ["preflight"]}}),
        template(INFRASTRUCTURE, "MetalMachinePoolTemplate", {"size": 1}),
    ]


def cluster_class(**spec: Any) -> Object:
    """A class with a worker class of each kind; `spec` replaces fields of its spec."""
    machines = reference(INFRASTRUCTURE, "MetalMachineTemplate")
    return {
        "apiVersion": CORE,
        "kind": "ClusterClass",
        "metadata": {"name": "metal", "namespace": "ns"},
        "spec": {
            "infrastructure": reference(INFRASTRUCTURE, "MetalClusterTemplate"),
            "controlPlane": {
                **reference(CONTROL_PLANE, "KubeadmControlPlaneTemplate"),
                "machineInfrastructure": machines,
            },
            "workers": {
                "machineDeployments": [
                    {
                        "class": "worker",
                        "bootstrap": reference(BOOTSTRAP, "KubeadmConfigTemplate"),
                        "infrastructure": machines,
                    }
                ],
                "machinePools": [
                    {
                        "class": "pool",
                        "bootstrap": reference(BOOTSTRAP, "KubeadmConfigTemplate"),
                        "infrastructure": reference(INFRASTRUCTURE, "MetalMachinePoolTemplate"),
                    }
                ],
            },
            **spec,
        },
    }


def cluster(**topology: Any) -> Object:
    """A Cluster with one MachineDeployment; `topology` replaces fields of its topology."""
    return {
        "apiVersion": CORE,
        "kind": "Cluster",
        "metadata": {"name": "c1", "namespace": "ns"},
        "spec": {
            "topology": {
                "classRef": {"name": "metal"},
                "version": "v1.33.1",
                "controlPlane": {"replicas": 3},
                "workers": {"machineDeployments": [{"class": "worker", "name": "md"}]},
                **topology,
            }
        },
    }


def blueprint(
    the_class: Object | None = None, contract: str = "v1beta2", given: list[Object] | None = None
) -> ClusterBlueprint:
    """The blueprint of a class, whose control plane has the contract."""
    known = {(item["kind"], item["metadata"]["name"]): item for item in given or templates()}
    contracts = Contracts((), {"KubeadmControlPlane.controlplane.cluster.x-k8s.io": contract})

    def find_template(ref: Object, field: str) -> Object:
        return known[ref["kind"], ref["name"]]

    return read_blueprint(the_class or cluster_class(), find_template, contracts, None)
