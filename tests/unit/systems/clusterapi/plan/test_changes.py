"""make_plan: what a change of a package does, and how often it asks for what answers hooks."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from krmkit.krm.resource import Resource
from krmkit.systems.clusterapi.api.collection import Collected, collect
from krmkit.systems.clusterapi.desired.topologies import TopologyOptions
from krmkit.systems.clusterapi.plan.changes import _holds, make_plan
from krmkit.systems.clusterapi.plan.model import CREATE, SAME
from tests.unit.systems.clusterapi.fixtures import BOOTSTRAP, cluster, cluster_class, template, templates


def package(*clusters: dict[str, Any]) -> Collected:
    """The class and its templates, with Clusters of it."""
    sound = [one for one in templates() if one["kind"] != "KubeadmConfigTemplate"]
    sound.append(template(BOOTSTRAP, "KubeadmConfigTemplate", {"verbosity": 1}))
    items = deepcopy([cluster_class(), *sound, *clusters])
    return collect([Resource.from_data(one) for one in items])


def planned(old: Collected, new: Collected) -> Any:
    return make_plan(old, new, TopologyOptions(), [("ns", "c1")])


def with_arguments(*names: str) -> Collected:
    found = package(cluster())
    for item in found.others.values():
        if item.kind == "KubeadmConfigTemplate":
            node = {"kubeletExtraArgs": [{"name": name, "value": "1"} for name in names]}
            spec: dict[str, Any] = {"joinConfiguration": {"nodeRegistration": node}}
            item.data["spec"]["template"]["spec"] = spec
    return found


def test_the_same_arguments_in_another_order() -> None:
    """The machines roll, for the lists differ; the reason says that nothing else does."""
    [one] = planned(with_arguments("a", "b", "c"), with_arguments("b", "c", "a")).clusters

    assert one.rolls
    assert one.rolls[0].reasons[0].endswith("kubeletExtraArgs[same arguments, other order]")


def test_an_endpoint_that_the_provider_completes() -> None:
    """A template that leaves the port open is no change of a package that did not change."""
    one = package(cluster())
    for item in one.others.values():
        if item.kind.endswith("ClusterTemplate"):
            item.data["spec"]["template"]["spec"] = {"controlPlaneEndpoint": {"host": "a", "port": 0}}

    assert [each.action for each in planned(one, one).clusters] == [SAME]


def test_a_version_in_git() -> None:
    """The new version is everywhere at once, and the steps show how the machines get there."""
    [one] = planned(package(cluster()), package(cluster(version="v1.34.0"))).clusters

    assert [[roll.group for roll in step.rolls] for step in one.steps] == [
        ["controlPlane"],
        ["MachineDeployment md"],
    ]
    assert [change.role for change in one.changes] == [
        "controlPlane",
        "machineDeployments/md/machineDeployment",
    ]


@pytest.mark.parametrize(
    ("old", "new", "holds"),
    [
        ({"a": 1, "b": 2}, {"a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": 1}, [1], False),
        ([{"a": 1, "b": 2}], [{"a": 1}], True),
        ([1, 2], [1], False),
    ],
)
def test_what_a_server_added_is_no_change(old: Any, new: Any, holds: bool) -> None:
    """Fields that only the old value has may come from a server; lists are compared item by item."""
    assert _holds(old, new) is holds


def test_a_class_of_another_namespace() -> None:
    new = package(cluster())
    new.classes = {("other", name): item for (_, name), item in new.classes.items()}

    [one] = planned(package(cluster()), new).clusters

    assert "there is other/metal: to use it, set spec.topology.classRef.namespace to other" in str(one.errors)


def test_each_package_makes_its_extensions_once() -> None:
    """Extensions that run are asked what they offer by the render; what validates the change uses the same answers."""
    made: list[object] = []

    def around(others: Any) -> Any:
        made.append(others)
        return others

    options = TopologyOptions(around=around)
    same = make_plan(package(cluster()), package(cluster()), options, [("ns", "c1")])
    assert [one.action for one in same.clusters] == [SAME]
    assert len(made) == 2

    created = make_plan(package(), package(cluster()), options, [("ns", "c1")])
    assert [one.action for one in created.clusters] == [CREATE]
    assert len(made) == 3


def test_extensions_that_cannot_be_read() -> None:
    """Their errors are errors of the plan, for the old package and the new one; without a Cluster nobody asks."""
    extension = {
        "apiVersion": "krmkit.dev/v1alpha1",
        "kind": "TopologyExtension",
        "metadata": {"name": "lone", "namespace": "ns"},
        "spec": {"hooks": 5},
    }

    def broken(*clusters: dict[str, Any]) -> Collected:
        found = package(*clusters)
        found.others.update(collect([Resource.from_data(extension)]).others)
        return found

    errors = planned(package(cluster()), broken(cluster())).errors

    assert {error.rule for error in errors} == {"bad-extension"}
    assert planned(package(), broken()).errors == []
