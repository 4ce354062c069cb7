"""The contract of extensions: each broken one is found, by the rule it breaks, and a sound one passes."""

from __future__ import annotations

import json
import time
from base64 import b64encode
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.services.extension.client import CallError
from krmkit.services.extension.contract import check_contract
from krmkit.services.extension.contractreport import ContractReport
from krmkit.services.extension.samples import of_our_own
from krmkit.services.extension.variablecontract import DefinedVariables

API = "hooks.runtime.cluster.x-k8s.io/v1alpha1"
VARIABLE = {"name": "mirror", "required": False, "schema": {"openAPIV3Schema": {"type": "string"}}}
ADD = [{"op": "add", "path": "/spec/template/spec/mirror", "value": "m"}]


def wire(patch: Any) -> str:
    return b64encode(json.dumps(patch).encode()).decode()


class Sound:
    """A sound extension with one handler of each hook; a broken one replaces a method."""

    handlers = ("generate-patches-test", "validate-topology-test", "discover-variables-test")

    def call(self, path: str, body: bytes, seconds: float) -> bytes:
        hook = path.split("/")[3]
        try:
            request = json.loads(body)
        except ValueError as error:
            return json.dumps({"status": "Failure", "message": str(error)}).encode()
        if hook == "discovery":
            return self.text(self.discovery())
        if hook == "generatepatches":
            return self.text(self.generate(request))
        return self.text(self.validate(request) if hook == "validatetopology" else self.discover())

    def text(self, answer: Any) -> bytes:
        return json.dumps(answer).encode()

    def discovery(self) -> Object:
        hooks = ("GeneratePatches", "ValidateTopology", "DiscoverVariables")
        return {
            "status": "Success",
            "handlers": [
                {"name": name, "requestHook": {"apiVersion": API, "hook": hook}}
                for name, hook in zip(self.handlers, hooks, strict=True)
            ],
        }

    def generate(self, request: Object) -> Object:
        items = [self.item(one) for one in request["items"]]
        return {"status": "Success", "items": items}

    def item(self, one: Object) -> Object:
        known = one["object"]["kind"] == "DevClusterTemplate"
        done = known and "mirror" in one["object"]["spec"]["template"]["spec"]
        return {"uid": one["uid"], "patchType": "JSONPatch", "patch": wire(ADD if known and not done else [])}

    def validate(self, request: Object) -> Object:
        return {"status": "Success"}

    def discover(self) -> Object:
        return {"status": "Success", "variables": [VARIABLE]}


def check(caller: Any, **options: Any) -> ContractReport:
    return check_contract(caller, of_our_own([VARIABLE]), **options)


def test_a_sound_extension() -> None:
    """No violation and no warning; each handler was timed."""
    report = check(Sound())

    assert not report.findings
    assert report.handlers == 3
    assert [name for name, *_ in report.times] == list(Sound.handlers)


@pytest.mark.parametrize("kind", ["JSONPatch", "JSONMergePatch"])
def test_labels_of_templates_may_be_patched(kind: str) -> None:
    """A controller takes labels and annotations of templates as it takes spec."""
    add = [{"op": "add", "path": "/metadata/labels/team", "value": "x"}]
    merge = {"metadata": {"labels": {"team": "x"}, "annotations": {"note": "y"}}}

    class Labels(Sound):
        def item(self, one: Object) -> Object:
            done = "team" in one["object"]["metadata"].get("labels", {})
            patch = ([] if done else add) if kind == "JSONPatch" else ({} if done else merge)
            return {"uid": one["uid"], "patchType": kind, "patch": wire(patch)}

    assert check(Labels()).violations == 0


def patching(
    patch: Any, kind: str = "JSONPatch", uid: str = "", on: str = ""
) -> Callable[[Sound, Object], Object]:
    """Answers each template with the patch; only those of the kind `on` where it is given."""

    def item(self: Sound, one: Object) -> Object:
        if on and one["object"]["kind"] != on:
            return {"uid": one["uid"], "patchType": kind, "patch": wire([])}
        return {"uid": uid or one["uid"], "patchType": kind, "patch": patch}

    return item


NUMBERS = count()


def numbered(self: Sound, request: Object) -> Object:
    return {"status": "Failure", "message": f"call {next(NUMBERS)} failed"}


def forgetful(self: Sound, request: Object) -> Object:
    answer = Sound.generate(self, request)
    done = all(one["patch"] == wire([]) for one in answer["items"])
    return {**answer, "items": [1]} if done else answer


def slow(self: Sound, request: Object) -> Object:
    time.sleep(0.03)
    return {"status": "Success"}


def picky(self: Sound, request: Object) -> Object:
    unknown = any(one["object"]["kind"] == "StrangeTemplate" for one in request["items"])
    return {"status": "Failure", "message": "unknown kind"} if unknown else {"status": "Success"}


def demanding(self: Sound, request: Object) -> Object:
    if not any(one["name"] == "mirror" for one in request.get("variables") or []):
        raise CallError("failed to make the http call: got non-200 response: 500: panic")
    return {"status": "Success"}


def cut_off(self: Sound, path: str, body: bytes, seconds: float) -> bytes:
    if not body:
        raise CallError("failed to make the http call: connection reset")
    return Sound.call(self, path, body, seconds)


def discovering(**fields: Any) -> Callable[[Sound], Object]:
    def discovery(self: Sound) -> Object:
        answer = Sound.discovery(self)
        answer["handlers"][0].update(fields)
        return answer

    return discovery


def answering(answer: Any) -> Callable[..., Any]:
    return lambda self, *_: answer


BROKEN: list[tuple[str, str, dict[str, Any]]] = [
    ("a number in each message", "not-deterministic", {"generate": numbered}),
    ("a patch that is no base64", "patch-encoding", {"item": patching("[{]")}),
    ("base64 of no JSON", "patch-encoding", {"item": patching("bm8=")}),
    ("a patch as it is, without base64", "patch-encoding", {"item": patching(ADD)}),
    ("an object as JSONPatch", "patch-encoding", {"item": patching(wire({"a": 1}))}),
    ("a uid of no template", "unknown-uid", {"item": patching(wire([]), uid="other")}),
    ("a patch type of its own", "patch-type", {"item": patching(wire([]), kind="StrategicMerge")}),
    ("a patch that does not apply", "patch-fails", {"item": patching(wire([{"op": "remove", "path": "/spec/no"}]))}),
    ("the name of a template", "protected", {"item": patching(wire([{"op": "replace", "path": "/metadata/name", "value": "x"}]))}),
    (
        "labels that the topology sets",
        "protected",
        {"item": patching(wire([{"op": "add", "path": "/spec/template/metadata/labels", "value": {}}]))},
    ),
    ("a merge patch of a name", "protected", {"item": patching(wire({"metadata": {"name": "x"}}), kind="JSONMergePatch")}),
    (
        "the version that the topology sets",
        "protected",
        {"item": patching(wire([{"op": "add", "path": "/spec/template/spec/version", "value": "v1"}]), on="KubeadmControlPlaneTemplate")},
    ),
    ("operations that are no maps", "patch-encoding", {"item": patching(wire(["x"]))}),
    ("the same patch again and again", "not-idempotent", {"item": patching(wire(ADD))}),
    ("items that are none, where all is patched", "items", {"generate": forgetful}),
    ("a call that takes too long", "slow", {"validate": slow}),
    ("a status of its own", "status", {"validate": answering({"status": "OK"})}),
    ("no status", "status", {"validate": answering({})}),
    ("a failure without a message", "message", {"validate": answering({"status": "Failure"})}),
    ("an answer that is a list", "undecodable", {"validate": answering([])}),
    ("no JSON", "undecodable", {"text": answering(b"<html>")}),
    ("a kind that it does not know", "unknown-kind", {"validate": picky}),
    ("a panic without a variable", "no-answer", {"validate": demanding}),
    ("an empty request", "robustness", {"call": cut_off}),
    ("a name with capital letters", "discovery", {"discovery": discovering(name="Generate")}),
    ("a name twice", "discovery", {"discovery": discovering(name="validate-topology-test")}),
    ("a hook that is unknown", "discovery", {"discovery": discovering(requestHook={"apiVersion": API, "hook": "Patch"})}),
    ("no handlers", "discovery", {"discovery": answering({"status": "Success"})}),
    ("a schema that is none", "variables", {"discover": answering({"status": "Success", "variables": [{"name": "v", "schema": {"openAPIV3Schema": {"type": "text"}}}]})}),
    ("a variable twice", "variables", {"discover": answering({"status": "Success", "variables": [VARIABLE, VARIABLE]})}),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "methods"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_broken_extensions(rule: str, methods: dict[str, Any]) -> None:
    """The rule that an extension breaks is among the violations."""
    broken = type("Broken", (Sound,), methods)()

    report = check(broken, guideline=0.02 if rule == "slow" else 10.0)

    assert rule in {found for severity, _, found, _ in report.findings if severity == "violation"}, (
        report.findings
    )


@pytest.mark.parametrize(
    ("rule", "methods", "recorded"),
    [
        (
            "generic-name",
            {"handlers": ("patches", "validate-topology-a", "discover-variables-a")},
            [],
        ),
        ("changed-variable", {}, [{"variables": [{"name": "gone", "schema": {}}]}]),
        ("changed-variable", {}, [{"variables": [{**VARIABLE, "required": True}]}]),
        ("failure-policy", {"discovery": discovering(failurePolicy="Ignore")}, []),
        (
            "generic-variable",
            {"discover": answering({"status": "Success", "variables": [{**VARIABLE, "name": "version"}]})},
            [],
        ),
        ("failure", {"generate": answering({"status": "Failure", "message": "no"})}, []),
    ],
)
def test_warnings(rule: str, methods: dict[str, Any], recorded: list[Object]) -> None:
    """What may be meant is a warning, and no violation."""
    report = check(type("Odd", (Sound,), methods)(), recorded=recorded)

    assert [(severity, found) for severity, _, found, _ in report.findings] == [("warning", rule)], (
        report.findings
    )


class OddDiscovery(Sound):
    def discovery(self) -> Object:
        hooks: list[Any] = [[1], {"apiVersion": API, "hook": 1}, {"apiVersion": API}, "x"]
        return {"status": "Success", "handlers": [{"name": "a", "requestHook": one} for one in hooks]}


class OddHandlers(Sound):
    def discovery(self) -> Object:
        return {"status": "Success", "handlers": 1}


class OddItems(Sound):
    def generate(self, request: Object) -> Object:
        return {"status": "Success", "items": 1}


class OddSchema(Sound):
    def discover(self) -> Object:
        return {"status": "Success", "variables": [{"name": "v", "schema": ["x"]}]}


@pytest.mark.parametrize(
    ("odd", "rule", "message"),
    [
        (OddDiscovery, "discovery", "requestHook must be a map, got list"),
        (OddHandlers, "discovery", "handlers must be a list"),
        (OddItems, "items", "items must be a list, got int"),
        (OddSchema, "variables", "the schema of a variable must be a map"),
    ],
)
def test_answers_of_another_shape(odd: type[Sound], rule: str, message: str) -> None:
    """They are findings, whatever is in the place of a list or a map."""
    found = check(odd()).findings

    assert any(one[2] == rule and message in one[3] for one in found), found


@pytest.mark.parametrize(
    "schema",
    ["text", ["a"], 7, {"enum": {"a": 1}}, {"type": "object", "properties": ["a"]},
     {"type": "object", "properties": {"a": "text"}}],
)  # fmt: skip
def test_definitions_of_a_wrong_type(schema: object) -> None:
    """The test reports them, and goes on with a sample value; recorded definitions make no difference."""
    definition = {"name": "mirror", "required": False, "schema": {"openAPIV3Schema": schema}}
    report = ContractReport()
    before = {"name": "mirror", "schema": {"openAPIV3Schema": {"type": "object", "properties": {"a": {}}}}}

    DefinedVariables(report).take("h", {"variables": [definition]}, [{"variables": [before]}])

    assert {rule for _, _, rule, _ in report.findings} == {"variables"}
    (request,) = of_our_own([definition])
    assert [one["name"] for one in request["variables"]] == ["mirror", "builtin"]
