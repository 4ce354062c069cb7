"""krmkit.systems.clusterapi.api.collection: which items are what."""

from __future__ import annotations

from typing import Any

from krmkit.krm.resource import Resource
from krmkit.systems.clusterapi.api.collection import collect, without_tool_keys


def item(kind: str, name: str = "a", group: str = "cluster.x-k8s.io/v1beta2", **annotations: str) -> Resource:
    metadata: dict[str, Any] = {"name": name}
    if annotations:
        metadata["annotations"] = {key.replace("__", "/"): value for key, value in annotations.items()}
    return Resource.from_data({"apiVersion": group, "kind": kind, "metadata": metadata})


def test_kinds() -> None:
    """Clusters keep their order; classes, CRDs and all other objects are indexed."""
    template = item("DevMachineTemplate", "t", "infrastructure.cluster.x-k8s.io/v1beta1")
    crd = item("CustomResourceDefinition", "c", "apiextensions.k8s.io/v1")
    found = collect([item("Cluster", "b"), item("Cluster", "a"), item("ClusterClass", "k"), template, crd])

    assert [one.name for one in found.clusters] == ["b", "a"]
    assert list(found.classes) == [("default", "k")]
    assert [one.name for one in found.crds] == ["c"]
    assert found.find("infrastructure.cluster.x-k8s.io", "DevMachineTemplate", "default", "t") is not None
    assert found.find("infrastructure.cluster.x-k8s.io", "DevMachineTemplate", "other", "t") is None


def test_cluster_of_another_group() -> None:
    """A kind Cluster of another group is no Cluster."""
    found = collect([item("Cluster", "a", "example.org/v1")])

    assert found.clusters == []


def test_previous() -> None:
    """Old states come as marked items and from the config, and are no Clusters of the package."""
    old = {
        "apiVersion": "cluster.x-k8s.io/v1beta1",
        "kind": "Cluster",
        "metadata": {"name": "b", "namespace": "n"},
    }
    found = collect([item("Cluster", "a", **{"krmkit.dev__previous": "true"}), item("Cluster", "a")], [old])

    assert [one.key for one in found.clusters] == [("default", "a")]
    assert sorted(found.previous_clusters) == [("default", "a"), ("n", "b")]


def test_generated() -> None:
    """A generated Cluster is state: it is found, and no topology starts from it."""
    found = collect([item("Cluster", "a", **{"krmkit.dev__generated-by": "Cluster/default/a"})])

    assert found.clusters == []
    assert found.find("cluster.x-k8s.io", "Cluster", "default", "a") is not None


def test_tool_keys_go() -> None:
    """Annotations of tools are invisible; an empty map goes with them, other keys stay."""
    annotations = {
        "internal.config.kubernetes.io/path": "a.yaml",
        "config.kubernetes.io/local-config": "true",
        "krmkit.dev/previous": "true",
    }

    assert without_tool_keys({"metadata": {"name": "a", "annotations": annotations}}) == {
        "metadata": {"name": "a"}
    }
    kept = {**annotations, "team": "x"}
    assert without_tool_keys({"metadata": {"annotations": kept}}) == {
        "metadata": {"annotations": {"team": "x"}}
    }
