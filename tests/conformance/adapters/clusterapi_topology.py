"""Patches and desired state, judged by the engines that the functions call."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from krmkit.clusterapi import healthcheck
from krmkit.clusterapi.api import decode_cluster, decode_cluster_class
from krmkit.clusterapi.blueprint import Blueprint, WorkerBlueprint, read_blueprint
from krmkit.clusterapi.contract import Contracts
from krmkit.clusterapi.controlplane import reference_with_api_version
from krmkit.clusterapi.currentstate import CurrentObjects
from krmkit.clusterapi.desiredstate import ALWAYS, Settings, desired_state
from krmkit.clusterapi.errors import TopologyError
from krmkit.clusterapi.extensions import NoExtensions
from krmkit.clusterapi.names import NamingTemplate, stable_suffix
from krmkit.clusterapi.patches.engine import PatchEngine
from krmkit.clusterapi.patches.inline import InlinePatch
from krmkit.clusterapi.patches.lookup import VariableError, VariablePath, parse_path_segment, variable_name
from krmkit.clusterapi.patches.request import Request, RequestItem, item_variables
from krmkit.clusterapi.patches.selector import matches
from krmkit.clusterapi.patches.values import (
    PatchValueError,
    ValueTemplate,
    Variables,
    enabled_by,
    value_of,
)
from krmkit.clusterapi.patches.variables import (
    cluster_builtin,
    control_plane_builtin,
    named_values,
    worker_builtin,
)
from krmkit.clusterapi.state import ClusterState, ControlPlaneState, MachineDeploymentState, MachinePoolState
from krmkit.clusterapi.upgradeplan import PlanSource, from_class_versions, one_minor
from krmkit.clusterapi.versions import (
    UpgradeTracker,
    blocking_hooks,
    control_plane_version,
    is_deferred,
    worker_version,
)
from krmkit.lang.jsonequal import json_equal
from krmkit.lang.jsonpatch import patched
from krmkit.lang.nested import find

Record = dict[str, Any]
Judge = Callable[[Record, Path], tuple[bool, str]]
Object = dict[str, Any]

GLOB = "?????"


def same(expected: Any, found: Any, path: str = "") -> str:
    """Where two values differ, "" where they do not; `?????` in an expected text stands for a suffix."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted({*expected, *found}):
            if key not in expected or key not in found:
                where = "unexpected" if key in found else "missing"
                return f"{path}/{key} {where}: {json.dumps(found.get(key, expected.get(key)))[:150]}"
            difference = same(expected[key], found[key], f"{path}/{key}")
            if difference:
                return difference
        return ""
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for index, (one, other) in enumerate(zip(expected, found, strict=True)):
            difference = same(one, other, f"{path}/{index}")
            if difference:
                return difference
        return ""
    if isinstance(expected, str) and isinstance(found, str) and GLOB in expected:
        pattern = re.escape(expected).replace(re.escape(GLOB), "[bcdfghjklmnpqrstvwxz2456789]{5}")
        return "" if re.fullmatch(pattern, found) else f"{path}: {found!r}, wanted {expected!r}"
    if json_equal(expected, found):
        return ""
    return f"{path}: {json.dumps(found)[:150]}, wanted {json.dumps(expected)[:150]}"


def verdict(record: Record, work: Callable[[], Any]) -> tuple[bool, str]:
    """Compares a result with `expect`, or an error with `expect_error`."""
    try:
        found = work()
    except (TopologyError, PatchValueError, VariableError) as error:
        wanted = record.get("expect_error")
        if wanted is True:
            return True, ""
        return wanted is not None and wanted in str(error), f"fails: {error}; wanted {wanted}"
    if "expect_error" in record:
        return False, f"gives {found!r}, wanted an error"
    difference = same(record["expect"], found)
    return not difference, difference


def json_patch_value(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    return verdict(record, lambda: value_of(data["jsonPatch"])(Variables(data["variables"])))


def value_template(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    return verdict(record, lambda: ValueTemplate(data["template"]).value(variables_of(data["variables"])))


def template_data(record: Record, folder: Path) -> tuple[bool, str]:
    return verdict(record, lambda: variables_of(record["input"]["variables"]).template_data())


def variables_of(values: Object) -> Variables:
    """Variables; a text that is no JSON fails as it does where variables are read."""
    found = {}
    for name, value in values.items():
        if isinstance(value, dict) and "$invalidJSON" in value:
            try:
                # No bytes at all are what Go writes as null.
                value = json.loads(value["$invalidJSON"] or "null")
            except ValueError as error:
                raise PatchValueError(str(error)) from None
        found[name] = value
    return Variables(found)


def enabled_if(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    return verdict(record, lambda: enabled_by(data.get("enabledIf"))(variables_of(data["variables"])))


def variable_lookup(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    try:
        found = VariablePath(data["path"]).value(data["variables"])
    except VariableError as error:
        expected = record.get("notFound")
        return "expect_error" in record and expected in (None, error.not_found), f"fails: {error}"
    return "expect" in record and json_equal(found, record["expect"]), f"gives {found!r}"


def path_segment(record: Record, folder: Path) -> tuple[bool, str]:
    def parse() -> Object:
        name, index = parse_path_segment(record["input"]["segment"])
        return {"path": name, "index": index}

    return verdict(record, parse)


def name_from_path(record: Record, folder: Path) -> tuple[bool, str]:
    return verdict(record, lambda: variable_name(record["input"]["variable"]))


def name_template(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    suffix = stable_suffix(record["id"])
    return verdict(record, lambda: NamingTemplate(data["template"]).name(data["data"], suffix))


def matching(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    item = data["item"]
    builtin = data["templateVariables"].get("builtin")
    request_item = RequestItem("1", "", item["holderReference"], item["object"], {}, builtin)
    return verdict(record, lambda: matches(request_item, data["selector"]))


def json_patch_generator(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    shared = named_values(data["request"]["variables"])
    items = []
    for item in data["request"]["items"]:
        own = named_values(item.get("variables"))
        builtin = own.pop("builtin", None)
        items.append(RequestItem(item["uid"], "", item["holderReference"], item["object"], own, builtin))
    request = Request(items, shared, shared.get("builtin") or {})

    def generate() -> Object:
        answers = InlinePatch(data["patch"]).generate(request, None, NoExtensions())
        return {
            "status": "",
            "items": [{"uid": item.uid, "patchType": kind, "patch": patch} for item, kind, patch in answers],
        }

    record["expect"].setdefault("status", "")
    for item in record["expect"].get("items", []):
        if isinstance(item.get("patch"), str):
            item["patch"] = json.loads(item["patch"])
    return verdict(record, generate)


def builtin_variables(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    names = frozenset(data["definitionsForPatch"])
    topology, scope = data["topology"], data["scope"]
    if scope == "global":
        request = Request(
            [], named_values(topology.get("variables")), {"cluster": cluster_builtin(data["cluster"])}
        )
        found = request.variables_for(names)
    else:
        if scope == "controlPlane":
            machines = data["infrastructureMachineTemplate"]
            builtin = {"controlPlane": control_plane_builtin(topology, data["controlPlane"], machines)}
        elif scope == "machineDeployment":
            builtin = {scope: worker_builtin(
                topology, data[scope], data["bootstrapTemplate"], data["infrastructureMachineTemplate"])}  # fmt: skip
        else:
            builtin = {scope: worker_builtin(
                topology, data[scope], data["bootstrapObject"], data["infrastructureMachinePoolObject"])}  # fmt: skip
        overrides = named_values(find(topology, ("variables", "overrides")))
        found = item_variables(RequestItem("1", "", {}, {}, overrides, builtin), names)
    return verdict(record, lambda: [{"name": name, "value": value} for name, value in found.items()])


def mhc_resolution(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    blueprint = data["blueprint"]
    check = data["check"]
    if "MachineDeployment" in check:
        topology = data["mdTopology"].get("healthCheck") or {}
        own = blueprint["MachineDeployments"][data["mdTopology"]["class"]].get("HealthCheck") or {}
        enabled = healthcheck.is_enabled(own, topology)
    else:
        topology = find(blueprint, ("Topology", "controlPlane", "healthCheck"), {})
        own = find(blueprint, ("ClusterClass", "spec", "controlPlane", "healthCheck"))
        own = own or find(blueprint, ("ControlPlane", "HealthCheck"), {})
        machines = find(blueprint, ("ClusterClass", "spec", "controlPlane", "machineInfrastructure"))
        enabled = bool(machines) and healthcheck.is_enabled(own, topology)
    if check.startswith("Is"):
        return enabled is record["expect"], f"gives {enabled}"
    checks, remediation = healthcheck.resolved(own, topology)
    return verdict(record, lambda: {"wantChecks": checks, "wantRemediation": remediation})


def upgrade_plan(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    source: PlanSource = one_minor
    if data["function"] == "clusterclass_versions":
        source = from_class_versions(data["clusterClassVersions"])

    def plan() -> Object:
        control_plane, workers = source(data["desiredVersion"], data["currentControlPlaneVersion"], "")
        return {
            "wantControlPlaneUpgradePlan": control_plane or None,
            "wantWorkersUpgradePlan": workers or None,
        }

    return verdict(record, plan)


def upgrade_deferred(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    workers = data["topology"]["workers"]
    topologies = workers.get("machineDeployments") or workers.get("machinePools")
    return verdict(record, lambda: is_deferred(topologies, data["worker"]))


def ref_api_version(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    return verdict(
        record, lambda: reference_with_api_version(data.get("currentRef"), data["desiredReferencedObject"])
    )


_HOOKS = {
    "beforeClusterUpgradeResponse": "BeforeClusterUpgrade",
    "beforeControlPlaneUpgradeResponse": "BeforeControlPlaneUpgrade",
    "beforeWorkersUpgradeResponse": "BeforeWorkersUpgrade",
    "afterWorkersUpgradeResponse": "AfterWorkersUpgrade",
}


def version_computation(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    tracker = UpgradeTracker()
    blocking = {hook for field, hook in _HOOKS.items() if find(data, (field, "retryAfterSeconds"), 0)}
    if data.get("afterControlPlaneUpgradeHookBlocking"):
        blocking.add("AfterControlPlaneUpgrade")
    if data.get("beforeWorkersUpgradeHookBlocking"):
        blocking.add("BeforeWorkersUpgrade")
    # The change that a test makes to its Cluster stands only in the name of the case.
    if record["source"].endswith("BeforeClusterUpgradeHook annotation is set"):
        blocking |= blocking_hooks({"before-upgrade.hook.cluster.cluster.x-k8s.io/test": "true"})
    tracker.blocking = frozenset(blocking)
    deployments, pools = tracker.machine_deployments, tracker.machine_pools
    deployments.upgrading = list(data.get("upgradingMachineDeployments") or ())
    pools.upgrading = list(data.get("upgradingMachinePools") or ())

    def work() -> Object:
        if any(find(data, (field, "status")) == "Failure" for field in _HOOKS):
            raise TopologyError("a hook answers Failure")
        if data["function"] == "version_control_plane":
            return control_plane()
        return worker()

    def control_plane() -> Object:
        tracker.plan = data.get("controlPlaneUpgradePlan") or []
        deployments.plan = data.get("machineDeploymentsUpgradePlan") or []
        pools.plan = data.get("machinePoolsUpgradePlan") or []
        version = control_plane_version(tracker, data.get("controlPlaneObj"), data["topologyVersion"])
        found = {
            "expectedVersion": version,
            "expectedIsPendingUpgrade": tracker.is_pending_upgrade,
            "expectedIsStartingUpgrade": tracker.is_starting_upgrade,
            "expectedIsWaitingForWorkersUpgrade": tracker.is_waiting_for_workers,
        }
        return {key: found[key] for key in record["expect"]}

    def worker() -> Object:
        tracker.is_pending_upgrade = bool(data.get("controlPlanePendingUpgrade"))
        tracker.is_upgrading = bool(data.get("controlPlaneUpgrading"))
        tracker.is_starting_upgrade = bool(data.get("controlPlaneStartingUpgrade"))
        tracker.is_provisioning = bool(data.get("controlPlaneProvisioning"))
        tracker.is_waiting_for_workers = bool(data.get("controlPlaneWaitingForWorkersUpgrade"))
        deployment = data["function"] == "version_machine_deployment"
        workers = deployments if deployment else pools
        workers.plan = data.get("upgradePlan") or []
        workers.concurrency = data.get("upgradeConcurrency", 1)
        prefix = "MachineDeployment" if deployment else "MachinePool"
        topology = data.get("machine" + prefix[7:] + "Topology") or {}
        current = find(data, (f"current{prefix}State", "Object"))
        version = worker_version(
            tracker, workers, prefix, topology, [topology], current, data["topologyVersion"]
        )
        found = {
            "expectedVersion": version,
            "expectPendingCreate": bool(workers.pending_create),
            "expectPendingUpgrade": bool(workers.pending_upgrade),
        }
        return {key: found[key] for key in record["expect"]}

    return verdict(record, work)


def by_role(state: ClusterState) -> Object:
    """The desired objects in the form of the records."""
    found: Object = {"machineDeployments": {}, "machinePools": {}}
    for role, item in state.objects():
        target = found
        *parts, last = role.split("/")
        for part in parts:
            target = target.setdefault(part, {})
        target[last] = item
    return found


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
    "builtin_variables.jsonl": builtin_variables,
    "desired_state.jsonl": desired,
    "enabled_if.jsonl": enabled_if,
    "json_patch_generator.jsonl": json_patch_generator,
    "json_patch_value.jsonl": json_patch_value,
    "matching.jsonl": matching,
    "mhc_resolution.jsonl": mhc_resolution,
    "name_template.jsonl": name_template,
    "patch_apply.jsonl": patch_apply,
    "ref_api_version.jsonl": ref_api_version,
    "template_data.jsonl": template_data,
    "upgrade_deferred.jsonl": upgrade_deferred,
    "upgrade_plan.jsonl": upgrade_plan,
    "value_template.jsonl": value_template,
    "variable_lookup.jsonl": variable_lookup,
    "variable_name_from_path.jsonl": name_from_path,
    "variable_path_segment.jsonl": path_segment,
    "version_computation.jsonl": version_computation,
}
