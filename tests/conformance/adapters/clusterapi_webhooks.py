"""Records of the webhooks, judged by the engines that the functions call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from json import loads
from pathlib import Path
from typing import Any

from krmkit.libraries.json.patch import patched
from krmkit.libraries.kube.fielderror import FieldError, aggregate
from krmkit.systems.clusterapi.api.features import FeatureGates
from krmkit.systems.clusterapi.api.gotypes import part_of
from krmkit.systems.clusterapi.api.objects import V1BETA2, decode_cluster, decode_cluster_class
from krmkit.systems.clusterapi.webhooks import compatibility
from krmkit.systems.clusterapi.webhooks.cluster import Surroundings, class_key, validate_cluster
from krmkit.systems.clusterapi.webhooks.clusterclass import validate_class, validate_class_for_clusters
from krmkit.systems.clusterapi.webhooks.common import validate_autoscaler
from krmkit.systems.clusterapi.webhooks.patches import Targets, validate_patches
from krmkit.systems.clusterapi.webhooks.versionupdate import CurrentState

Record = dict[str, Any]
Judge = Callable[[Record, Path], tuple[bool, str]]

DEPLOYMENT_NAME = "topology.cluster.x-k8s.io/deployment-name"
POOL_NAME = "topology.cluster.x-k8s.io/pool-name"
ALL_ON = FeatureGates(machine_taint_propagation=True, runtime_sdk=True)


@cache
def class_file(folder: Path, name: str) -> Record:
    """A published class with what the reference makes of it."""
    found: Record = loads((folder / "render_real_classes" / f"{name}.json").read_text("utf-8"))
    return found


def cluster_class(data: Record | None) -> Record:
    """A class of the reference's own tests, which leave the type out."""
    decoded, problems = decode_cluster_class({"apiVersion": V1BETA2, "kind": "ClusterClass", **(data or {})})
    assert all(problem.unknown for problem in problems), problems
    return decoded


def cluster(data: Record | None) -> Record:
    """A Cluster of the reference's own tests."""
    decoded, problems = decode_cluster({"apiVersion": V1BETA2, "kind": "Cluster", **(data or {})})
    assert all(problem.unknown for problem in problems), problems
    return decoded


def accepted(errors: Sequence[object], record: Record) -> tuple[bool, str]:
    """Whether the outcome is the one that the record names: `ok`, any error, or an error that contains a text."""
    text = "; ".join(map(str, errors))
    wanted = record.get("expect_error")
    if not wanted:
        return not errors, f"refused: {text}"
    if isinstance(wanted, str) and wanted not in text:
        return False, f"wanted {wanted!r}, got {text!r}"
    return bool(errors), f"accepted, wanted {wanted!r}"


def same_errors(errors: Sequence[FieldError], wanted: list[Record]) -> tuple[bool, str]:
    """Whether the errors are the wanted ones, in any order: type, field and exact text."""
    got = Counter((error.type, error.field, error.body()) for error in errors)
    want = Counter((one["type"], one["field"], one["contains"]) for one in wanted)
    return got == want, f"unwanted {list((got - want).elements())}, missing {list((want - got).elements())}"


def compatibility_record(record: Record, folder: Path) -> tuple[bool, str]:
    given = record["input"]
    check = given["check"]
    known: dict[str, Callable[[], list[FieldError]]] = {
        "ClusterClassTemplateAreCompatible": lambda: compatibility.template_are_compatible(
            given["current"], given["desired"], "spec"
        ),
        "ClusterClassTemplateIsValid": lambda: compatibility.template_is_valid(
            given["templateRef"] or {}, "spec"
        ),
        "ClusterClassTemplatesAreValid": lambda: compatibility.templates_are_valid(
            cluster_class(given["clusterClass"])
        ),
        "ClusterClassesAreCompatible": lambda: compatibility.classes_are_compatible(
            cluster_class(given["current"]) if given["current"] else None,
            cluster_class(given["desired"]) if given["desired"] else None,
        ),
    }
    if check in known:
        return accepted(known[check](), record)
    kind = compatibility.MACHINE_POOLS if "Pool" in check else compatibility.MACHINE_DEPLOYMENTS
    if check.endswith("ClassesAreCompatible"):
        old, new = cluster_class(given["current"]), cluster_class(given["desired"])
        return accepted(compatibility.worker_classes_are_compatible(old, new, kind), record)
    owner = cluster_class(given["clusterClass"])
    if check.endswith("ClassesAreUnique"):
        return accepted(compatibility.worker_classes_are_unique(owner, kind), record)
    return accepted(compatibility.worker_topologies_are_valid(cluster(given["cluster"]), owner, kind), record)


def class_validation_record(record: Record, folder: Path) -> tuple[bool, str]:
    if record.get("unreachable_from_json"):
        return True, ""
    if "$invalidJSON" in str(record["input"]):
        return bool(record.get("expect_error")), "a value that is not JSON never arrives as a value"
    given = record["input"]
    check = given["check"]
    new = cluster_class(given["clusterClass"])
    if check == "patches":
        gates = FeatureGates(runtime_sdk=bool(given.get("runtimeSDK")))
        return accepted(validate_patches(new, gates), record)
    if check == "selector":
        problems: list[Any] = []
        selector = (
            part_of("ClusterClass", "spec", "patches", "definitions", "selector").decode(
                given["selector"], "selector", problems
            )
            or {}
        )
        return accepted(Targets(new.get("spec") or {}).validate(selector, "selector"), record)
    clusters = [cluster(one) for one in given.get("clusters") or ()]
    if check == "autoscalerAnnotations":
        return accepted([error for one in clusters for error in validate_autoscaler(one, new)], record)
    old = cluster_class(given["oldClusterClass"]) if given["oldClusterClass"] else None
    errors = validate_class(new, old, ALL_ON)
    if old is not None:
        errors += validate_class_for_clusters(new, old, clusters)
    return accepted(errors, record)


def class_real_record(record: Record, folder: Path) -> tuple[bool, str]:
    known = class_file(folder, record["class"])
    given = record["input"]
    old = cluster_class(known["expect"]["clusterClassV1beta2"])
    new = cluster_class(patched(given["mutate"], known["expect"]["clusterClassV1beta2"]))
    gates = FeatureGates(machine_taint_propagation=True, runtime_sdk=bool(known.get("runtimeSDK")))
    if given["check"] == "create":
        return same_errors(validate_class(new, None, gates), record["expect_errors"])
    errors = validate_class(new, old, gates)
    errors += validate_class_for_clusters(new, old, [cluster(one) for one in given.get("clusters") or ()])
    passed, detail = same_errors(errors, record["expect_errors"])
    texts = [str(error) for error in compatibility.classes_are_compatible(old, new)]
    if texts != record["compatibility"]:
        return False, f"compatibility {texts}, wanted {record['compatibility']}"
    return passed, detail


def current_state(objects: list[Record]) -> CurrentState:
    """The objects of a topology, distinguished by their labels: the reference's tests leave kinds out."""
    plane: Record | None = None
    deployments, pools, machines = [], [], []
    for one in objects:
        labels = one.get("metadata", {}).get("labels", {})
        if one.get("kind") == "Machine":
            machines.append(one)
        elif DEPLOYMENT_NAME in labels:
            deployments.append(one)
        elif POOL_NAME in labels:
            pools.append(one)
        elif "ControlPlane" in one.get("kind", ""):
            plane = one
    return CurrentState(plane, deployments, pools, machines)


def cluster_validation_record(record: Record, folder: Path) -> tuple[bool, str]:
    given = record["input"]
    check = given["check"]
    if check == "autoscalerAnnotations":
        owner = cluster_class(given["clusterClass"]) if "clusterClass" in given else None
        return accepted(validate_autoscaler(cluster(given["cluster"]), owner), record)
    around = Surroundings(ALL_ON, None)
    old = None
    if check == "classChange":
        old = cluster(given["cluster"])
        second = given["secondClass"]
        around.old_class, around.cluster_class = cluster_class(given["firstClass"]), cluster_class(second)
        new = cluster(given["cluster"])
        new["spec"]["topology"]["classRef"]["name"] = second["metadata"]["name"]
    elif check == "managedUnmanaged":
        old = cluster(given["cluster"])
        # The reference's test gives both states a control plane, so that they are Clusters without a topology, too.
        reference = {"controlPlaneRef": {"apiGroup": "g", "kind": "K", "name": "n"}}
        metadata, topology = given["cluster"]["metadata"], given["updatedTopology"]
        spec = {**reference, "topology": topology} if topology else reference
        new = cluster({"metadata": metadata, "spec": spec})
        around.cluster_class = cluster_class(given["clusterClass"])
    else:
        new = cluster(given.get("in") or given["cluster"])
        old = cluster(given["old"]) if given.get("old") else None
        owner = given.get("clusterClass") or given.get("class")
        if owner:
            extended = dict(owner.get("spec") or {})
            if given.get("clusterClassVersions"):
                extended["kubernetesVersions"] = given["clusterClassVersions"]
            if given.get("generateUpgradePlanExtension"):
                external = {"generateUpgradePlanExtension": given["generateUpgradePlanExtension"]}
                extended["upgrade"] = {"external": external}
            around.cluster_class = cluster_class({**owner, "spec": extended})
        around.reconciled = given.get("classReconciled", True)
        around.state = current_state(given.get("additionalObjects") or [])
        if "ClusterTopology feature flag" in given.get("expectErrStr", ""):
            around.features = FeatureGates(cluster_topology=False)
    known = around.cluster_class
    if known is not None and class_key(new)[1] != known["metadata"]["name"]:
        around.cluster_class = None
    errors, warnings = validate_cluster(new, old, around)
    if record.get("expectWarning") is not None and bool(warnings) != record["expectWarning"]:
        return False, f"warnings {warnings}"
    passed, detail = accepted(errors, record)
    if passed and "expectErrStr" in given and given["expectErrStr"] not in aggregate(errors):
        return False, f"wanted {given['expectErrStr']!r}, got {aggregate(errors)!r}"
    return passed, detail


FILES: dict[str, Judge] = {
    "class_real.jsonl": class_real_record,
    "cluster_validation.jsonl": cluster_validation_record,
    "clusterclass_validation.jsonl": class_validation_record,
    "compatibility.jsonl": compatibility_record,
}
