"""Template rotation, case by case after the reference's reconcile_state_test."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.names import ClusterNames
from krmkit.systems.clusterapi.desired.cluster import desired_state
from krmkit.systems.clusterapi.desired.comparison import changed_fields
from krmkit.systems.clusterapi.desired.rotation import CREATED, KEPT, PATCHED, ROTATED, Rotation, rotate
from krmkit.systems.clusterapi.model.state import ClusterState
from tests.unit.systems.clusterapi.fixtures import (
    BOOTSTRAP,
    blueprint,
    cluster,
    cluster_class,
    reference,
    templates,
)

MACHINES = "controlPlaneInfrastructureMachineTemplate"


def state(
    the_class: Object | None = None, given: list[Object] | None = None, **topology: Any
) -> ClusterState:
    return desired_state(blueprint(the_class, given=given), cluster(**topology))[0]


def again(current: ClusterState, the_class: Object | None = None, given: list[Object] | None = None, **topology: Any) -> tuple[ClusterState, dict[str, Rotation]]:  # fmt: skip
    """The next desired state after `current`, and its rotations by role."""
    found, _ = desired_state(blueprint(the_class, given=given), cluster(**topology), current)
    return found, {one.role: one for one in rotate(current, found, ClusterNames("ns", "c1"), "c1")}


def changed(kind: str, **spec: Any) -> list[Object]:
    """The templates, one of them with other fields in its spec."""
    given = templates()
    for item in given:
        if item["kind"] == kind:
            item["spec"]["template"]["spec"].update(spec)
    return given


def test_templates_that_do_not_change_stay() -> None:
    """No change: same names, nothing rotates, and the next state equals the one before."""
    current = state()

    found, rotations = again(current)

    assert {one.outcome for one in rotations.values()} == {KEPT}
    assert list(found.objects()) == list(current.objects())


def test_changes_of_metadata_are_made_in_place() -> None:
    """Labels and annotations change without a new name, so no machine is replaced."""
    current = state()
    given = templates()
    for item in given:
        item["metadata"]["labels"] = {"new": "label"}

    found, rotations = again(current, given=given)

    assert {one.outcome for one in rotations.values()} == {PATCHED}
    old, new = current.control_plane, found.control_plane
    assert old.infrastructure_machine_template is not None
    assert new.infrastructure_machine_template is not None
    assert new.infrastructure_machine_template["metadata"]["labels"]["new"] == "label"
    name = old.infrastructure_machine_template["metadata"]["name"]
    assert new.infrastructure_machine_template["metadata"]["name"] == name
    assert new.object["spec"]["machineTemplate"]["spec"]["infrastructureRef"]["name"] == name


def test_a_changed_spec_makes_a_new_template_and_moves_the_reference() -> None:
    """The control plane and the MachineDeployment refer to the new names."""
    current = state()

    found, rotations = again(current, given=changed("MetalMachineTemplate", image="two"))

    worker = "machineDeployments/md/infrastructureMachineTemplate"
    assert {role for role, one in rotations.items() if one.outcome == ROTATED} == {MACHINES, worker}
    assert rotations[MACHINES].fields == ["spec.template.spec.image"]
    machines = found.control_plane.infrastructure_machine_template
    assert machines is not None
    assert machines["metadata"]["name"] == rotations[MACHINES].name != rotations[MACHINES].current_name
    control_plane = found.control_plane.object["spec"]["machineTemplate"]["spec"]["infrastructureRef"]
    assert control_plane["name"] == rotations[MACHINES].name
    md = found.machine_deployments["md"]
    assert md.object["spec"]["template"]["spec"]["infrastructureRef"]["name"] == rotations[worker].name
    assert md.object["spec"]["template"]["spec"]["bootstrap"] == current.machine_deployments["md"].object["spec"]["template"]["spec"]["bootstrap"]  # fmt: skip


def test_the_new_name_says_its_content() -> None:
    """The same change gives the same name, another change another one."""
    current = state()

    first = again(current, given=changed("MetalMachineTemplate", image="two"))[1][MACHINES].name
    same = again(current, given=changed("MetalMachineTemplate", image="two"))[1][MACHINES].name
    other = again(current, given=changed("MetalMachineTemplate", image="three"))[1][MACHINES].name

    assert first == same
    assert first != other
    assert len(first) == len("c1-xxxxx")


def test_after_a_rotation_nothing_changes_any_more() -> None:
    """What rotated is the current state of the next run, and stays."""
    given = changed("MetalMachineTemplate", image="two")
    rotated, _ = again(state(), given=given)

    found, rotations = again(rotated, given=given)

    assert {one.outcome for one in rotations.values()} == {KEPT}
    assert list(found.objects()) == list(rotated.objects())


def test_bootstrap_templates_may_change_their_kind() -> None:
    """The reference follows in kind and name."""
    workers = {
        "machineDeployments": [
            {
                **cluster_class()["spec"]["workers"]["machineDeployments"][0],
                "bootstrap": reference(BOOTSTRAP, "OtherConfigTemplate"),
            }
        ]
    }

    found, rotations = again(state(), cluster_class(workers=workers))

    step = rotations["machineDeployments/md/bootstrapTemplate"]
    ref = found.machine_deployments["md"].object["spec"]["template"]["spec"]["bootstrap"]["configRef"]
    assert step.outcome == ROTATED
    assert ref["kind"] == "OtherConfigTemplate"
    assert ref["name"] == step.name != step.current_name


def test_machine_templates_must_keep_their_kind() -> None:
    """A change of group or kind is refused for the control plane's machines and the workers'."""
    given = templates()
    for item in given:
        if item["kind"] == "MetalMachineTemplate":
            item["kind"] = "OtherMachineTemplate"
    machines = {"templateRef": {**reference("infrastructure.cluster.x-k8s.io/v1beta2", "OtherMachineTemplate")["templateRef"], "name": "metalmachinetemplate"}}  # fmt: skip
    spec = cluster_class()["spec"]
    control_plane = {**spec["controlPlane"], "machineInfrastructure": machines}

    with pytest.raises(TopologyError, match="group and kind must not change from MetalMachineTemplate"):
        again(state(), cluster_class(controlPlane=control_plane), given=given + templates())


def test_new_worker_groups_are_created() -> None:
    """What is new has nothing to rotate; what is there stays."""
    workers = {"machineDeployments": [{"class": "worker", "name": "md"}, {"class": "worker", "name": "more"}]}

    _, rotations = again(state(), workers=workers)

    assert rotations["machineDeployments/more/bootstrapTemplate"].outcome == CREATED
    assert rotations["machineDeployments/md/bootstrapTemplate"].outcome == KEPT


def test_a_pinned_name_does_not_rotate_away() -> None:
    """A name that the config gives is kept, whatever the content."""
    current = state()
    found, _ = desired_state(
        blueprint(given=changed("MetalMachineTemplate", image="two")), cluster(), current
    )

    steps = rotate(current, found, ClusterNames("ns", "c1", {MACHINES: "mine"}), "c1")

    [step] = [one for one in steps if one.role == MACHINES]
    assert step.outcome == ROTATED
    assert step.name == step.current_name


def test_defaults_of_a_running_object_are_no_change() -> None:
    """An object from a cluster may hold more than was asked for; one from files may not."""
    desired: Object = {"metadata": {"labels": {"a": "1"}}, "spec": {"template": {"spec": {"image": "one"}}}}
    current = copy.deepcopy(desired)
    current["spec"]["template"]["spec"]["defaulted"] = "by the provider"

    assert list(changed_fields(current, desired)) == ["spec.template.spec.defaulted"]
    current["metadata"]["uid"] = "123"
    assert list(changed_fields(current, desired)) == []


def test_the_endpoint_that_a_provider_fills_in_is_no_change() -> None:
    """controlPlaneEndpoint of a running infrastructure cluster, where the template leaves it to the provider."""
    desired = {"metadata": {}, "spec": {"region": "north"}}
    endpoint = {"host": "10.0.0.1", "port": 6443}
    current = {"metadata": {"uid": "123"}, "spec": {"region": "north", "controlPlaneEndpoint": endpoint}}

    assert list(changed_fields(current, desired)) == []
    assert list(changed_fields({**current, "spec": {"region": "south"}}, desired)) == ["spec.region"]


def test_lists_compare_by_position() -> None:
    """A longer list is one change, an element of equal lists another."""
    old = {"spec": {"l": [{"a": 1}, {"b": 2}]}}

    assert list(changed_fields(old, {"spec": {"l": [{"a": 1}, {"b": 3}]}})) == ["spec.l[1].b"]
    assert list(changed_fields(old, {"spec": {"l": [{"a": 1}]}})) == ["spec.l"]
    assert list(changed_fields(old, {"spec": {"l": [{"a": 1.0}, {"b": 2}]}})) == []


INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io/v1beta2"


def _made(backend: Object | None, api_version: str = INFRASTRUCTURE, **metadata: str) -> Object:
    spec = {} if backend is None else {"backend": backend}
    return {"apiVersion": api_version, "kind": "T", "metadata": metadata, "spec": spec}


@pytest.mark.parametrize(
    ("current", "desired", "applied", "changed"),
    [
        # Files: a provider's empty map is a choice, an empty list is nothing.
        (_made({"a": {}}), _made({"b": {}}), None, ["spec.backend.a", "spec.backend.b"]),
        (_made({"a": []}), _made({}), None, []),
        (_made({"a": {}}, BOOTSTRAP), _made({}, BOOTSTRAP), None, []),
        # Running objects: what was applied tells whether a server dropped an empty map.
        (_made({"a": {}}, uid="u"), _made({"b": {}}), _made({"a": {}}), ["spec.backend.a", "spec.backend.b"]),
        (_made({}, uid="u"), _made({"a": {}}), _made({"a": {}}), []),
        (_made({}, uid="u"), _made({"a": {}}), _made({}), ["spec.backend.a"]),
        (_made({}, uid="u"), _made({"a": {}}), None, []),
        # Durations compare by value where a server may have written them.
        (_made({"t": "20m0s"}, uid="u"), _made({"t": "20m"}), None, []),
        (_made({"t": "20m0s"}), _made({"t": "20m"}), None, ["spec.backend.t"]),
        # A map of single values that goes is named by its fields, as are those that were applied.
        (_made({"a": {"x": 1, "y": 2}}), _made({}), None, ["spec.backend.a.x", "spec.backend.a.y"]),
        # Fields of others stay, applied ones go.
        (_made({"a": 1, "b": 2}, uid="u"), _made({}), _made({"a": 1}), ["spec.backend.a"]),
        (_made({"a": {"x": 1, "y": 2}}, uid="u"), _made({}), _made({"a": {"x": 1}}), ["spec.backend.a.x"]),
    ],
)
def test_empty_fields_durations_and_removals(
    current: Object, desired: Object, applied: Object | None, changed: list[str]
) -> None:
    """Three ways: what runs, what is wanted, and what was applied last."""
    assert list(changed_fields(current, desired, applied)) == changed
