"""Objects that come and go with a Cluster, and how many machines of a group roll at a time."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.roles import Role
from krmkit.systems.clusterapi.model.state import ClusterState, ControlPlaneState
from krmkit.systems.clusterapi.plan.model import CHANGE, CREATE, REMOVE, ObjectChange
from krmkit.systems.clusterapi.plan.objectchanges import StateComparison, all_objects
from krmkit.systems.clusterapi.plan.rolls import Clock

PLANE: Object = {"kind": "KubeadmControlPlane", "metadata": {"name": "p"}, "spec": {"version": "v1"}}


def state(plane: Object) -> ClusterState:
    return ClusterState({"kind": "Cluster", "metadata": {"name": "c"}}, {}, ControlPlaneState(plane))


@pytest.mark.parametrize("action", [CREATE, REMOVE])
def test_a_whole_cluster(action: str) -> None:
    """The Cluster itself is not listed, nor what is not there; a new object is after, one that goes before the change."""
    [change] = all_objects(state(PLANE), action)

    assert (change.action, change.kind, change.name) == (action, "KubeadmControlPlane", "p")
    assert (change.before, change.after) == ((None, PLANE) if action == CREATE else (PLANE, None))


@pytest.mark.parametrize(
    ("desired", "running", "limits"),
    [
        pytest.param({}, {}, (1, 1), id="defaults"),
        pytest.param({"replicas": 5}, {"maxSurge": 2}, (5, 2), id="what runs"),
        pytest.param({"maxSurge": 0, "replicas": 3}, {"maxSurge": 2, "replicas": 9}, (3, 0), id="what is wanted wins"),
    ],
)  # fmt: skip
def test_limits(desired: Any, running: Any, limits: tuple[int, int]) -> None:
    """The size of the group and its surge: those that are desired, else those that run."""

    def plane(values: Any, version: str) -> Object:
        spec: Object = {"version": version}
        if "maxSurge" in values:
            spec["rollout"] = {"strategy": {"rollingUpdate": {"maxSurge": values["maxSurge"]}}}
        if "replicas" in values:
            spec["replicas"] = values["replicas"]
        return {"kind": "KubeadmControlPlane", "metadata": {"name": "p", "uid": "u"}, "spec": spec}

    before, after = state(plane(running, "v1")), state(plane(desired, "v2"))
    change = ObjectChange(
        CHANGE, Role.of("controlPlane"), "KubeadmControlPlane", "p",
        before=before.control_plane.object, after=after.control_plane.object,
    )  # fmt: skip

    [roll], _ = StateComparison(before, Clock()).rolls([change], [], after)

    assert (roll.replicas, roll.max_surge, roll.max_unavailable) == (*limits, 0)
