"""Objects against the schemas of CRDs: what an API server would refuse, in its words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.libraries.schema.kubernetes.crds import CrdSchemas, PublishedSchemas
from krmkit.libraries.schema.kubernetes.published import PublishedCrds
from krmkit.libraries.schema.kubernetes.rules import CompiledRule, RuleSet
from krmkit.libraries.schema.openapi import Schema


def crd(spec: Object, version: str = "v1", **top: Any) -> Object:
    schema = {"type": "object", "properties": {"metadata": {"type": "object"}, "spec": spec}, **top}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "spec": {
            "group": "a.example.com",
            "names": {"kind": "Thing"},
            "versions": [{"name": version, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def thing(spec: Any, version: str = "v1") -> Object:
    return {
        "apiVersion": f"a.example.com/{version}",
        "kind": "Thing",
        "metadata": {"name": "x"},
        "spec": spec,
    }


def errors(definition: Object, data: Object) -> list[str]:
    return [str(error) for error in CrdSchemas([definition]).errors(data)]


SPEC: Object = {
    "type": "object",
    "minProperties": 1,
    "properties": {
        "size": {"type": "integer", "default": 3},
        "files": {"type": "array", "minItems": 1, "items": {"type": "string"}},
        "config": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
        "source": {
            "type": "object",
            "properties": {"id": {"type": "integer"}, "selector": {"type": "string"}},
            "x-kubernetes-validations": [
                {"rule": "has(self.id) != has(self.selector)", "message": "must have one of id and selector"}
            ],
        },
    },
}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"size": 1}, []),
        # The default comes before the check, as on a server.
        ({}, []),
        ({"size": "x"}, ['spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"']),
        ({"files": []}, ["spec.files: Invalid value: 0: spec.files in body should have at least 1 items"]),
        (
            {"config": {"values": 1}},
            [
                "spec.config.apiVersion: Required value: must not be empty",
                "spec.config.kind: Required value: must not be empty",
            ],
        ),
        ({"config": {"apiVersion": "v1", "kind": "A"}}, []),
        ({"source": {"id": 1}}, []),
        ({"source": {}}, ["spec.source: Invalid value: {}: must have one of id and selector"]),
        # Rules do not run on what does not fit.
        ({"source": {"id": "x"}}, ['spec.source.id: Invalid value: "string": spec.source.id in body must be of type integer: "string"']),
    ],
)  # fmt: skip
def test_errors(spec: Object, expected: list[str]) -> None:
    """Structural schema, embedded resources, CEL rules."""
    assert errors(crd(SPEC), thing(spec)) == expected


KEYED: Object = {
    "type": "object",
    "properties": {
        "names": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "ports": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["port", "protocol"],
            "items": {
                "type": "object",
                "required": ["port"],
                "properties": {
                    "port": {"type": "integer"},
                    "protocol": {"type": "string", "default": "TCP"},
                    "names": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                },
            },
        },
    },
}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"names": ["a", "b"], "ports": [{"port": 1}, {"port": 1, "protocol": "UDP"}]}, []),
        ({"names": ["a", "b", "a", "a"]}, ['spec.names[2]: Duplicate value: "a"', 'spec.names[3]: Duplicate value: "a"']),
        # The default of a key counts.
        (
            {"ports": [{"port": 1}, {"port": 1, "protocol": "TCP"}]},
            ['spec.ports[1]: Duplicate value: {"port":1,"protocol":"TCP"}'],
        ),
        ({"ports": [{"port": 1, "names": ["a", "a"]}]}, ['spec.ports[0].names[1]: Duplicate value: "a"']),
        # Items without a key are refused for that alone.
        (
            {"ports": [{}, {"protocol": "UDP"}]},
            ["spec.ports[0].port: Required value", "spec.ports[1].port: Required value"],
        ),
    ],
)  # fmt: skip
def test_lists_that_are_sets_and_maps(spec: Object, expected: list[str]) -> None:
    """An item, or the keys of one, stand there once."""
    assert errors(crd(KEYED), thing(spec)) == expected


def test_another_version_is_not_judged() -> None:
    """Each version of a CRD has its own schema."""
    schemas = CrdSchemas([crd(SPEC), crd({"type": "object"}, "v2")])

    assert schemas.knows(thing({}))
    assert schemas.errors(thing({"files": []}))
    assert schemas.errors(thing({"files": []}, "v2")) == []
    assert not schemas.knows(thing({}, "v3"))
    assert schemas.errors(thing({"files": []}, "v3")) == []


def test_metadata_and_status_are_left_out() -> None:
    """Metadata has rules of its own, and a create drops the status."""
    definition = crd({"type": "object"}, required=["metadata", "status", "spec"])
    data = {**thing({}), "status": {"a": 1}}

    assert errors(definition, data) == []
    assert errors(definition, {"apiVersion": "a.example.com/v1", "kind": "Thing"}) == ["spec: Required value"]


def test_what_comes_along_is_loaded_when_a_kind_is_asked_for() -> None:
    """CRDs among the items win, and a shared subtree is put where it is referred to."""
    loads: list[int] = []

    def published() -> str:
        loads.append(1)
        return (
            '{"kinds":{"a.example.com/v1/Thing":{"type":"object","required":["never"]},'
            '"a.example.com/v2/Thing":{"type":"object","properties":{"spec":{"$shared":1}}}},'
            '"shared":[{"type":"integer"},{"type":"object","properties":{"size":{"$shared":0}}}]}'
        )

    constants = PublishedSchemas(PublishedCrds(published))
    schemas = CrdSchemas([crd(SPEC)], constants)
    assert schemas.errors(thing({"size": 1})) == []
    assert loads == []
    assert [error.field for error in schemas.errors(thing({"size": "x"}, "v2"))] == ["spec.size"]
    schemas.errors(thing({}, "v9"))
    assert loads == [1]
    assert schemas.errors(thing({"size": 1})) == []
    others = CrdSchemas([], constants)
    assert [error.field for error in others.errors(thing({"size": "x"}, "v2"))] == ["spec.size"]
    assert [error.field for error in others.errors(thing({}))] == ["never"]
    assert loads == [1]


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"spec": []},
        {"spec": {"versions": {}, "names": []}},
        {"spec": {"versions": [1, {"schema": 1}, {"name": "v1", "schema": {"openAPIV3Schema": 1}}]}},
        crd({"type": 1}),
    ],
)
def test_crds_that_are_none(odd: Object) -> None:
    """They say nothing about objects: a server refuses the CRD itself."""
    assert errors(odd, thing({"files": []})) == []


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"replicas": None, "network": None}, []),
        (
            {"network": {"ports": None}},
            ["spec.network: Invalid value: 0: spec.network in body should have at least 1 properties"],
        ),
        ({"hint": None, "replicas": 1}, []),
        ({"names": [None]}, None),
    ],
)
def test_nulls_are_dropped_as_the_server_does(spec: Object, expected: list[str] | None) -> None:
    """A field that is null where that is not allowed is as if it were absent; items of lists stay, and are errors."""
    properties = {
        "replicas": {"type": "integer"},
        "network": {
            "type": "object",
            "minProperties": 1,
            "properties": {"ports": {"type": "array", "items": {"type": "integer"}}},
        },
        "hint": {"type": "string", "nullable": True},
        "names": {"type": "array", "items": {"type": "string"}},
    }

    found = errors(crd({"type": "object", "properties": properties}), thing(spec))

    assert found == expected if expected is not None else len(found) == 1


def test_values_that_json_has_no_form_for_end_nothing() -> None:
    """A set with NaN is judged to its end."""
    spec = {
        "type": "object",
        "properties": {
            "sizes": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "number"}}
        },
    }

    assert errors(crd(spec), thing({"sizes": [float("nan"), 1, 1]})) == ["spec.sizes[2]: Duplicate value: 1"]


def test_a_crd_with_odd_required_fields_is_left_out() -> None:
    """The server refuses such a CRD, so no object is judged by it."""
    definition = crd({"type": "object"})
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["required"] = 5

    assert errors(definition, thing({})) == []


def test_rules_of_published_schemas_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages share them; a CRD of a package has its own, and an answer belongs to its value alone."""
    ruled: Object = {"type": "object", "x-kubernetes-validations": [{"rule": "self.size > 1"}]}
    ruled["properties"] = {"size": {"type": "integer"}}
    shape = {"type": "object", "properties": {"spec": ruled}}
    text = json.dumps({"shared": [], "kinds": {"a.example.com/v1/Thing": shape}})
    constants = PublishedSchemas(PublishedCrds(lambda: text))
    made: list[object] = []
    compiled = RuleSet.compiled

    def counted(self: RuleSet, schema: Schema) -> list[CompiledRule]:
        made.append(self)
        return compiled(self, schema)

    monkeypatch.setattr(RuleSet, "compiled", counted)
    for size, errors in ((1, 1), (2, 0), (1, 1), (1.5, 2), (3, 0)):
        assert len(CrdSchemas([], constants).errors(thing({"size": size}))) == errors
    assert len(set(map(id, made))) == 1
    assert len(made) == 3  # 1, 2 and 3; 1.5 is no integer

    taken = CrdSchemas([crd({**ruled, "x-kubernetes-validations": [{"rule": "self.size > 2"}]})], constants)
    assert len(taken.errors(thing({"size": 2}))) == 1
    assert CrdSchemas([], constants).errors(thing({"size": 2})) == []
