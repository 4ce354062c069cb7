"""What a template is after an apply over a running one: own fields replaced, fields of others kept, removed ones gone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.api.collection import collect
from krmkit.systems.clusterapi.api.labels import LAST_APPLIED
from krmkit.systems.clusterapi.plan.applied import after_apply, last_applied, templates_as_stored

HOUSE = ("infrastructure.example.com/v1", "HouseMachineTemplate")
KUBEADM = ("bootstrap.cluster.x-k8s.io/v1beta2", "KubeadmConfigTemplate")


def item(spec: Any, kind: tuple[str, str] = HOUSE, last: Any = None) -> Object:
    """A template; `last`: the spec that kubectl noted when it was applied."""
    made: Object = {"apiVersion": kind[0], "kind": kind[1], "metadata": {"name": "m"}, "spec": spec}
    if last is not None:
        noted = json.dumps({**made, "spec": last})
        made["metadata"] = {"name": "m", "annotations": {LAST_APPLIED: noted}}
    return made


CASES: dict[str, tuple[Any, Any, Any, Any]] = {
    # what runs, what kubectl noted, what the file has, what comes out
    "a changed field, and one that a server filled in": ({"a": 1, "b": 2}, {"a": 1}, {"a": 3}, {"a": 3, "b": 2}),
    "a field that the file no longer has": ({"a": 1, "b": 2}, {"a": 1, "b": 2}, {"a": 1}, {"a": 1}),
    "the same without a note": ({"a": 1, "b": 2}, None, {"a": 1}, {"a": 1, "b": 2}),
    "a new field": ({"a": 1}, {"a": 1}, {"a": 1, "c": 4}, {"a": 1, "c": 4}),
    "deeper": ({"a": {"x": 1, "y": 2}}, {"a": {"x": 1}}, {"a": {"x": 9}}, {"a": {"x": 9, "y": 2}}),
    "a list whose elements got defaults": ({"l": [{"a": 1, "d": 0}]}, {"l": [{"a": 1}]}, {"l": [{"a": 1}]}, {"l": [{"a": 1, "d": 0}]}),
    "a list with another element": ({"l": [{"a": 1, "d": 0}]}, {"l": [{"a": 1}]}, {"l": [{"a": 2}]}, {"l": [{"a": 2}]}),
    "a longer list": ({"l": [{"a": 1, "d": 0}]}, {"l": [{"a": 1}]}, {"l": [{"a": 1}, {"a": 2}]}, {"l": [{"a": 1}, {"a": 2}]}),
    "a map that becomes a text": ({"a": {"x": 1}}, {"a": {"x": 1}}, {"a": "x"}, {"a": "x"}),
}  # fmt: skip


@pytest.mark.parametrize(("live", "last", "given", "expected"), list(CASES.values()), ids=list(CASES))
def test_an_apply(live: Any, last: Any, given: Any, expected: Any) -> None:
    """As kubectl apply merges: the note decides which fields go."""
    found = after_apply(item(live, last=last), item(given))

    assert found == item(expected)


def test_a_kubeadm_template_without_a_note() -> None:
    """Only what its webhook fills in counts as filled in; any other field was in the file before."""
    live = {"format": "cloud-config", "verbosity": 3, "imagePullPolicy": "IfNotPresent", "users": []}

    found = after_apply(item(live, KUBEADM), item({"diskSetup": {}}, KUBEADM))

    assert found["spec"] == {"diskSetup": {}, "format": "cloud-config", "imagePullPolicy": "IfNotPresent"}
    other = after_apply(item({**live, "format": "ignition"}, KUBEADM), item({"diskSetup": {}}, KUBEADM))
    assert other["spec"] == {"diskSetup": {}, "imagePullPolicy": "IfNotPresent"}


def test_what_cannot_be_merged() -> None:
    """A file at a version without a known conversion, and one without a spec, are taken as they are."""
    newer = item({"a": 1}, ("infrastructure.example.com/v2", HOUSE[1]))
    bare = {name: value for name, value in item({}).items() if name != "spec"}

    assert after_apply(item({"b": 2}), newer) == newer
    assert after_apply(item({"b": 2}), bare) == bare


@pytest.mark.parametrize(
    ("note", "expected"), [("{", None), ("[1]", None), ('{"spec": {"a": 1}}', {"spec": {"a": 1}})]
)
def test_the_note_of_kubectl(note: str, expected: Any) -> None:
    """A note that is no JSON object says nothing."""
    live = item({})
    live["metadata"]["annotations"] = {LAST_APPLIED: note}

    assert last_applied(live) == expected


def test_fields_that_a_server_drops() -> None:
    """A template of the package loses them, as when people apply it."""
    spec = {"template": {"spec": {"kubeadmConfigSpec": {"format": "ignition"}, "notAField": 1}}}
    made = item(spec, ("controlplane.cluster.x-k8s.io/v1beta2", "KubeadmControlPlaneTemplate"))
    package = collect([Resource.from_data(made)])

    [stored] = templates_as_stored(package).others.values()

    assert "notAField" not in str(stored.data) and "ignition" in str(stored.data)
