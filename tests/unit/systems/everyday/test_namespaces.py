"""set-namespace: which resources and subjects get the namespace, and what is no namespace."""

from __future__ import annotations

import json
from typing import Any

import pytest

from krmkit.krm.finding import ERROR
from krmkit.krm.resourcelist import ResourceList
from krmkit.systems.everyday.names.namespaces import set_namespace

RBAC = "rbac.authorization.k8s.io/v1"


def run(*items: dict[str, Any], tag: str = "", **data: str) -> tuple[list[Any], list[tuple[str, str]]]:
    """The items after a run, and the messages with their severities."""
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data}
    whole = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": items,
        "functionConfig": config,
    }
    resources = ResourceList.parse(json.dumps(whole))
    found = set_namespace(resources, resources.function_config, tag)
    return [item.get() for item in resources], [(one.severity, one.message) for one in found]


def item(kind: str, version: str = "v1", name: str = "a", **fields: Any) -> dict[str, Any]:
    metadata = {"name": name, **fields.pop("metadata", {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}


def test_subjects_of_a_matching_namespace() -> None:
    """With a matcher the subjects of other namespaces stay, as do users; without one every service account changes."""
    subjects = [
        {"kind": "ServiceAccount", "name": "a", "namespace": "old"},
        {"kind": "ServiceAccount", "name": "b", "namespace": "other"},
        {"kind": "User", "name": "c"},
    ]
    binding = item("ClusterRoleBinding", RBAC, subjects=subjects)

    (chosen,), _ = run(binding, namespace="new", namespaceMatcher="old")
    (every,), _ = run(binding, namespace="new")

    assert [one.get("namespace") for one in chosen["subjects"]] == ["new", "other", None]
    assert [one.get("namespace") for one in every["subjects"]] == ["new", "new", None]


@pytest.mark.parametrize("tag", ["", "v0.4.1", "v0.2.0"])
@pytest.mark.parametrize("namespace", [["a"], {"a": "b"}, 5, True, None])
def test_what_is_no_namespace(tag: str, namespace: object) -> None:
    """A list or a map is refused; a number or a boolean is in the releases that refuse it, and else replaced."""
    (made,), found = run(item("ConfigMap", metadata={"namespace": namespace}), tag=tag, namespace="new")

    errors = [message for severity, message in found if severity == ERROR]
    if isinstance(namespace, (list, dict)) or (tag and namespace is not None):
        assert "must be a text, got" in errors[0]
        assert made["metadata"]["namespace"] == namespace
    else:
        assert (errors, made["metadata"]["namespace"]) == ([], "new")


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        (item("ConfigMap"), ("metadata", "namespace")),
        (item("Namespace", name="old"), ("metadata", "name")),
        (item("Widget", "example.com/v1", metadata={"namespace": "old"}), ("metadata", "namespace")),
        (item("APIService", "apiregistration.k8s.io/v1", spec={"service": {"namespace": "old"}}), ("spec", "service", "namespace")),
    ],
)  # fmt: skip
def test_what_has_a_namespace(given: dict[str, Any], changed: tuple[str, ...]) -> None:
    """Namespaced kinds, those that have one, a Namespace itself, and references to services."""
    (made,), found = run(given, namespace="new")

    value: Any = made
    for step in changed:
        value = value[step]
    assert value == "new"
    assert any("updated to" in message for _, message in found)


@pytest.mark.parametrize("kind", ["ClusterRole", "ClusterRoleBinding"])
def test_what_has_none(kind: str) -> None:
    """Cluster-scoped kinds get none, and the summary says that nothing changed."""
    (made,), found = run(item(kind, RBAC), namespace="new")

    assert "namespace" not in made["metadata"]
    assert any("no value changed" in message for _, message in found)
