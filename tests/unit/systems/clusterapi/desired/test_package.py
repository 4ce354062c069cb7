"""krmkit.systems.clusterapi.desired.package: classes with their variables."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.desired.package import discovered, shortened
from krmkit.systems.clusterapi.model.extensions import NoExtensions
from tests.unit.systems.clusterapi.lists import package
from tests.unit.systems.clusterapi.objects import small_class

KEY = ("n", "small")
PATCH = {
    "name": "p",
    "external": {"generatePatchesExtension": "g.x", "discoverVariablesExtension": "d.x"},
}


def definition(source: str, kind: str = "string") -> Object:
    return {"from": source, "schema": {"openAPIV3Schema": {"type": kind}}}


class Answers(NoExtensions):
    """An extension that defines one variable."""

    __slots__ = ()

    def call(self, hook: str, handler: str, request: Object, owner: str = "") -> Object:
        assert (hook, handler) == ("DiscoverVariables", "d.x")
        return {"status": "Success", "variables": [{"name": "told", **definition("")}]}


def test_unknown_extension() -> None:
    """Without an answer or a status nothing is known about the variables, and the problem says so."""
    owner = package([small_class(patches=[PATCH])]).classes[KEY]

    assert owner.definitions is None
    assert 'no answer to DiscoverVariables of extension "d.x"' in owner.problem


def test_answers_and_status() -> None:
    """An answer comes first, then what the status of the class says."""
    data = small_class(patches=[PATCH])
    data["status"] = {
        "variables": [{"name": "known", "definitions": [definition("inline"), definition("p")]}]
    }
    known = package([data])
    told = package([data])
    told.classes[KEY]._extensions = Answers()

    assert list(known.classes[KEY].definitions.by_name) == ["known"]  # type: ignore[union-attr]
    assert list(told.classes[KEY].definitions.by_name) == ["told"]  # type: ignore[union-attr]
    assert known.classes[KEY].problem == ""


def test_odd_status() -> None:
    """A status of another shape says nothing."""
    odd: list[Any] = [
        None,
        [],
        "x",
        [None],
        [{"definitions": "x"}],
        [{"definitions": [None, {"from": "inline"}]}],
    ]
    for variables in odd:
        assert discovered({"status": {"variables": variables}}) == {}


def test_shortened() -> None:
    """Short texts stay; long ones keep their ends."""
    assert shortened("x" * 4000) == "x" * 4000
    assert shortened("a" + "x" * 5000 + "z").startswith("axx") and shortened("x" * 5000 + "z").endswith("xz")


def test_conflict() -> None:
    """Definitions that conflict leave the class without variables, and the problem names them."""
    data = small_class(variables=[{"name": "a", **definition("")}], patches=[PATCH])
    data["status"] = {"variables": [{"name": "a", "definitions": [definition("p", "integer")]}]}
    owner = package([data]).classes[KEY]

    assert owner.definitions is None
    assert owner.problem.endswith(
        'the following variables have conflicting schemas: a; a: inline and the patch "p" differ in type ("string", "integer")'
    )
    assert owner.stops


class OddAnswers(NoExtensions):
    """An extension whose variables are not a list of maps."""

    __slots__ = ()

    def call(self, hook: str, handler: str, request: Object, owner: str = "") -> Object:
        return {"status": "Success", "variables": {"required": True}}


def test_odd_answer() -> None:
    """An answer of another shape is a problem of the class, and no error of krmkit's."""
    told = package([small_class(patches=[PATCH])])
    told.classes[KEY]._extensions = OddAnswers()

    assert told.classes[KEY].definitions is None
    assert told.classes[KEY].problem == "variables in the answer of d.x must be a list of maps"
