"""Which objects packages give to clusters, and which packages make the same ones."""

from __future__ import annotations

import pytest

from krmkit.fleet.collisions import Collisions, objects_of
from krmkit.fleet.objects import FleetObjects
from krmkit.krm.resource import Resource

LOCAL = ", annotations: {config.kubernetes.io/local-config: 'true'}"


def made(version: str, kind: str, name: str, more: str = "") -> str:
    return f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}{more}}}\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (made("v1", "ConfigMap", "app", ", namespace: shop"), ["ConfigMap shop/app"]),
        (made("v1", "ConfigMap", "app"), []),
        (made("v1", "ConfigMap", "app", f", namespace: shop{LOCAL}"), []),
        (made("v1", "Namespace", "shop"), ["Namespace shop"]),
        (
            made("rbac.authorization.k8s.io/v1", "ClusterRole", "x"),
            ["ClusterRole.rbac.authorization.k8s.io x"],
        ),
        (made("cluster.x-k8s.io/v1beta2", "Cluster", "site"), ["Cluster.cluster.x-k8s.io default/site"]),
        (made("kpt.dev/v1", "Kptfile", "web", ", namespace: shop"), []),
        ("just: data\n", []),
        ("broken: [\n", []),
    ],
)
def test_objects_of(text: str, found: list[str]) -> None:
    """An object needs a kind, a name, and a namespace where its kind has one; local configuration is none."""
    assert objects_of({"a.yaml": text}) == found


def repository(name: str, more: str = "", deployment: str = "true") -> Resource:
    said = made("config.porch.kpt.dev/v1alpha1", "Repository", name, f", namespace: default{more}")
    return Resource(f"{said}spec: {{deployment: {deployment}}}\n")


def found(
    *repositories: Resource, packages: tuple[tuple[str, str], ...], one: str = "ConfigMap shop/app"
) -> list[str]:
    collisions = Collisions(FleetObjects(repositories))
    for repo, package in packages:
        collisions.add(f"{repo}/{package}", repo, "default", [one])
    return list(collisions.found())


def test_packages_of_one_repository() -> None:
    """A repository's packages go to one cluster, known or not."""
    two = (("a", "x"), ("a", "y"))

    assert found(packages=two) == ["ConfigMap shop/app is made by a/x, a/y, which go to the cluster of a"]
    assert found(repository("a"), packages=two) == found(packages=two)


def test_packages_of_two_repositories() -> None:
    """They go to two clusters, unless the repositories say that these are one."""
    two = (("a", "x"), ("b", "x"))
    same = [repository(name, ", annotations: {krmkit.dev/cluster: hall}") for name in "ab"]

    assert not found(repository("a"), repository("b"), packages=two)
    assert found(*same, packages=two) == [
        "ConfigMap shop/app is made by a/x, b/x, which go to the cluster hall"
    ]


def test_what_is_not_compared() -> None:
    """Repositories that nothing is deployed from, and those whose packages go to clusters of their own."""
    two = (("a", "x"), ("a", "y"))

    assert not found(repository("a", deployment="false"), packages=two)
    assert not found(repository("a", ", annotations: {krmkit.dev/cluster: ''}"), packages=two)


def test_many_objects_are_one_message() -> None:
    """Clusters come first; what the same packages make together is said once."""
    collisions = Collisions(FleetObjects([]))
    objects = [f"AWSMachine.infrastructure.cluster.x-k8s.io default/{number}" for number in range(5)]
    for name in ("a", "b", "c", "d"):
        collisions.add(f"{name}/site", name, "default", [*objects, "Cluster.cluster.x-k8s.io default/site"])

    [text] = collisions.found()

    assert text == (
        "Cluster default/site, AWSMachine default/0, AWSMachine default/1 and 3 more are made by a/site, b/site, c/site"
        " and 1 more, which go to one management cluster"
    )
