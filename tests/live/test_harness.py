"""The harness of live tests against recorded answers of an API server: what agrees, what differs, and what never settles."""

from __future__ import annotations

import os
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import pytest
import yaml

from krmkit.libraries.json import Object
from tests.live.harness import (
    PATIENCE,
    KubectlApi,
    RefusedError,
    differences,
    observed,
    run,
    settle,
    unsettled,
)
from tests.live.scenarios import Scenario
from tests.programs import python, write_script

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PLANE, MD = 1, 2


def recorded() -> list[Object]:
    return list(yaml.safe_load_all((HERE / "recorded.yaml").read_text("utf-8")))


def after(change: Callable[[list[Object]], object]) -> list[Object]:
    """The recorded answer after something has changed."""
    objects = deepcopy(recorded())
    change(objects)
    return objects


def roll_workers(objects: list[Object]) -> None:
    """A new bootstrap template, the reference to it, and a machine made of it."""
    objects[MD]["spec"]["template"]["spec"]["bootstrap"]["configRef"]["name"] = "c1-md-0-two"
    objects[3]["metadata"]["name"] = "c1-md-0-two"
    objects[3]["spec"]["template"]["spec"]["joinConfiguration"] = {"skipPhases": ["b"]}
    objects[5]["metadata"]["uid"] = "m3"


def set_replicas(objects: list[Object]) -> None:
    objects[PLANE]["spec"]["replicas"] = 3


def set_default(objects: list[Object]) -> None:
    """A field that the topology does not own."""
    objects[PLANE]["spec"]["remediation"] = {"maxRetry": 5}


def remove_verbosity(objects: list[Object]) -> None:
    """A field that the topology owned, and its ownership, are gone."""
    del objects[PLANE]["spec"]["kubeadmConfigSpec"]
    del objects[PLANE]["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:kubeadmConfigSpec"]


ROLLED = {
    "changes": {
        "machineDeployments/md-0/bootstrapTemplate": "replace",
        "machineDeployments/md-0/machineDeployment": "change",
    },
    "rolls": ["MachineDeployment md-0"],
}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda objects: None, {"changes": {}, "rolls": []}),
        (set_default, {"changes": {}, "rolls": []}),
        (set_replicas, {"changes": {"controlPlane": "change"}, "rolls": []}),
        (remove_verbosity, {"changes": {"controlPlane": "change"}, "rolls": []}),
        (roll_workers, ROLLED),
        (lambda objects: objects.pop(MD), {"changes": {"machineDeployments/md-0/bootstrapTemplate": "remove", "machineDeployments/md-0/machineDeployment": "remove"}, "rolls": []}),
        (lambda objects: objects[4]["metadata"].update(uid="m9"), {"changes": {}, "rolls": ["controlPlane"]}),
        (lambda objects: objects.pop(5), {"changes": {}, "rolls": []}),
    ],
)  # fmt: skip
def test_what_is_observed(change: Callable[[list[Object]], object], expected: Object) -> None:
    """Only owned fields count; machines roll where new ones replace old ones."""
    assert observed(recorded(), after(change)) == expected


def test_differences_are_named() -> None:
    """What the plan says and the cluster does not, and the reverse."""
    plan = {"changes": {"controlPlane": "change"}, "rolls": ["controlPlane"]}

    assert differences(ROLLED, ROLLED) == []
    assert differences(plan, ROLLED) == [
        "controlPlane: the plan says change, the cluster did no change",
        "machineDeployments/md-0/bootstrapTemplate: the plan says no change, the cluster did replace",
        "machineDeployments/md-0/machineDeployment: the plan says no change, the cluster did change",
        "MachineDeployment md-0 rolled, and the plan does not say so",
        "controlPlane did not roll, and the plan says so",
    ]


def test_objects_without_managed_fields_are_no_proof() -> None:
    """An answer that hides who owns what fails the test instead of passing it."""
    hidden = after(lambda objects: objects[PLANE]["metadata"].pop("managedFields"))

    with pytest.raises(AssertionError, match="c1-abcde has no managedFields of capi-topology"):
        observed(hidden, hidden)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda objects: None, ""),
        (lambda objects: objects[0]["metadata"].update(generation=4), "TopologyReconciled is True"),
        (lambda objects: objects[0]["status"].clear(), "TopologyReconciled is None"),
        (lambda objects: objects[MD]["status"].update(upToDateReplicas=0), "MachineDeployment c1-md-0-xyz has"),
        (lambda objects: objects[PLANE]["status"].clear(), "KubeadmControlPlane c1-abcde has"),
        (lambda objects: objects[5]["metadata"].update(deletionTimestamp="now"), "Machine c1-md-0-1 is being deleted"),
    ],
)  # fmt: skip
def test_what_is_still_going_on(change: Callable[[list[Object]], object], said: str) -> None:
    """A reading counts when the topology is reconciled and all machines are there and new."""
    found = unsettled(after(change))

    assert found.startswith(said) and bool(found) == bool(said)


class Recorded:
    """An API server that answers from recordings: `later` after the second apply, or once it has been asked often enough."""

    def __init__(self, later: list[Object], action: str = "change", plan: Object | None = None) -> None:
        self.later = later
        self.applied: list[list[Object]] = []
        self.deleted: list[str] = []
        self.asked = 0
        self.slow = 0
        self.refuses = False
        self._plan = {"action": action, **(plan or {"changes": {}, "rolls": []})}

    def apply(self, objects: list[Object]) -> None:
        if self.refuses and self.applied:
            raise RefusedError("admission webhook denied the request")
        self.applied.append(objects)

    def objects(self, namespace: str) -> list[Object]:
        self.asked += 1
        if len(self.applied) > 1 and self.slow:
            self.slow -= 1
            return after(lambda objects: objects[MD]["status"].update(upToDateReplicas=0))
        return self.later if len(self.applied) > 1 else recorded()

    def plan(self, folder: Path) -> Object:
        assert (folder / "all.yaml").exists()
        changes = [{"role": role, "action": what} for role, what in self._plan["changes"].items()]
        rolls = [{"group": group} for group in self._plan["rolls"]]
        return {"clusters": [{"action": self._plan["action"], "changes": changes, "rolls": rolls}]}

    def delete(self, namespace: str) -> None:
        self.deleted.append(namespace)

    def wait(self, seconds: float) -> None:
        """Recordings do not change with time."""


SCENARIO = Scenario("workers", [["Cluster/c1", "spec.topology.version", "v1.34.0"]])


def test_a_run_that_agrees(tmp_path: Path) -> None:
    """Both states are applied, slow machines are waited for, and the namespace goes in the end."""
    api = Recorded(after(roll_workers), plan=ROLLED)
    api.slow = 3

    assert run(SCENARIO, api, tmp_path, "live-1") == []
    assert [objects[0]["metadata"]["namespace"] for objects in api.applied] == ["live-1", "live-1"]
    assert api.deleted == ["live-1"]
    assert api.asked == 5


def test_a_run_that_differs(tmp_path: Path) -> None:
    """The cluster rolled workers that the plan leaves out."""
    found = run(SCENARIO, Recorded(after(roll_workers), action="same"), tmp_path, "live-1")

    assert found[-1] == "MachineDeployment md-0 rolled, and the plan does not say so"


@pytest.mark.parametrize(
    ("action", "refuses", "expected"),
    [
        ("refused", True, []),
        ("change", True, ["refused, and the plan says change: admission webhook denied the request"]),
        ("refused", False, ["accepted, and the plan says refused"]),
    ],
)
def test_what_the_server_refuses(tmp_path: Path, action: str, refuses: bool, expected: list[str]) -> None:
    """A refusal must be in the plan, and the reverse."""
    api = Recorded(recorded(), action)
    api.refuses = refuses

    assert run(SCENARIO, api, tmp_path, "live-1") == expected
    assert api.deleted == ["live-1"]


def test_what_never_settles_is_a_failure() -> None:
    """The last reason is in the message."""
    api = Recorded([])
    api.applied = [[], []]
    api.slow = 10**6

    with pytest.raises(AssertionError, match=rf"not settled after {PATIENCE:.0f} seconds: MachineDeployment"):
        settle(api, "live")


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kubectl on the PATH that answers from the recording."""
    program = write_script(tmp_path / "bin/kubectl", f'exec {python(HERE / "kubectl.py")} "$@"\n')
    objects = tmp_path / "objects"
    objects.mkdir()
    (objects / "all.yaml").write_text((HERE / "recorded.yaml").read_text("utf-8"), "utf-8")
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT / "shared"), str(ROOT))))
    monkeypatch.setenv("KUBECTL_OBJECTS", str(objects))


def test_kubectl_reads_and_refusals_come_through(stand_in: None) -> None:
    """The real class for API servers, with the stand-in."""
    found = KubectlApi().objects("live")

    assert {one["metadata"]["name"] for one in found} == {one["metadata"]["name"] for one in recorded()}
    assert observed(found, found) == {"changes": {}, "rolls": []}
    with pytest.raises(RefusedError, match="cannot apply anything"):
        KubectlApi().apply(recorded())


def test_a_server_that_cannot_be_used_is_one_line(stand_in: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer, no Cluster API, no kubectl: the reason, which ends the run before its first scenario."""
    assert KubectlApi().why_unusable() == ""
    monkeypatch.setenv(
        "KUBECTL_FAILURE", "E1 memcache.go\nThe connection to the server localhost:8080 was refused"
    )
    assert KubectlApi().why_unusable() == "The connection to the server localhost:8080 was refused"
    monkeypatch.delenv("KUBECTL_FAILURE")
    monkeypatch.setenv("KUBECTL_UNKNOWN", "devclusters.infrastructure.cluster.x-k8s.io")
    assert 'resource type "devclusters' in KubectlApi().why_unusable()
    monkeypatch.setenv("PATH", "/nonexistent")
    assert KubectlApi().why_unusable() == "kubectl is not on the PATH"
