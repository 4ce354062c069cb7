"""render-cluster-topology on slips: names that fit nothing, objects that are there twice, and misshapen ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.systems.clusterapi.desired.test_render import generated, items_of, package, rules, run
from tests.unit.systems.clusterapi.fixtures import cluster


def test_a_given_name_can_say_the_namespace() -> None:
    """Of two Clusters of one name, and it wins over a name that fits both."""
    other = [*package()]
    for item in other:
        item["metadata"]["namespace"] = "other"
    names = {"c1/controlPlane": "plane", "other/c1/controlPlane": "other-plane"}

    made = generated(run([*package(), *other], names=names))

    planes = {
        item["metadata"]["namespace"]: item["metadata"]["name"]
        for item in made
        if item["kind"] == "KubeadmControlPlane"
    }
    assert planes == {"ns": "plane", "other": "other-plane"}


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("c1/controlPlan", 'c1 has no controlPlan; did you mean "controlPlane"?'),
        ("c1/machineDeployments/mx/machineDeployment", "c1 has no machineDeployments/mx/machineDeployment"),
        ("c1/controlPlaneMachineHealthCheck", "c1 has no controlPlaneMachineHealthCheck"),
        ("ns/c2/controlPlane", 'no Cluster has the name ns/c2; did you mean "ns/c1"?'),
        ("c1", "c1 has no "),
    ],
)
def test_a_given_name_that_fits_nothing_is_told(key: str, hint: str) -> None:
    """A slip in a key would else leave the name that was not wanted."""
    outcome = run(package(), names={key: "name"})

    [finding] = [finding for finding in outcome.results if finding.rule == "unknown-name"]
    assert outcome.exit_code == 0
    assert hint in finding.message


def test_names_of_clusters_that_are_not_rendered_are_no_slip() -> None:
    """The config may name fewer Clusters than it has names for."""
    second = cluster()
    second["metadata"]["name"] = "c2"

    outcome = run(package(cluster(), second), clusters=["c1"], names={"c2/controlPlane": "plane"})

    assert "unknown-name" not in rules(outcome)


@pytest.mark.parametrize(
    ("kind", "exit_code"), [("Cluster", 1), ("ClusterClass", 1), ("MetalClusterTemplate", 0)]
)
def test_two_objects_of_one_name(kind: str, exit_code: int) -> None:
    """Which of them counts is told, never guessed in silence."""
    items = package()
    [one] = [item for item in items if item["kind"] == kind]
    label = f"{kind} ns/{one['metadata']['name']}"

    outcome = run([*items, one])

    [finding] = [finding for finding in outcome.results if finding.rule == "duplicate"]
    assert finding.message == f"{label} is among the items twice; one of the two must go"
    assert outcome.exit_code == exit_code
    assert "name-clash" not in rules(outcome)


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("metadata.annotations", 1, "metadata.annotations must be a map of strings"),
        ("metadata.labels", {"a": 1}, "metadata.labels must be a map of strings"),
        ("spec", None, "spec must be a map"),
        ("spec.template", "x", "spec.template must be a map"),
        ("spec.template.metadata", [], "spec.template.metadata must be a map"),
    ],
)
def test_a_template_of_another_shape_is_a_result(path: str, value: Any, told: str) -> None:
    """It names the template, and what would be right."""
    items = package()
    [template] = [item for item in items if item["kind"] == "MetalClusterTemplate"]
    *steps, last = path.split(".")
    holder = template
    for step in steps:
        holder = holder[step]
    holder[last] = value

    outcome = run(items)

    assert outcome.exit_code == 1
    assert any(
        f"MetalClusterTemplate ns/metalclustertemplate, whose {told}" in one.message
        for one in outcome.results
    )


@pytest.mark.parametrize("field", ["apiVersion", "kind"])
@pytest.mark.parametrize("kind", ["KubeadmControlPlaneTemplate", "MetalClusterTemplate"])
def test_a_type_of_its_own_that_is_no_text_counts_as_absent(kind: str, field: str) -> None:
    """Cluster API reads `kind: {}` in spec.template as none, and takes the template's."""
    items = package()
    [template] = [item for item in items if item["kind"] == kind]
    template["spec"]["template"][field] = {"a": 1}

    outcome = run(items)

    assert outcome.exit_code == 0
    assert kind.removesuffix("Template") in {item["kind"] for item in generated(outcome)}


def test_a_cluster_without_a_name_is_a_result() -> None:
    """Nothing could be named after it."""
    nameless = cluster()
    del nameless["metadata"]["name"]

    outcome = run(package(nameless))

    assert outcome.exit_code == 1
    assert "metadata.name must be set" in [one.message for one in outcome.results]


def test_an_object_that_no_server_has_is_no_state() -> None:
    """Its labels are no texts."""
    first = items_of(run(package()))
    [owned] = [item for item in first if item["kind"] == "MachineDeployment"]
    owned["metadata"]["labels"]["topology.cluster.x-k8s.io/deployment-name"] = ["md"]

    assert run(first).exit_code == 0
