"""The patch engine: which templates, in which order, and which fields no patch may touch."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.desired.cluster import DesiredStateSettings, desired_state
from krmkit.systems.clusterapi.model.state import ClusterState
from tests.unit.systems.clusterapi.fixtures import (
    CONTROL_PLANE,
    INFRASTRUCTURE,
    blueprint,
    cluster,
    cluster_class,
)


def definition(kind: str, api_version: str, resources: Object, *operations: Object) -> Object:
    selector = {"apiVersion": api_version, "kind": kind, "matchResources": resources}
    return {"selector": selector, "jsonPatches": list(operations)}


def plane(*operations: Object) -> Object:
    return definition("KubeadmControlPlaneTemplate", CONTROL_PLANE, {"controlPlane": True}, *operations)


def patched(*patches: Object, extensions: Any = None, **topology: Any) -> ClusterState:
    settings = DesiredStateSettings() if extensions is None else DesiredStateSettings(extensions=extensions)
    the_blueprint = blueprint(cluster_class(patches=list(patches)))
    return desired_state(the_blueprint, cluster(**topology), None, settings)[0]


def add(path: str, value: Any) -> Object:
    return {"op": "add", "path": path, "value": value}


def test_what_the_topology_sets_is_protected() -> None:
    """Version, replicas, references and bookkeeping stay, whatever a patch says."""
    state = patched({"name": "p", "definitions": [plane(
        add("/spec/template/spec/version", "v1.0.0"),
        add("/spec/template/spec/replicas", 9),
        add("/spec/template/spec/machineTemplate", {"spec": {"infrastructureRef": {"name": "stolen"}}, "metadata": {}}),
        add("/spec/template/metadata/labels", {"mine": "1", "topology.cluster.x-k8s.io/owned": "x"}),
        add("/spec/template/metadata/annotations", {"cluster.x-k8s.io/cloned-from-name": "other"}),
        add("/spec/template/spec/rollout", {"before": {"certificatesExpiryDays": 5}}),
    )]})  # fmt: skip

    found = state.control_plane.object
    assert found["spec"]["version"] == "v1.33.1"
    assert found["spec"]["replicas"] == 3
    machines = state.control_plane.infrastructure_machine_template
    assert machines is not None
    assert (
        found["spec"]["machineTemplate"]["spec"]["infrastructureRef"]["name"] == machines["metadata"]["name"]
    )
    assert found["spec"]["rollout"] == {"before": {"certificatesExpiryDays": 5}}
    assert found["metadata"]["labels"]["mine"] == "1"
    assert found["metadata"]["labels"]["topology.cluster.x-k8s.io/owned"] == ""
    assert (
        found["metadata"]["annotations"]["cluster.x-k8s.io/cloned-from-name"] == "kubeadmcontrolplanetemplate"
    )


def test_what_the_topology_leaves_open_may_be_set() -> None:
    """Replicas of a topology without any."""
    state = patched(
        {"name": "p", "definitions": [plane(add("/spec/template/spec/replicas", 9))]}, controlPlane={}
    )

    assert state.control_plane.object["spec"]["replicas"] == 9


def test_patches_apply_in_their_order() -> None:
    """A later patch sees what the earlier ones made; its own definitions all start from there."""
    replace = {"op": "replace", "path": "/spec/template/spec/x", "value": 2}
    first = {"name": "a", "definitions": [plane(add("/spec/template/spec/x", 1))]}
    second = {"name": "b", "definitions": [plane(replace)]}

    assert patched(first, second).control_plane.object["spec"]["x"] == 2
    with pytest.raises(TopologyError) as caught:
        patched(second, first)
    assert str(caught.value) == (
        'failed to apply patches: failed to apply patches for patch "b": failed to apply patch: error applying json patch'
        " (RFC6902): replace operation does not apply: doc is missing key: /spec/template/spec/x: missing value"
    )


def test_patches_reach_spec_and_metadata_only() -> None:
    """Name and kind of a template stay, and its own labels go to clones of templates alone."""
    machine = definition("MetalMachineTemplate", INFRASTRUCTURE, {"controlPlane": True},
        {"op": "replace", "path": "/metadata/name", "value": "x"},
        {"op": "replace", "path": "/kind", "value": "Other"},
        add("/metadata/labels/mine", "1"),
        add("/spec/other", 1))  # fmt: skip

    found = patched({"name": "p", "definitions": [machine]}).control_plane.infrastructure_machine_template

    assert found is not None
    assert found["kind"] == "MetalMachineTemplate"
    assert found["metadata"]["name"].startswith("c1-")
    assert found["metadata"]["labels"]["mine"] == "1"
    assert found["spec"] == {"template": {"spec": {"image": "one"}}}


def test_removing_a_whole_container_does_not_remove_it() -> None:
    """Spec and labels are replaced where the patched template has them; keys inside of spec do go."""
    machine = definition("MetalMachineTemplate", INFRASTRUCTURE, {"controlPlane": True},
        {"op": "remove", "path": "/metadata/labels"},
        {"op": "remove", "path": "/spec/template/spec/image"})  # fmt: skip

    found = patched({"name": "p", "definitions": [machine]}).control_plane.infrastructure_machine_template

    assert found is not None
    assert found["metadata"]["labels"]["own"] == "label"
    assert found["spec"]["template"]["spec"] == {}


def test_only_selected_classes_are_patched() -> None:
    """By the class of a worker group, not by its name; a star stands at one end."""
    workers = {"machineDeployments": [{"class": "worker", "name": "one"}, {"class": "worker", "name": "two"}]}

    def images(*names: str) -> list[str]:
        one = definition("MetalMachineTemplate", INFRASTRUCTURE, {"machineDeploymentClass": {"names": list(names)}},
            {"op": "replace", "path": "/spec/template/spec/image",
             "valueFrom": {"template": "{{ .builtin.machineDeployment.topologyName }}"}})  # fmt: skip
        state = patched({"name": "p", "definitions": [one]}, workers=workers)
        return [
            md.infrastructure["spec"]["template"]["spec"]["image"]
            for md in state.machine_deployments.values()
        ]

    assert images("worker") == images("w*") == images("*er") == images("*") == ["one", "two"]
    assert images("one") == images("w*r") == images("x*") == ["one", "one"]


def test_disabled_patches_do_nothing() -> None:
    """And a template that nobody selects is not even asked whether it is enabled."""
    broken = '{{ fail "asked" }}'
    nobody = definition("MetalMachineTemplate", "other/v1", {"controlPlane": True})

    state = patched(
        {"name": "off", "enabledIf": "{{ false }}", "definitions": [plane(add("/spec/template/spec/x", 1))]},
        {"name": "nobody", "enabledIf": broken, "definitions": [nobody]},
    )

    assert "x" not in state.control_plane.object["spec"]
    with pytest.raises(TopologyError, match="failed to calculate if patch is enabled"):
        patched(
            {"name": "asked", "enabledIf": broken, "definitions": [plane(add("/spec/template/spec/x", 1))]}
        )


def test_all_errors_of_one_patch_are_told() -> None:
    """One for each template, as Go's aggregate prints them."""
    variable = {"op": "add", "path": "/spec/template/spec/x", "valueFrom": {"variable": "nope"}}
    machine = definition("MetalMachineTemplate", INFRASTRUCTURE, {"controlPlane": True}, variable)

    with pytest.raises(TopologyError) as caught:
        patched({"name": "p", "definitions": [plane(variable), machine]})

    text = (
        'failed to generate JSON patches for "{}": failed to calculate value: variable "nope" does not exist'
    )
    both = ", ".join(text.format(kind) for kind in ("KubeadmControlPlaneTemplate", "MetalMachineTemplate"))
    assert str(caught.value) == f'failed to apply patches: failed to generate patches for patch "p": [{both}]'


class Answers:
    """An extension that remembers what it was asked."""

    def __init__(self, *items: Object, valid: bool = True) -> None:
        self.items = items
        self.valid = valid
        self.asked: list[tuple[str, Object]] = []

    def call(self, hook: str, handler: str, request: Object, owner: str = "") -> Object:
        self.asked.append((handler, request))
        if hook == "GeneratePatches":
            return {"status": "Success", "items": list(self.items)}
        assert hook == "ValidateTopology"
        return {"status": "Success"} if self.valid else {"status": "Failure", "message": "too small"}


EXTERNAL = {"name": "ext", "external": {
    "generatePatchesExtension": "generate.ext", "validateTopologyExtension": "validate.ext",
    "settings": {"mode": "strict"}}}  # fmt: skip


def test_extensions_patch_and_validate() -> None:
    """A merge patch applies; validation sees the patched templates, without uids; settings go along."""
    merge = {"uid": "1", "patchType": "JSONMergePatch", "patch": {"spec": {"template": {"spec": {"region": None, "zone": "a"}}}}}  # fmt: skip
    answers = Answers(merge)

    state = patched(EXTERNAL, extensions=answers)

    assert state.infrastructure_cluster["spec"] == {"zone": "a"}
    (first, generate), (second, validate) = answers.asked
    assert (first, second) == ("generate.ext", "validate.ext")
    assert generate["settings"] == validate["settings"] == {"mode": "strict"}
    assert generate["items"][0]["uid"] == "1"
    assert "uid" not in validate["items"][0]
    assert validate["items"][0]["object"]["spec"]["template"]["spec"] == {"zone": "a"}
    holder = generate["items"][0]["holderReference"]
    assert (holder["kind"], holder["fieldPath"]) == ("Cluster", "spec.infrastructureRef")


def test_what_an_extension_refuses_stops_the_render() -> None:
    """With the patch, the handler and the extension's own words."""
    with pytest.raises(TopologyError) as caught:
        patched(EXTERNAL, extensions=Answers(valid=False))

    assert str(caught.value) == (
        'failed to apply patches: validation of patch "ext" failed: failed to call extension handler "validate.ext":'
        " got failure response with message: too small"
    )


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (
            {"uid": "99", "patchType": "JSONPatch", "patch": []},
            "unable to find corresponding request item for patch",
        ),
        ({"uid": "1", "patchType": "Other", "patch": []}, "patchType must be JSONPatch or JSONMergePatch"),
    ],
)
def test_answers_that_fit_nothing(item: Object, message: str) -> None:
    """An unknown uid, an unknown type of patch."""
    with pytest.raises(TopologyError, match=message):
        patched(EXTERNAL, extensions=Answers(item))


def test_a_patch_that_only_validates_cannot_generate() -> None:
    """The webhook admits it, and the controller fails; so does this."""
    only = {"name": "v", "external": {"validateTopologyExtension": "validate.ext"}}

    with pytest.raises(TopologyError, match='failed to create patch generator for patch "v"'):
        patched(only, extensions=Answers())
