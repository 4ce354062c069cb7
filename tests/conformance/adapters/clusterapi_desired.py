"""Desired states, judged by the engines that the functions call."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

from krmkit.clusterapi.api import decode_cluster, decode_cluster_class
from krmkit.clusterapi.blueprint import Blueprint, WorkerBlueprint, read_blueprint
from krmkit.clusterapi.contract import Contracts
from krmkit.clusterapi.currentstate import CurrentObjects
from krmkit.clusterapi.desiredstate import ALWAYS, Settings, desired_state
from krmkit.clusterapi.errors import TopologyError
from krmkit.clusterapi.names import NamingTemplate
from krmkit.clusterapi.patches.engine import PatchEngine
from krmkit.clusterapi.state import ClusterState, ControlPlaneState, MachineDeploymentState, MachinePoolState
from krmkit.lang.jsonpatch import patched
from krmkit.lang.nested import find
from tests.conformance.adapters._clusterapi_topology import (
    Judge,
    Object,
    Record,
    by_role,
    same,
    verdict,
)


def templates_of(objects: list[Object]) -> Callable[[Object, str], Object]:
    known = {(item["apiVersion"], item["kind"], item["metadata"]["name"]): item for item in objects}

    def template(reference: Object, field: str) -> Object:
        return known[reference["apiVersion"], reference["kind"], reference["name"]]

    return template


def desired(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    kinds = {
        f"{item['kind'].removesuffix('Template')}.{item['apiVersion'].split('/')[0]}": data["contract"]
        for item in data["templates"]
    }

    def work() -> Object:
        blueprint = read_blueprint(
            decode_cluster_class(data["clusterClass"])[0],
            templates_of(data["templates"]),
            Contracts((), kinds),
            None,
        )
        cluster, _ = decode_cluster(data["cluster"])
        state, _ = desired_state(blueprint, cluster, None, Settings(ALWAYS))
        return by_role(state)

    return verdict(record, work)


@cache
def setup_text(path: Path) -> str:
    return path.read_text("utf-8")


def patch_apply(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    setup = json.loads(setup_text(folder / data["setup"]))
    given = setup["blueprint"]

    class Recorded:
        """The reference's fake client: it says less of a failure than the real one."""

        def generate_patches(self, handler: str, request: Object) -> Object:
            response = dict(data["externalResponses"][handler])
            if response["status"] == "Failure":
                raise TopologyError(f"failed to call extension handler {handler}: got failure response")
            return response

        validate_topology = generate_patches
        discover_variables = generate_patches

    spec = given["clusterClass"]["spec"]

    def workers(listing: str, second: str) -> dict[str, WorkerBlueprint]:
        key = "machineDeploymentClasses" if listing == "machineDeployments" else "machinePoolClasses"
        classes = {one["class"]: one for one in spec["workers"][listing]}
        return {
            name: WorkerBlueprint(classes[name], one["BootstrapTemplate"], one[second], NamingTemplate(""))
            for name, one in given[key].items()
        }

    blueprint = Blueprint(
        given["clusterClass"],
        given["infrastructureClusterTemplate"],
        given["controlPlaneTemplate"],
        given["controlPlaneInfrastructureMachineTemplate"],
        data["contract"],
        "",
        PatchEngine(data["patches"], data["statusVariables"]),
        NamingTemplate(""),
        NamingTemplate(""),
        workers("machineDeployments", "InfrastructureMachineTemplate"),
        workers("machinePools", "InfrastructureMachinePoolTemplate"),
    )
    before = setup["desiredBefore"]
    for listing, name in (("machineDeployments", "machineDeployment"), ("machinePools", "machinePool")):
        # The typed objects of the reference know their kind without a field.
        expected = record.get("expect", {}).get(listing, {}).values()
        for one in (*before[listing].values(), *expected):
            one[name]["kind"] = name[0].upper() + name[1:]
    state = ClusterState(
        before.get("cluster") or given["cluster"],
        before["infrastructureCluster"],
        ControlPlaneState(before["controlPlane"], before["controlPlaneInfrastructureMachineTemplate"]),
        {
            name: MachineDeploymentState(
                one["machineDeployment"], one["bootstrapTemplate"], one["infrastructureMachineTemplate"]
            )
            for name, one in before["machineDeployments"].items()
        },
        {
            name: MachinePoolState(
                one["machinePool"], one["bootstrapObject"], one["infrastructureMachinePoolObject"]
            )
            for name, one in before["machinePools"].items()
        },
    )

    def work() -> Object:
        blueprint.engine.apply(blueprint, state, Recorded())
        found = by_role(state)
        return {key: found[key] for key in record["expect"]}

    return verdict(record, work)


@cache
def class_file(path: Path) -> str:
    return path.read_text("utf-8")


def class_of(record: Record, folder: Path) -> tuple[Object, Object]:
    """The class file of a record, and its ClusterClass after `mutateClass`."""
    given = json.loads(class_file(folder / "render_real_classes" / f"{record['class']}.json"))
    return given, patched(record["input"].get("mutateClass") or [], given["clusterClass"])


def definitions_of(cluster_class: Object, record: Record) -> list[Object]:
    """The class's status.variables, as far as patches read them: who defines which name."""
    found = [
        {"name": one["name"], "definitions": [{"from": "inline"}]}
        for one in find(cluster_class, ("spec", "variables")) or []
    ]
    for call in record.get("hookCalls") or []:
        if call["hook"] == "DiscoverVariables":
            for patch in find(cluster_class, ("spec", "patches")) or []:
                if find(patch, ("external", "discoverVariablesExtension")) == call["extension"]:
                    found += [
                        {"name": one["name"], "definitions": [{"from": patch["name"]}]}
                        for one in call["response"].get("variables") or []
                    ]
    return found


class Recorded:
    """Answers of a record's hook calls, in their order."""

    def __init__(self, record: Record) -> None:
        self._answers: dict[tuple[str, str], list[Object]] = {}
        for call in record.get("hookCalls") or []:
            self._answers.setdefault((call["hook"], call["extension"]), []).append(call)

    def _answer(self, hook: str, handler: str, request: Object) -> Object:
        call = self._answers[hook, handler].pop(0)
        own = {key: value for key, value in request.items() if key not in ("apiVersion", "kind")}
        difference = same(call["request"], own)
        assert not difference, f"{hook} request: {difference}"
        return dict(call["response"])

    def generate_patches(self, handler: str, request: Object) -> Object:
        return self._answer("GeneratePatches", handler, request)

    def validate_topology(self, handler: str, request: Object) -> Object:
        return self._answer("ValidateTopology", handler, request)

    def discover_variables(self, handler: str, request: Object) -> Object:
        return self._answer("DiscoverVariables", handler, request)


def render_real(record: Record, folder: Path) -> tuple[bool, str]:
    if record.get("stage") not in (None, "desired") or "expect_warnings" in record:
        return True, "refused before rendering"
    given, raw_class = class_of(record, folder)
    cluster_class, _ = decode_cluster_class(raw_class)
    plans = [call for call in record.get("hookCalls") or [] if call["hook"] == "GenerateUpgradePlan"]

    def work() -> Object:
        blueprint = read_blueprint(
            cluster_class,
            templates_of(given["templates"]),
            Contracts(given["crds"]),
            definitions_of(cluster_class, record),
        )
        settings = Settings(ALWAYS, extensions=Recorded(record))
        if plans:
            response = plans[0]["response"]
            settings.plan_source = lambda *versions: tuple(
                [step["version"] for step in response.get(name) or []]
                for name in ("controlPlaneUpgrades", "workersUpgrades")
            )
        cluster = record["expect_defaulted"]
        current = CurrentObjects(record["input"].get("current") or []).of(cluster)
        try:
            state, _ = desired_state(blueprint, cluster, current, settings)
        except TopologyError as error:
            raise error.wrapped("error computing the desired state of the Cluster topology") from None
        return by_role(state)

    return verdict(record, work)


FILES: dict[str, Judge] = {
    "render_real.jsonl": render_real,
    "desired_state.jsonl": desired,
    "patch_apply.jsonl": patch_apply,
}
