"""Paths and bodies of calls, and what is answered; calls recorded of a real extension, where they lie beside the project."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from krmkit.krm.errors import Refused
from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.hooks.serving import LARGEST, Served
from krmkit.systems.clusterapi.hooks.topologyextension import TopologyExtension

BASE = "/hooks.runtime.cluster.x-k8s.io/v1alpha1/"
RECORDS = Path(__file__).resolve().parents[6] / "shared/conformance/clusterapi/render_real.jsonl"
SCHEMA = {"openAPIV3Schema": {"type": "string"}}


class Odd:
    """An extension that answers what it is told."""

    def __init__(self, answer: Any) -> None:
        self.name = "odd"
        self._answer = answer

    def discovery(self) -> Object:
        hook = {"apiVersion": "hooks.runtime.cluster.x-k8s.io/v1alpha1", "hook": "GeneratePatches"}
        return {"status": "Success", "handlers": [{"name": "odd", "requestHook": hook}]}

    def answer(self, hook: str, handler: str, request: Object) -> Object:
        if isinstance(self._answer, BaseException):
            raise self._answer
        answer: Object = self._answer
        return answer


def served(*names: str) -> Served:
    handlers = [
        {"name": name, "variables": [{"name": f"{name}Variable", "schema": SCHEMA}]}
        for name in names or ("a",)
    ]
    return Served(
        TopologyExtension({"metadata": {"name": one["name"]}, "spec": {"handlers": [one]}})
        for one in handlers
    )


def call(found: Served, path: str, body: bytes = b"{}") -> Object:
    status, text = found.respond(path, body)
    assert status == 200, text
    answer: Object = json.loads(text)
    assert answer["apiVersion"] == "hooks.runtime.cluster.x-k8s.io/v1alpha1"
    return answer


def test_all_and_one() -> None:
    """`/` has the handlers of all extensions, `/<name>` those of one."""
    found = served("a", "b")

    assert [one["name"] for one in call(found, BASE + "discovery")["handlers"]] == [
        "discover-variables-a",
        "discover-variables-b",
    ]
    assert len(call(found, "/b" + BASE + "discovery")["handlers"]) == 1
    assert call(found, BASE + "discovervariables/discover-variables-b")["variables"][0]["name"] == "bVariable"
    assert found.respond("/a" + BASE + "discovervariables/discover-variables-b", b"{}")[0] == 404


@pytest.mark.parametrize(
    "path", ["/", BASE, BASE + "discoveri", BASE + "generatepatches/x", "/c" + BASE + "discovery"]
)
def test_unknown_paths(path: str) -> None:
    """What is not served is not found, and has no name in logs."""
    assert served().respond(path, b"{}")[0] == 404
    assert served().hook_of(path) == ""


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 100_000, b'{"a":' * 100_000])
@pytest.mark.parametrize("path", ["discovery", "discovervariables/discover-variables-a"])
def test_malformed_requests(path: str, body: bytes) -> None:
    """Status 200 and a failure, as the reference's server answers."""
    answer = call(served(), BASE + path, body)

    assert answer["status"] == "Failure"
    assert answer["message"].startswith("error unmarshalling request: ")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (ValueError("no"), "handler odd failed: ValueError: no"),
        ({"status": "Sucess"}, "the handler answered with status 'Sucess'"),
        ({"status": "Success", "message": "x" * (LARGEST + 1)}, "more than the 20971520 that may be sent"),
        ({"status": "Success", "message": float("nan")}, "handler odd failed: ValueError"),
        (None, "handler odd failed: AttributeError"),
        (SystemExit(3), "handler odd failed: SystemExit: 3"),
        (
            {"status": "Success", "items": [{"uid": "1", "patch": [float("nan")]}]},
            "Out of range float values",
        ),
    ],
)
def test_handlers_that_go_wrong(answer: Any, message: str) -> None:
    """A failure in the answer, not of the server."""
    found = call(Served([Odd(answer)]), BASE + "generatepatches/odd")

    assert found["status"] == "Failure"
    assert message in found["message"]


def test_names_are_unique() -> None:
    """Two extensions with one handler, or one name, cannot be served."""
    one = {"name": "a", "variables": [{"name": "v", "schema": SCHEMA}]}
    both = [
        TopologyExtension({"metadata": {"name": name}, "spec": {"handlers": [one]}}) for name in ("x", "y")
    ]

    with pytest.raises(Refused, match="the handler discover-variables-a is in x and in y"):
        Served(both)
    with pytest.raises(Refused, match="two extensions have the name x"):
        Served([both[0], both[0]])


def test_calls_of_a_real_extension() -> None:
    """Requests that a real controller sent get the answers that a real extension gave."""
    if not RECORDS.exists():
        pytest.skip("the records of ../shared/conformance are absent")
    records = [json.loads(line) for line in RECORDS.read_text("utf-8").splitlines() if '"hookCalls"' in line]
    count = 0
    for record in records:
        calls = record.get("hookCalls") or []
        variables = [one["response"]["variables"] for one in calls if one["hook"] == "DiscoverVariables"]
        for one in calls:
            found = real_extension(variables[0], one["extension"].partition(".")[0])
            path = f"{BASE}{one['hook'].lower()}/{one['extension'].partition('.')[0]}-real"
            answer = call(found, path, json.dumps(one["request"]).encode())
            for item in answer.get("items") or []:
                item["patch"] = json.loads(base64.b64decode(item["patch"]))
            for field in ("apiVersion", "kind"):
                del answer[field]
            assert answer == one["response"], record["id"]
            count += 1

    assert count


def real_extension(variables: list[Object], prefix: str) -> Served:
    """The extension of the records as data: it defines variables, and patches kinds that the class no longer has."""
    selector = {
        "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2",
        "kind": "DockerClusterTemplate",
        "matchResources": {"infrastructureCluster": True},
    }
    change = {
        "op": "add",
        "path": "/spec/template/spec/loadBalancer/imageRepository",
        "valueFrom": {"variable": "imageRepository"},
    }
    handler = {
        "name": "real",
        "variables": variables,
        "patches": [{"name": "lb", "definitions": [{"selector": selector, "jsonPatches": [change]}]}],
        "validations": [{"rule": "has(self.kind)"}],
    }
    extension = TopologyExtension(
        {"metadata": {"name": "k8s-upgrade-with-runtimesdk"}, "spec": {"handlers": [handler]}}
    )
    assert extension.problems == []
    return Served([extension])
