"""Compares plans with what a real Cluster API does: apply a scenario, wait, and read the fields that the topology controller owns.

run(scenario, api, folder)   # [], or a line for each difference between the plan and the cluster
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Protocol

import yaml

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.labels import CONTROL_PLANE, DEPLOYMENT_NAME
from krmkit.systems.clusterapi.desired.comparison import applied_by_topology, changed_fields
from krmkit.systems.clusterapi.desired.current import CurrentObjects
from tests.live.scenarios import Scenario, in_short

CLUSTER = "c1"
PATIENCE = 900.0  # seconds until a change must have settled
PAUSE = 5.0
STILL = 20.0  # seconds that a Cluster which must not change is watched
_PLURALS = (
    "clusters.cluster.x-k8s.io,clusterclasses.cluster.x-k8s.io,machinedeployments.cluster.x-k8s.io,machinesets.cluster.x-k8s.io,"
    "machines.cluster.x-k8s.io,machinehealthchecks.cluster.x-k8s.io,kubeadmcontrolplanes.controlplane.cluster.x-k8s.io,"
    "kubeadmcontrolplanetemplates.controlplane.cluster.x-k8s.io,kubeadmconfigtemplates.bootstrap.cluster.x-k8s.io,"
    "devclusters.infrastructure.cluster.x-k8s.io,devclustertemplates.infrastructure.cluster.x-k8s.io,"
    "devmachinetemplates.infrastructure.cluster.x-k8s.io"
)


class RefusedError(Exception):
    """The API server refuses an object; the message is its answer."""


class Api(Protocol):
    """An API server with Cluster API, as far as the harness needs it."""

    def apply(self, objects: list[Object]) -> None:
        """Apply objects by server-side apply. Raises RefusedError."""

    def objects(self, namespace: str) -> list[Object]:
        """Return all objects of Cluster API in a namespace, with managedFields."""

    def plan(self, folder: Path) -> Object:
        """Return `krmkit topology plan FOLDER --live --format json`."""

    def delete(self, namespace: str) -> None:
        """Delete a namespace with what is in it."""

    def wait(self, seconds: float) -> None:
        """Let time pass."""


class KubectlApi:
    """The API server that KUBECONFIG names, by kubectl."""

    def _run(self, *words: str, given: str = "") -> str:
        try:
            done = subprocess.run(
                ["kubectl", *words], input=given, capture_output=True, text=True, check=False
            )
        except FileNotFoundError:
            raise RefusedError("kubectl is not on the PATH") from None
        if done.returncode:
            raise RefusedError(done.stderr.strip())
        return done.stdout

    def why_unusable(self) -> str:
        """Return the reason why no scenario can run, in one line; "" if the server has all kinds that the scenarios need."""
        try:
            self._run("get", _PLURALS, "--namespace=default", "--output=name", "--request-timeout=20s")
        except RefusedError as error:
            return (str(error).splitlines() or ["kubectl says nothing"])[-1]
        return ""

    def apply(self, objects: list[Object]) -> None:
        namespace = objects[0]["metadata"]["namespace"]
        made: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
        text = yaml.safe_dump_all([made, *objects])
        self._run("apply", "--server-side", "--field-manager=krmkit-live", "--filename=-", given=text)

    def objects(self, namespace: str) -> list[Object]:
        answer = self._run(
            "get", _PLURALS, f"--namespace={namespace}", "--output=json", "--show-managed-fields"
        )
        found: list[Object] = json.loads(answer)["items"]
        return found

    def plan(self, folder: Path) -> Object:
        words = [
            sys.executable,
            "-m",
            "krmkit",
            "topology",
            "plan",
            str(folder),
            "--live",
            "--format",
            "json",
        ]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1, 2) or not done.stdout:
            raise AssertionError(f"the plan failed: {done.stderr}")
        found: Object = json.loads(done.stdout)
        return found

    def delete(self, namespace: str) -> None:
        self._run("delete", "cluster", "--all", "-n", namespace, "--timeout=10m")
        self._run("delete", "namespace", namespace, "--wait=false")

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)


def run(scenario: Scenario, api: Api, folder: Path, namespace: str) -> list[str]:
    """Apply a scenario, and return a line for each difference between its plan and what the cluster did."""
    old, new = scenario.objects(namespace)
    try:
        api.apply(old)
        before = settle(api, namespace)
        (folder / "all.yaml").write_text(yaml.safe_dump_all(new), "utf-8")
        plan = in_short(api.plan(folder)["clusters"][0])
        try:
            api.apply(new)
        except RefusedError as error:
            return (
                []
                if plan["action"] == "refused"
                else [f"refused, and the plan says {plan['action']}: {error}"]
            )
        if plan["action"] == "refused":
            return ["accepted, and the plan says refused"]
        after = settle(api, namespace, until_same=not (plan["changes"] or plan["rolls"]))
        return differences(plan, observed(before, after))
    finally:
        api.delete(namespace)


def settle(api: Api, namespace: str, until_same: bool = False) -> list[Object]:
    """Return the objects once the topology is reconciled and no machine rolls any more. Raises AssertionError.

    until_same: nothing is expected to change, so the objects are watched for a while.
    """
    waited = 0.0
    needed = STILL if until_same else PAUSE
    while waited < PATIENCE:
        api.wait(needed)
        waited += needed
        found = api.objects(namespace)
        why = unsettled(found)
        if not why:
            return found
        needed = PAUSE
    raise AssertionError(f"not settled after {PATIENCE:.0f} seconds: {why}")


def unsettled(objects: list[Object]) -> str:
    """Return what is still going on among the objects of a Cluster, "" if nothing is."""
    for item in objects:
        status, metadata = item.get("status") or {}, item["metadata"]
        if item["kind"] == "Cluster" and item["spec"].get("paused") is not True:
            [reconciled] = [
                one for one in status.get("conditions", ()) if one["type"] == "TopologyReconciled"
            ] or [{}]
            if (
                reconciled.get("status") != "True"
                or reconciled["observedGeneration"] != metadata["generation"]
            ):
                return f"TopologyReconciled is {reconciled.get('status')}: {reconciled.get('message', '')}"
        if item["kind"] in ("KubeadmControlPlane", "MachineDeployment"):
            wanted = item["spec"].get("replicas", 1)
            counts = [status.get(name) for name in ("replicas", "upToDateReplicas", "availableReplicas")]
            if any((count or 0) != wanted for count in counts):
                return f"{item['kind']} {metadata['name']} has {counts} of {wanted} machines"
        if metadata.get("deletionTimestamp"):
            return f"{item['kind']} {metadata['name']} is being deleted"
    return ""


def observed(before: list[Object], after: list[Object]) -> Object:
    """Return what changed between two readings, in the form of a plan in short."""
    old, new = _by_role(before), _by_role(after)
    changes: dict[str, str] = {}
    for role in sorted({*old, *new}):
        there, here = old.get(role), new.get(role)
        if there is None or here is None:
            changes[role] = "create" if there is None else "remove"
        elif there["metadata"]["name"] != here["metadata"]["name"]:
            changes[role] = "replace"
        elif list(changed_fields(_owned(there), _owned(here))):
            changes[role] = "change"
    return {"changes": changes, "rolls": sorted(_rolled(before, after))}


def _by_role(objects: list[Object]) -> dict[str, Object]:
    [cluster] = [one for one in objects if one["kind"] == "Cluster"]
    state = CurrentObjects(objects).of(cluster)
    return {} if state is None else {role: one for role, one in state.objects() if one and role != "cluster"}


def _owned(item: Object) -> Object:
    found = applied_by_topology(item)
    if found is None:
        raise AssertionError(
            f"{item['kind']} {item['metadata']['name']} has no managedFields of capi-topology"
        )
    return found


def _rolled(before: list[Object], after: list[Object]) -> list[str]:
    old, new = _machines(before), _machines(after)
    # Fewer machines are scaling, not rolling: there are new ones too.
    return [
        group for group, uids in old.items() if uids - new.get(group, set()) and new.get(group, set()) - uids
    ]


def _machines(objects: list[Object]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for item in objects:
        if item["kind"] == "Machine":
            labels = item["metadata"].get("labels") or {}
            name = labels.get(DEPLOYMENT_NAME)
            group = "controlPlane" if CONTROL_PLANE in labels else f"MachineDeployment {name}"
            found.setdefault(group, set()).add(item["metadata"]["uid"])
    return found


def differences(plan: Object, seen: Object) -> list[str]:
    """Return a line for each difference between a plan in short and what was observed."""
    found = []
    for role in sorted({*plan["changes"], *seen["changes"]}):
        said, did = plan["changes"].get(role, "no change"), seen["changes"].get(role, "no change")
        if said != did:
            found.append(f"{role}: the plan says {said}, the cluster did {did}")
    for group in sorted({*plan["rolls"]} ^ {*seen["rolls"]}):
        rolled = group in seen["rolls"]
        found.append(
            f"{group} {'rolled, and the plan does not say so' if rolled else 'did not roll, and the plan says so'}"
        )
    return found
