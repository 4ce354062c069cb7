"""Patches: selection, variables and values, judged by the engines that the functions call."""

from __future__ import annotations

import json
from functools import reduce
from pathlib import Path

from krmkit.libraries.json import Object
from krmkit.libraries.json.equal import json_equal
from krmkit.libraries.schema.fields import find
from krmkit.systems.clusterapi.api.errors import PatchValueError
from krmkit.systems.clusterapi.api.names import NamingTemplate, stable_suffix
from krmkit.systems.clusterapi.api.roles import NO_ROLE
from krmkit.systems.clusterapi.model.extensions import NoExtensions
from krmkit.systems.clusterapi.patches.inline import InlinePatch
from krmkit.systems.clusterapi.patches.lookup import VariablePath, parse_path_segment
from krmkit.systems.clusterapi.patches.request import (
    Request,
    RequestItem,
    item_variables,
    matches,
    merge_variables,
)
from krmkit.systems.clusterapi.patches.values import ValueTemplate, Variables, enabled_by, value_of
from krmkit.systems.clusterapi.patches.variables import (
    cluster_builtin,
    control_plane_builtin,
    named_values,
    worker_builtin,
)
from krmkit.systems.clusterapi.webhooks.patches import variable_name
from tests.conformance.adapters import _clusterapi_served as served
from tests.conformance.adapters._clusterapi_served import both
from tests.conformance.adapters._clusterapi_topology import Judge, Record, verdict


def json_patch_value(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    return verdict(record, lambda: value_of(data["jsonPatch"])(Variables(data["variables"])))


def value_template(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    return verdict(record, lambda: ValueTemplate(data["template"]).value(variables_of(data["variables"])))


def variable_merge(record: Record, folder: Path) -> tuple[bool, str]:
    return verdict(record, lambda: reduce(merge_variables, record["input"]["maps"]))


def template_data(record: Record, folder: Path) -> tuple[bool, str]:
    return verdict(record, lambda: variables_of(record["input"]["variables"]).template_data())


def variables_of(values: Object) -> Variables:
    """Variables; a text that is not JSON fails as it does where variables are read."""
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
    except PatchValueError as error:
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
    request_item = RequestItem("1", NO_ROLE, item["holderReference"], item["object"], {}, builtin)
    return verdict(record, lambda: matches(request_item, data["selector"]))


def json_patch_generator(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    shared = named_values(data["request"]["variables"])
    items = []
    for item in data["request"]["items"]:
        own = named_values(item.get("variables"))
        builtin = own.pop("builtin", None)
        items.append(RequestItem(item["uid"], NO_ROLE, item["holderReference"], item["object"], own, builtin))
    request = Request(items, shared, shared.get("builtin") or {})

    def generate() -> Object:
        answers = InlinePatch(data["patch"]).generate(request, None, NoExtensions())
        return {
            "status": "",
            "items": [
                {"uid": item.uid, "patchType": kind, "patch": patch} for item, kind, patch, _ in answers
            ],
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
        found = item_variables(RequestItem("1", NO_ROLE, {}, {}, overrides, builtin), names)
    return verdict(record, lambda: [{"name": name, "value": value} for name, value in found.items()])


FILES: dict[str, Judge] = {
    "builtin_variables.jsonl": builtin_variables,
    "enabled_if.jsonl": both(enabled_if, served.enabled_if),
    "json_patch_generator.jsonl": both(json_patch_generator, served.json_patch_generator),
    "json_patch_value.jsonl": both(json_patch_value, served.json_patch_value),
    "matching.jsonl": both(matching, served.matching),
    "name_template.jsonl": name_template,
    "template_data.jsonl": both(template_data, served.template_data),
    "value_template.jsonl": both(value_template, served.value_template),
    "variable_lookup.jsonl": both(variable_lookup, served.variable_lookup),
    "variable_merge.jsonl": both(variable_merge, served.variable_merge),
    "variable_name_from_path.jsonl": name_from_path,
    "variable_path_segment.jsonl": path_segment,
}
