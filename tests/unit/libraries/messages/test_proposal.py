"""A message carries what it proposes, from where it is made to the result."""

from __future__ import annotations

import copy
import pickle

import pytest

from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource
from krmkit.libraries.kube.fielderror import duplicate, not_supported
from krmkit.libraries.messages.nearest import Proposal, did_you_mean, proposal

ITEM = Resource("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")


def test_text_around_it() -> None:
    """Text before and after leaves the proposal, also where the whole is copied or sent to another process."""
    message = "spec: " + ('unknown field "replcas"' + proposal("replcas", ["replicas"])) + " (of 3)"

    assert message == 'spec: unknown field "replcas"; did you mean "replicas"? (of 3)'
    for one in (message, copy.copy(message), pickle.loads(pickle.dumps(message))):
        assert isinstance(one, Proposal) and (one.wrong, one.right) == ("replcas", "replicas")
    assert type("a" + did_you_mean("x", ["north", "south"])) is str


@pytest.mark.parametrize(
    ("current", "field", "tags"),
    [
        pytest.param("nort", {"path": "spec.r", "currentValue": "nort", "proposedValue": "north"}, {}, id="a value"),
        pytest.param(None, {"path": "spec.r"}, {"wrong": "nort", "right": "north"}, id="a key"),
        pytest.param("a nort b", {"path": "spec.r", "currentValue": "a nort b"}, {"wrong": "nort", "right": "north"}, id="a word"),
    ],
)  # fmt: skip
def test_the_result(current: object, field: dict[str, object], tags: dict[str, str]) -> None:
    """The specification has a place for a value that is proposed; anything else is in the tags."""
    data = Finding("r", "m" + proposal("nort", ["north"]), ITEM, "spec.r", current).data()

    assert type(data["message"]) is str
    assert (data["field"], data["tags"]) == (field, {"rule": "r", **tags})


def test_values_outside_of_a_list() -> None:
    """The error of an enum proposes the nearest value, also of a value in quotes; one that is there twice goes."""
    for value in ("nort", '"nort"'):
        body = not_supported("spec.r", value, ["North", "South"]).body()
        assert isinstance(body, Proposal) and (body.wrong, body.right) == ("nort", "North")
    assert type(not_supported("spec.r", "x", ["North"]).body()) is str
    twice = duplicate("spec.l[1]", "a").body()
    assert isinstance(twice, Proposal) and (twice.wrong, twice.right) == ("a", "")
