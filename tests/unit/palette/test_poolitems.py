"""Machine pools read from a Cluster's objects."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.krm.resource import Resource
from krmkit.palette.poolitems import pools_of_cluster
from krmkit.palette.pools import CPU, PoolError

Object = dict[str, Any]
CLUSTER = "cluster.x-k8s.io/cluster-name"
TYPES: dict[str, object] = {"large": {"cpu": 8, "memoryMiB": 1024, "diskGB": 10}}


def item(
    kind: str, name: str, spec: Object, api_version: str = "cluster.x-k8s.io/v1beta2", **own: str
) -> Resource:
    labels = {CLUSTER: "c1", **own}
    metadata = {"name": name, "labels": labels}
    return Resource.from_data({"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec})


def worker(kind: str, machine: str) -> Object:
    reference = {"apiGroup": "i", "kind": machine, "name": "machines"}
    return {"replicas": 2, "template": {"spec": {"infrastructureRef": reference}}}


def test_control_plane_and_workers_are_pools() -> None:
    """Names come from the topology, sizes from replicas, machines from the templates that are referred to."""
    items = [
        item("KubeadmControlPlane", "c1-cp", {"replicas": 3, "machineTemplate": {"spec": {
            "infrastructureRef": {"kind": "MachineTemplate", "name": "machines"}}}}, "controlplane.x/v1"),
        item("MachineDeployment", "c1-md-x", worker("MachineDeployment", "MachineTemplate"),
             **{"topology.cluster.x-k8s.io/deployment-name": "md"}),
        item("MachinePool", "c1-mp-x", worker("MachinePool", "PoolMachines"),
             **{"topology.cluster.x-k8s.io/pool-name": "mp"}),
        item("MachineTemplate", "machines", {"template": {"spec": {"instanceType": "large"}}}, "i/v1"),
        item("PoolMachines", "machines", {"vmSize": "large"}, "i/v1"),
    ]  # fmt: skip

    pools = pools_of_cluster(items, "c1", TYPES)

    assert [(pool.name, pool.size, pool.control_plane) for pool in pools] == [
        ("c1-cp", 3, True), ("md", 2, False), ("mp", 2, False)]  # fmt: skip
    assert all(pool.node[CPU] == 8 * 10**9 for pool in pools)


def test_old_references_and_unknown_types() -> None:
    """A control plane of contract v1beta1, and a machine type that the config does not list."""
    template = {"infrastructureRef": {"kind": "MachineTemplate", "name": "machines"}}
    items = [
        item("OtherControlPlane", "c1-cp", {"machineTemplate": template}, "controlplane.x/v1"),
        item("MachineTemplate", "machines", {"template": {"spec": {"flavor": "huge"}}}, "i/v1"),
    ]

    [pool] = pools_of_cluster(items, "c1", TYPES)

    assert (pool.size, pool.instance_type, pool.node) == (None, "huge", {})


def test_a_cluster_without_machines_is_an_error() -> None:
    """The message names the label that was looked for."""
    with pytest.raises(PoolError, match=r'has the label cluster\.x-k8s\.io/cluster-name: "c2"'):
        pools_of_cluster([item("MachineDeployment", "md", {})], "c2")
