"""Desired states, judged by the engines that the functions call."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from krmkit.fn.testing import run_function
from krmkit.krm import annotations as names_of
from krmkit.krm.finding import Finding
from krmkit.libraries.json import Object
from krmkit.libraries.json.patch import patched
from krmkit.libraries.schema.fields import find
from krmkit.systems.clusterapi.api.contracts import Contracts
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.api.names import NamingTemplate
from krmkit.systems.clusterapi.api.objects import decode_cluster, decode_cluster_class
from krmkit.systems.clusterapi.desired.blueprint import ClusterBlueprint, WorkerBlueprint, read_blueprint
from krmkit.systems.clusterapi.desired.cluster import ALWAYS, DesiredStateSettings, desired_state
from krmkit.systems.clusterapi.desired.requestitems import create_request
from krmkit.systems.clusterapi.model.extensions import Extensions
from krmkit.systems.clusterapi.model.state import ClusterState, ControlPlaneState, WorkerState
from krmkit.systems.clusterapi.patches.engine import PatchEngine
from tests.conformance.adapters._clusterapi_served import served_patches
from tests.conformance.adapters._clusterapi_topology import Judge, Record, by_role, same, verdict


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
        state, _ = desired_state(blueprint, cluster, None, DesiredStateSettings(ALWAYS))
        return by_role(state)

    return verdict(record, work)


@cache
def setup_text(path: Path) -> str:
    return path.read_text("utf-8")


def patch_apply(record: Record, folder: Path) -> tuple[bool, str]:
    """By the engine, and by the servers of extensions into which its inline patches are moved."""
    data = record["input"]

    class Recorded:
        """The reference's fake client, whose messages about failures are shorter than the real one's."""

        def call(self, hook: str, handler: str, request: Object, owner: str = "") -> Object:
            response = dict(data["externalResponses"][handler])
            if response["status"] == "Failure":
                raise TopologyError(f"failed to call extension handler {handler}: got failure response")
            return response

    inline = applied(deepcopy(record), folder, data["patches"], data["statusVariables"], Recorded())
    if not inline[0]:
        return inline
    if "expect_error" in record:
        record["expect_error"] = True  # the text of the fake client; the real one's is longer
    return applied(record, folder, *served_patches(data))


def applied(
    record: Record, folder: Path, patches: list[Object], variables: list[Object], extensions: Extensions
) -> tuple[bool, str]:
    """The result of patches on the desired state that all of these records start from."""
    data = record["input"]
    setup = json.loads(setup_text(folder / data["setup"]))
    given = setup["blueprint"]
    spec = given["clusterClass"]["spec"]

    def workers(listing: str, second: str) -> dict[str, WorkerBlueprint]:
        key = "machineDeploymentClasses" if listing == "machineDeployments" else "machinePoolClasses"
        classes = {one["class"]: one for one in spec["workers"][listing]}
        return {
            name: WorkerBlueprint(classes[name], one["BootstrapTemplate"], one[second], NamingTemplate(""))
            for name, one in given[key].items()
        }

    blueprint = ClusterBlueprint(
        given["clusterClass"],
        given["infrastructureClusterTemplate"],
        given["controlPlaneTemplate"],
        given["controlPlaneInfrastructureMachineTemplate"],
        data["contract"],
        "",
        PatchEngine(patches, variables),
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
            name: WorkerState(
                one["machineDeployment"], one["bootstrapTemplate"], one["infrastructureMachineTemplate"]
            )
            for name, one in before["machineDeployments"].items()
        },
        {
            name: WorkerState(
                one["machinePool"], one["bootstrapObject"], one["infrastructureMachinePoolObject"]
            )
            for name, one in before["machinePools"].items()
        },
    )

    def work() -> Object:
        blueprint.engine.apply(create_request(blueprint, state), state, extensions)
        found = by_role(state)
        return {key: found[key] for key in record["expect"]}

    return verdict(record, work)


PLACES = (names_of.PATH, names_of.INDEX)


@cache
def class_file(path: Path) -> str:
    return path.read_text("utf-8")


def class_of(record: Record, folder: Path) -> tuple[Object, Object]:
    """The class file of a record, and its ClusterClass after `mutateClass`."""
    given = json.loads(class_file(folder / "render_real_classes" / f"{record['class']}.json"))
    return given, patched(record["input"].get("mutateClass") or [], given["clusterClass"])


FUNCTION = Path(__file__).resolve().parents[3] / "functions/render-cluster-topology"
CONFIG: Object = {
    "apiVersion": "krmkit.dev/v1alpha1",
    "kind": "RenderClusterTopology",
    "metadata": {"name": "render"},
    "spec": {
        "ownerReferences": "always",
        "writeReferences": True,
    },
}


def render_real(record: Record, folder: Path) -> tuple[bool, str]:
    """The function itself: a ResourceList in, and out come the desired objects, or what is refused."""
    given, raw_class = class_of(record, folder)
    data = record["input"]
    items = [data["cluster"], raw_class, *given["templates"], *given["crds"]]
    for number, item in enumerate(data.get("current") or []):
        # Objects of a cluster have a uid; without one they would count as coming from git.
        items.append({**item, "metadata": {**item["metadata"], "uid": f"uid-{number}"}})
    if "oldCluster" in data:
        old = json.loads(json.dumps(data["oldCluster"]))
        old["metadata"].setdefault("annotations", {})["krmkit.dev/previous"] = "true"
        items.append(old)
    calls = record.get("hookCalls")
    discover = folder / "render_real_classes" / f"{record['class']}.discover.json"
    if not calls and discover.exists():
        calls = json.loads(class_file(discover))
    if calls:
        responses = [
            {key: call[key] for key in ("extension", "hook", "request", "response")} for call in calls
        ]
        items.append(
            {
                "apiVersion": "krmkit.dev/v1alpha1",
                "kind": "TopologyResponses",
                "metadata": {"name": "recorded"},
                "spec": {"responses": responses},
            }
        )
    config = {**CONFIG, "spec": {**CONFIG["spec"], "featureGates": {
        "MachineTaintPropagation": True, "RuntimeSDK": given["runtimeSDK"]}}}  # fmt: skip
    text = json.dumps(
        {
            "apiVersion": "config.kubernetes.io/v1",
            "kind": "ResourceList",
            "items": items,
            "functionConfig": config,
        }
    )
    outcome = run_function(FUNCTION, text)
    errors = [finding for finding in outcome.results if finding.severity == "error"]
    if "expect_warnings" in record:
        # The webhook lets a Cluster without its class pass, with a warning; there is nothing to render.
        return [finding.rule for finding in errors] == ["missing-class"], f"gives {errors}"
    if "expect_errors" in record:
        return refused(record["expect_errors"], errors)
    if errors:
        wanted = record.get("expect_error")
        return [error.message for error in errors] == [wanted], f"fails: {errors}; wanted {wanted}"
    if "expect_error" in record:
        return False, "gives objects, wanted an error"
    names = {
        finding.tags["to"]: finding.tags["from"] for finding in outcome.results if finding.rule == "rotated"
    }
    difference = same(record["expect"], by_place(yaml.load(outcome.stdout, yaml.CSafeLoader)["items"], names))
    return not difference, difference


def refused(expected: list[Object], errors: list[Finding]) -> tuple[bool, str]:
    """Compares refusals of the webhooks: type, field and text. A function reports each finding once."""
    wanted = sorted({(one["type"], one["field"], one["contains"]) for one in expected})
    found = sorted((one.tags.get("type", one.rule), one.field, one.message) for one in errors)
    return wanted == found, f"refuses {found}, wanted {wanted}"


def by_place(items: list[Object], rotated: dict[str, str]) -> Object:
    """Generated objects by role, without the marks of generated objects, and with the names from before a rotation."""
    found: Object = {"machineDeployments": {}, "machinePools": {}}
    made = []
    for item in items:
        annotations = item["metadata"].get("annotations") or {}
        if annotations.pop("krmkit.dev/generated-by", None):
            for mark in ("config.kubernetes.io/local-config", *PLACES):
                annotations.pop(mark, None)
            if not annotations:
                del item["metadata"]["annotations"]
            made.append(renamed(item, rotated))
    [cluster] = [item for item in made if item["kind"] == "Cluster"]
    found["cluster"] = cluster
    control_plane = named(made, cluster["spec"]["controlPlaneRef"])
    found["infrastructureCluster"] = named(made, cluster["spec"]["infrastructureRef"])
    found["controlPlane"] = control_plane
    machines = find(control_plane, ("spec", "machineTemplate", "spec", "infrastructureRef")) or find(
        control_plane, ("spec", "machineTemplate", "infrastructureRef")
    )
    checks = {item["metadata"]["name"]: item for item in made if item["kind"] == "MachineHealthCheck"}
    template = machines and [
        item
        for item in made
        if (item["kind"], item["metadata"]["name"]) == (machines["kind"], machines["name"])
    ]
    if template:
        found["controlPlaneInfrastructureMachineTemplate"] = template[0]
    if control_plane["metadata"]["name"] in checks:
        found["controlPlaneMachineHealthCheck"] = checks[control_plane["metadata"]["name"]]
    for item in made:
        if item["kind"] not in ("MachineDeployment", "MachinePool"):
            continue
        spec = item["spec"]["template"]["spec"]
        bootstrap = named(made, spec["bootstrap"]["configRef"])
        infrastructure = named(made, spec["infrastructureRef"])
        own = item["metadata"]["labels"]
        if item["kind"] == "MachinePool":
            found["machinePools"][own["topology.cluster.x-k8s.io/pool-name"]] = {
                "machinePool": item,
                "bootstrapObject": bootstrap,
                "infrastructureMachinePoolObject": infrastructure,
            }
            continue
        group = {
            "machineDeployment": item,
            "bootstrapTemplate": bootstrap,
            "infrastructureMachineTemplate": infrastructure,
        }
        if item["metadata"]["name"] in checks:
            group["machineHealthCheck"] = checks[item["metadata"]["name"]]
        found["machineDeployments"][own["topology.cluster.x-k8s.io/deployment-name"]] = group
    return found


def named(items: list[Object], reference: Object) -> Object:
    [item] = [
        item
        for item in items
        if item["kind"] == reference["kind"] and item["metadata"]["name"] == reference["name"]
    ]
    return item


def renamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: renamed(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [renamed(item, names) for item in value]
    return names.get(value, value) if isinstance(value, str) else value


FILES: dict[str, Judge] = {
    "render_real.jsonl": render_real,
    "desired_state.jsonl": desired,
    "patch_apply.jsonl": patch_apply,
}
