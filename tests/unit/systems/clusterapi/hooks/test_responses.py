"""Recorded answers of extensions: which request they answer."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.hooks.responses import RecordedResponses, match_request, same


def item(uid: str, name: str, kind: str = "T", **more: Any) -> Object:
    holder = {"kind": "MachineDeployment", "name": name, "fieldPath": "spec.x"}
    return {"uid": uid, "holderReference": holder, "object": {"kind": kind}, **more}


def test_uids_and_order_play_no_part() -> None:
    """A controller has random uids and no order of worker groups; the answer's uids become the request's."""
    recorded = {"items": [item("b-1", "md-b"), item("a-1", "md-a")], "variables": []}
    request = {
        "apiVersion": "v",
        "kind": "k",
        "items": [item("1", "md-a"), item("2", "md-b")],
        "variables": [],
    }

    assert match_request(recorded, request) == {"b-1": "2", "a-1": "1"}


@pytest.mark.parametrize(
    "recorded",
    [
        {"items": [item("1", "md-a")]},
        {"items": [item("1", "md-a"), item("2", "md-c")]},
        {"items": [item("1", "md-a"), item("2", "md-b", kind="U")]},
        {"items": [item("1", "md-a"), item("2", "md-b")], "variables": [{"name": "a", "value": 1}]},
        {"items": [item("1", "md-a"), item("2", "md-b")], "settings": {"a": "b"}},
    ],
)
def test_other_requests_are_not_answered(recorded: Object) -> None:
    """Every item, variable and setting counts."""
    request = {"items": [item("1", "md-a"), item("2", "md-b")]}

    assert match_request(recorded, request) is None


@pytest.mark.parametrize(
    ("recorded", "value", "expected"),
    [
        ("c1-?????", "c1-bcdfg", True),
        ("c1-?????", "c1-abcde", False),
        ("c1-?????", "c1-bcdf", False),
        ("c1-?????-?????", "c1-bcdfg-hjklm", True),
        ("plain", "plain", True),
        ({"a": ["x-?????"]}, {"a": ["x-22222"]}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ([1], [1.0], True),
    ],
)
def test_a_glob_stands_for_a_suffix(recorded: Any, value: Any, expected: bool) -> None:
    """Five characters of the alphabet of generated names, and nothing else."""
    assert same(recorded, value) is expected


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({}, "spec.responses must be a list"),
        ({"responses": [{}]}, r"spec.responses\[0\] must have extension, hook and response"),
        ({"responses": [{"hook": "Other", "response": {}}]}, "hook must be one of"),
        ({"responses": [{"hook": "GeneratePatches", "response": {}, "reply": 1}]}, "reply is unknown"),
    ],
)
def test_items_that_cannot_be_read(spec: Object, message: str) -> None:
    """The message says where and what would be right."""
    with pytest.raises(TopologyError, match=message):
        RecordedResponses([{"spec": spec}])


def test_bad_patches_are_errors() -> None:
    """Neither JSON nor base64 of JSON."""
    answer = {
        "hook": "GeneratePatches",
        "extension": "e",
        "response": {"items": [{"uid": "1", "patch": "%%"}]},
    }

    with pytest.raises(TopologyError, match="patch must be JSON or base64"):
        RecordedResponses([{"spec": {"responses": [answer]}}]).call("GeneratePatches", "e", {})


@pytest.mark.parametrize("items", [1, {"uid": "1"}, [None], ["text"]])
def test_items_of_another_shape(items: Any) -> None:
    """A recorded answer whose items are not a list of maps is an error that says so."""
    recorded = {
        "extension": "e.x",
        "hook": "GeneratePatches",
        "response": {"status": "Success", "items": items},
    }
    answers = RecordedResponses([{"spec": {"responses": [recorded]}}])

    with pytest.raises(TopologyError, match="must be a list of maps"):
        answers.call("GeneratePatches", "e.x", {})
