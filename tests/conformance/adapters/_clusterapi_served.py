"""Patch records as a server of extensions answers them: a record becomes a TopologyExtension, and the body of a request to it.

An extension that is refused on reading is an error, too: it cannot be served.
"""

from __future__ import annotations

import json
from base64 import b64decode
from copy import deepcopy
from pathlib import Path
from typing import Any

from krmkit.libraries.json import Object
from krmkit.libraries.json.patch import patched
from krmkit.libraries.json.text import JsonError
from krmkit.services.extension.client import LocalCaller
from krmkit.services.extension.live import GROUP, VERSION, LiveExtensions, Recorder
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.extension import Extension, Templates
from krmkit.systems.clusterapi.hooks.extensionconfig import hook_path
from krmkit.systems.clusterapi.hooks.extensionitems import PackageExtensions
from krmkit.systems.clusterapi.hooks.serving import Served
from krmkit.systems.clusterapi.hooks.topologyextension import TopologyExtension
from krmkit.systems.clusterapi.model.extensions import (
    GENERATE_PATCHES,
    HOOKS_VERSION,
    VALIDATE_TOPOLOGY,
    NoExtensions,
)
from krmkit.systems.clusterapi.patches.request import wire_variables
from tests.conformance.adapters._clusterapi_topology import Judge, Record, same, verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.systems.clusterapi.hooks.serving import HookExtension

CONFIG = "served"
HANDLER = "record"
API_VERSION, KIND = "infrastructure.cluster.x-k8s.io/v1beta2", "RecordTemplate"
SELECTOR: Object = {
    "apiVersion": API_VERSION,
    "kind": KIND,
    "matchResources": {"infrastructureCluster": True},
}
HOLDER = {"kind": "Cluster", "namespace": "default", "name": "record", "fieldPath": "spec.infrastructureRef"}
TEMPLATE: Object = {"apiVersion": API_VERSION, "kind": KIND, "spec": {}}
ADDED = "/spec/value"


def both(direct: Judge, served: Judge) -> Judge:
    """A record passes where the engine gives what it should, and the server does."""

    def judge(record: Record, folder: Path) -> tuple[bool, str]:
        passed, detail = direct(deepcopy(record), folder)
        return served(record, folder) if passed else (passed, detail)

    return judge


class RefusedError(TopologyError):
    """An extension that cannot be served."""


def extension_of(patches: list[Object], handler: str = HANDLER) -> TopologyExtension:
    """A TopologyExtension with the patches of a record. Raises RefusedError."""
    listed = [{"name": handler, "patches": patches}]
    found = TopologyExtension({"metadata": {"name": CONFIG}, "spec": {"handlers": listed}})
    if found.problems:
        raise RefusedError("; ".join(f"{field}: {text}" for field, text in found.problems))
    return found


def asked(patch: Object, body: str) -> Object:
    """The answer to a request, its patches decoded. Raises TopologyError for a failure."""
    path = hook_path(GROUP, VERSION, GENERATE_PATCHES, f"generate-patches-{HANDLER}")
    status, text = Served([extension_of([patch])]).respond(path, body.encode())
    answer: Object = json.loads(text)
    if status != 200 or answer["status"] != "Success":
        raise TopologyError(f"{status}: {answer.get('message')}")
    for item in answer["items"]:
        item["patch"] = json.loads(b64decode(item["patch"]))
    return answer


def body_of(variables: str, items: list[Object] | None = None) -> str:
    """The text of a request; `variables` is text, as records hold some that are not JSON."""
    listed = items or [{"uid": "1", "holderReference": HOLDER, "object": TEMPLATE}]
    head = f'{{"apiVersion": "{HOOKS_VERSION}", "kind": "{GENERATE_PATCHES}Request"'
    return f'{head}, "variables": {variables}, "items": {json.dumps(listed)}}}'


def variables_text(values: Object) -> str:
    """Variables as they go over the wire; no bytes at all are what Go writes as null."""
    texts = []
    for name, value in values.items():
        raw = value.get("$invalidJSON") if isinstance(value, dict) else None
        texts.append(
            f'{{"name": {json.dumps(name)}, "value": {json.dumps(value) if raw is None else raw or "null"}}}'
        )
    return f"[{', '.join(texts)}]"


def added(variables: Object, operation: Object, **patch: Any) -> Any:
    """The value that a patch adds to the one template of a request, None where it adds none."""
    change = {"selector": SELECTOR, "jsonPatches": [{"op": "add", "path": ADDED, **operation}]}
    answer = asked({"name": "p", "definitions": [change], **patch}, body_of(variables_text(variables)))
    operations = answer["items"][0]["patch"]
    return operations[0]["value"] if operations else None


def json_patch_value(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    return verdict(record, lambda: added(data["variables"], data["jsonPatch"]))


def value_template(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    return verdict(record, lambda: added(data["variables"], {"valueFrom": {"template": data["template"]}}))


def enabled_if(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    condition = {"enabledIf": data["enabledIf"]} if "enabledIf" in data else {}
    return verdict(record, lambda: added(data["variables"], {"value": "v"}, **condition) == "v")


def template_data(record: Record, folder: Path) -> tuple[bool, str]:
    template = {"valueFrom": {"template": "{{ toJson . }}"}}
    expected = record.get("expect", {})

    def work() -> Object:
        found: Object = added(record["input"]["variables"], template)
        # A handler sees builtin whenever there is a Cluster, and there always is one.
        return {name: found[name] for name in expected}

    return verdict(record, work)


def variable_lookup(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    return verdict(record, lambda: added(data["variables"], {"valueFrom": {"variable": data["path"]}}))


def variable_merge(record: Record, folder: Path) -> tuple[bool, str]:
    shared, own = record["input"]["maps"]
    operations = [
        {"op": "add", "path": f"/spec/{name}", "valueFrom": {"variable": name}} for name in {**shared, **own}
    ]
    patch = {"name": "p", "definitions": [{"selector": SELECTOR, "jsonPatches": operations}]}
    item = {"uid": "1", "holderReference": HOLDER, "object": TEMPLATE, "variables": wire_variables(own)}

    def work() -> Any:
        answer = asked(patch, body_of(variables_text(shared), [item]))
        return patched(answer["items"][0]["patch"], TEMPLATE)["spec"]

    return verdict(record, work)


def matching(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    change = {"selector": data["selector"], "jsonPatches": [{"op": "add", "path": ADDED, "value": "v"}]}
    item = {**data["item"], "variables": wire_variables(data["templateVariables"])}
    item["object"] = {**item["object"], "spec": {}}

    def work() -> bool:
        try:
            answer = asked({"name": "p", "definitions": [change]}, body_of("[]", [item]))
        except RefusedError as error:
            # A patch without a match cannot be served.
            if "matchResources" in str(error):
                return False
            raise
        return bool(answer["items"][0]["patch"])

    return verdict(record, work)


def json_patch_generator(record: Record, folder: Path) -> tuple[bool, str]:
    """The engine's patches and the server's diff do the same to templates that have what is replaced."""
    data = record["input"]
    expected = {item["uid"]: item["patch"] for item in record["expect"].get("items", [])}
    items = []
    for item in data["request"]["items"]:
        listed = expected.get(item["uid"], [])
        patch = json.loads(listed) if isinstance(listed, str) else listed
        expected[item["uid"]] = patch
        items.append({**item, "object": with_paths(item["object"], [one["path"] for one in patch])})
    body = body_of(json.dumps(data["request"]["variables"]), items)
    try:
        answer = asked(data["patch"], body)
        for item, answered in zip(items, answer["items"], strict=True):
            wanted = patched(expected[item["uid"]], item["object"])
            difference = same(wanted, patched(answered["patch"], item["object"]))
            if difference or answered["uid"] != item["uid"]:
                return False, f"uid {answered['uid']}: {difference}"
    except (TopologyError, JsonError) as error:
        return "expect_error" in record, f"fails: {error}"
    return "expect_error" not in record, "gives an answer"


def with_paths(template: Object, paths: list[str]) -> Object:
    """The template with something at each path, to be replaced."""
    found = deepcopy(template)
    for path in paths:
        *parents, last = path.split("/")[1:]
        inner = found
        for part in parents:
            inner = inner.setdefault(part, {})
        inner.setdefault(last, "before")
    return found


class Canned:
    """Answers each handler with what the record has for it."""

    name = CONFIG

    def __init__(self, responses: Object) -> None:
        self._responses = {handler.lower(): response for handler, response in responses.items()}

    def discovery(self) -> Object:
        return {
            "status": "Success",
            "handlers": [
                {"name": handler, "requestHook": {"apiVersion": HOOKS_VERSION, "hook": hook}}
                for handler in self._responses
                for hook in [VALIDATE_TOPOLOGY if handler.startswith("validate") else GENERATE_PATCHES]
            ],
        }

    def answer(self, hook: str, handler: str, request: Object) -> Object:
        found: Object = deepcopy(self._responses[handler])
        return found


def in_code(patch: Object) -> HookExtension:
    """The patch of a record in Python, for the fields that a TopologyExtension leaves alone."""
    extension = Extension(CONFIG)

    @extension.generate_patches(f"generate-patches-{HANDLER}")
    def change(templates: Templates) -> None:
        for definition in patch["definitions"]:
            selector = definition["selector"]
            [resource] = selector["matchResources"].items()
            for template in templates.of(selector["kind"], selector["apiVersion"]):
                if selected(resource, template.variables.get("builtin") or {}):
                    template.object = patched(definition["jsonPatches"], template.object)

    return extension


def selected(resource: tuple[str, Any], builtin: Object) -> bool:
    """Whether a template is the one that a record's matchResources names, by its own part of builtin."""
    place, value = resource
    if place == "infrastructureCluster":
        return not {"controlPlane", "machineDeployment", "machinePool"} & builtin.keys()
    if place == "controlPlane":
        return "controlPlane" in builtin
    return (builtin.get(place.removesuffix("Class")) or {}).get("class") in value["names"]


def served_patches(data: Object) -> tuple[list[Object], list[Object], LiveExtensions]:
    """A class's patches with every inline one moved out, its variables for them, and the servers that answer."""
    callers = {CONFIG: LocalCaller(Served([Canned(data["externalResponses"])]))}
    patches = []
    for number, patch in enumerate(data["patches"]):
        if "external" in patch:
            external = {field: f"{name.lower()}.{CONFIG}" for field, name in patch["external"].items()}
            patches.append({**patch, "external": external})
            continue
        try:
            extension: HookExtension = extension_of([patch])
        except RefusedError as error:
            if 'must start with "/spec"' not in str(error):
                raise
            extension = in_code(patch)
        callers[f"inline-{number}"] = LocalCaller(Served([extension]))
        external = {"generatePatchesExtension": f"generate-patches-{HANDLER}.inline-{number}"}
        patches.append({"name": patch["name"], "external": external})
    variables = deepcopy(data["statusVariables"])
    for variable in variables:
        inline = [one for one in variable["definitions"] if one["from"] == "inline"]
        variable["definitions"] += [{**one, "from": patch["name"]} for one in inline for patch in patches]
    return patches, variables, LiveExtensions(callers, PackageExtensions(NoExtensions()), Recorder())
