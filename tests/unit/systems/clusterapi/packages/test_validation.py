"""krmkit.systems.clusterapi.packages.validation: what validate-cluster-topology says about the objects of a package."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.fn import loader
from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.decode import UNKNOWN_FIELD, UNKNOWN_VALUE, WRONG_TYPE
from krmkit.systems.clusterapi.api.features import FeatureGates
from krmkit.systems.clusterapi.packages.validation import validate_package
from tests.unit.systems.clusterapi.lists import before, package, templates, told, validated
from tests.unit.systems.clusterapi.objects import small_class, small_cluster, worker_class

TEXT = {"type": "string"}


def variable(name: str, required: bool = False, **schema: Any) -> Object:
    return {"name": name, "required": required, "schema": {"openAPIV3Schema": {**TEXT, **schema}}}


def test_nothing_to_say() -> None:
    """A good class and a good Cluster, also unchanged."""
    assert validated([small_class(), small_cluster()]) == []
    assert validated([small_class(), small_cluster(), before(small_class()), before(small_cluster())]) == []


def test_all_at_once() -> None:
    """Findings of the class and of every Cluster come together, each with its resource."""
    owner = small_class(kubernetesVersions=["x"])
    found = validated([owner, small_cluster("a", version="v1.33"), small_cluster("b", version="v1.33")])

    assert [(one.rule, (one.resource_ref or {})["name"]) for one in found] == [
        ("invalid-class", "small"),
        ("invalid-cluster", "a"),
        ("invalid-cluster", "a"),
        ("invalid-cluster", "b"),
        ("invalid-cluster", "b"),
    ]
    assert found[1].tags == {"type": "FieldValueInvalid"}


def test_missing_class() -> None:
    """A Cluster without its class is a warning."""
    (found,) = validated([small_cluster()])

    assert (found.rule, found.severity) == ("warning", "warning")
    assert "ClusterClass n/small, but this ClusterClass does not exist" in found.message


def test_missing_template() -> None:
    """A template that no item is gets one warning, wherever the class refers to it."""
    objects = [small_class(), *templates()[:2]]
    found = validate_package(package(objects), FeatureGates())

    assert [(one.rule, one.severity, one.field) for one in found] == [
        ("missing-template", "warning", "spec.controlPlane.machineInfrastructure.templateRef"),
        ("missing-template", "warning", "spec.workers.machineDeployments[0].bootstrap.templateRef"),
    ]


def test_a_template_in_another_version() -> None:
    """The conversion is not known, so a warning says how to export the template; one in the class's version is fine."""
    objects = templates()
    objects[0]["apiVersion"] = objects[0]["apiVersion"].rpartition("/")[0] + "/v1alpha9"
    (found,) = validate_package(package([small_class(), *objects]), FeatureGates())

    assert (found.rule, found.severity) == ("template-version", "warning")
    assert found.field == "spec.infrastructure.templateRef.apiVersion"
    assert "kubectl get InfraTemplate." in found.message


def test_fields_beside_the_template() -> None:
    """A field of a template that stands outside of spec.template is dropped by the server."""
    objects = templates()
    objects[0]["spec"]["flavor"] = "x"
    found = validate_package(package([small_class(), *objects]), FeatureGates())

    assert [(one.rule, one.field) for one in found] == [("unknown-field", "spec.flavor")]


def test_what_only_the_crd_refuses() -> None:
    """Unknown values and unknown fields are warnings; values of wrong types end the check of their object."""
    cluster = small_cluster(
        version=1.33, controlPlane={"taints": [{"key": "a", "effect": "Never"}], "taint": []}
    )
    found = validated([small_class(), cluster])

    assert [(one.rule, one.severity) for one in found] == [
        ("wrong-type", "error"),
        ("unknown-value", "warning"),
        ("unknown-field", "warning"),
    ]


@pytest.mark.parametrize("name", [f"{verb}-cluster-topology" for verb in ("default", "render", "validate")])
def test_every_function_names_the_rules_of_decoding(name: str) -> None:
    """What is wrong in an object's fields is said by each function that decodes it."""
    rules = loader.load(name).definition.about["rules"]

    assert {WRONG_TYPE, UNKNOWN_FIELD, UNKNOWN_VALUE} <= set(rules)


def test_unknown_cluster() -> None:
    """A name of the config that no Cluster has is an error; only the named Clusters are checked."""
    clusters = [small_cluster("prod", version="v1"), small_cluster("test", version="v1")]
    found = validated([small_class(), *clusters], names=["n/test", "prd"])

    assert told(found)[0] == ("unknown-cluster", 'no Cluster has the name prd; did you mean "prod"?')
    assert {(one.resource_ref or {}).get("name") for one in found[1:]} == {"test"}


def test_class_breaks_clusters() -> None:
    """A changed class names each Cluster that it breaks, and what that one needs."""
    old = small_class(variables=[variable("size", default="s"), variable("zone")])
    new = small_class(
        variables=[variable("region", required=True), variable("zones")],
        workers={"machineDeployments": [worker_class("other")]},
    )
    cluster = small_cluster("a", variables=[{"name": "zone", "value": "z"}])
    found = validated([new, before(old), cluster, small_cluster("b", workers={})])

    assert [
        (one.rule, (one.resource_ref or {})["name"], one.message.rpartition("; needed: ")[2])
        for one in found
        if one.rule == "class-breaks-cluster"
    ] == [
        ("class-breaks-cluster", "a", "no such variable in the Cluster, or the new name zones"),
        ("class-breaks-cluster", "a", 'a value for the variable "region" in spec.topology.variables'),
        ("class-breaks-cluster", "a", "no such variable in the Cluster, or the new name zones"),
        ("class-breaks-cluster", "a", "one of the MachineDeployment classes other"),
        ("class-breaks-cluster", "b", 'a value for the variable "region" in spec.topology.variables'),
    ]
    assert found[-1].tags["class"] == "n/small"


def test_what_was_wrong_before() -> None:
    """What was wrong with a Cluster before its class changed is no fault of the change."""
    old, new = small_class(variables=[variable("a")]), small_class(variables=[variable("b")])
    found = validated([new, before(old), small_cluster(version="v1", workers={})])

    assert {one.rule for one in found} == {"invalid-cluster"}


def test_removed_class() -> None:
    """A class that is gone while Clusters use it; the old state is what the result is about."""
    clusters = [small_cluster(f"c{number}") for number in range(5)]
    found = validated([before(small_class()), *clusters])

    (gone,) = (one for one in found if one.rule == "class-in-use")
    assert gone.message.endswith("because it is used by Cluster(s): n/c0, n/c1, n/c2, ... (2 more)")


def test_previous_in_the_config() -> None:
    """Old states of the config count as those among the items; what is wrong with them says where they stand."""
    old = small_cluster(version="v1.30.0")
    found = validated([small_class(), small_cluster()], previous=[old])
    broken = validated([small_class()], previous=[small_cluster(variables="x")])

    assert told(found) == [
        (
            "invalid-cluster",
            'Invalid value: "v1.33.1": version cannot be increased from "1.30.0" to "1.33.1"',
        )
    ]
    assert broken[0].message.startswith("previous Cluster n/c: json: cannot unmarshal string")


def test_old_self() -> None:
    """Rules that compare with the old value read the state before."""
    schema = {**TEXT, "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "stays"}]}
    owner = small_class(variables=[{"name": "a", "schema": {"openAPIV3Schema": schema}}])
    old = small_cluster(variables=[{"name": "a", "value": "1"}])
    found = validated([owner, small_cluster(variables=[{"name": "a", "value": "2"}]), before(old)])

    assert told(found) == [("invalid-variable", 'Invalid value: "\\"2\\"": stays')]


def test_rebase() -> None:
    """A Cluster may move to another class that is compatible, also where that class is of today."""
    other = small_class()
    other["metadata"] = {"name": "other", "namespace": "n"}
    other["spec"]["infrastructure"]["templateRef"]["kind"] = "OtherTemplate"
    moved = small_cluster(classRef={"name": "other"})
    found = validated([small_class(), other, moved, before(small_cluster())])

    assert [one.field for one in found if one.rule == "invalid-cluster"] == [
        "spec.infrastructure.templateRef.kind"
    ]


def test_long_values_are_cut() -> None:
    """A message does not repeat megabytes."""
    owner = small_class(variables=[variable("a", pattern="^y")])
    (found,) = validated([owner, small_cluster(variables=[{"name": "a", "value": "x" * 100_000}])])

    assert len(found.message) < 5000 and "more characters" in found.message
