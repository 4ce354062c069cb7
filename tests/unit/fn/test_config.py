"""Tests of krmkit.fn.config: three forms of config, one spec, every violation at once."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.fn.config import Config, ConfigError, decode
from krmkit.fn.definition import FunctionDefinition
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.errors import YamlError

SPEC: dict[str, Any] = {
    "type": "object",
    "required": ["target"],
    "properties": {
        "target": {"type": "string"},
        "count": {"type": "integer", "minimum": 1},
        "ratio": {"type": "number"},
        "strict": {"type": "boolean", "default": False},
        "port": {"x-kubernetes-int-or-string": True},
        "token": {"type": "integer", "format": "password"},
        "names": {"type": "array", "items": {"type": "string"}},
        "limits": {"type": "object", "additionalProperties": {"type": "integer"}},
        "routes": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["from", "to"],
                "properties": {
                    "from": {"type": "string", "minLength": 3},
                    "to": {"type": "array", "minItems": 1, "items": {"type": "string"}},
                    "weight": {"type": "integer"},
                },
            },
        },
    },
}
OTHERS = {"into": "routes", "key": "from", "value": "to", "split": ","}


def definition(**more: object) -> FunctionDefinition:
    data = {
        "name": "route-things",
        "kind": "RouteThings",
        "summary": "x",
        "tags": ["mutator"],
        "schema": SPEC,
    }
    return FunctionDefinition({**data, **more})


def typed(spec: str, head: str = "metadata: {name: c}\n") -> Resource:
    return Resource(f"apiVersion: krmkit.dev/v1alpha1\nkind: RouteThings\n{head}spec: {spec}\n")


def flat(data: str, head: str = "metadata: {name: c}\n") -> Resource:
    return Resource(f"apiVersion: v1\nkind: ConfigMap\n{head}data: {data}\n")


def problems(resource: Resource | None, **more: object) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        decode(definition(**more), resource)
    return [str(violation) for violation in caught.value.violations]


def test_typed() -> None:
    """The typed kind gives its spec, with defaults, and says who it is."""
    config = decode(definition(), typed("{target: a, count: 0x10}", "metadata: {name: c, namespace: n}\n"))

    assert config.spec == {"target": "a", "count": 16, "strict": False}
    assert (config.kind, config.name, config.namespace) == ("RouteThings", "c", "n")
    assert config.api_version == "krmkit.dev/v1alpha1"
    assert not config.is_config_map
    assert config.resource is not None


def test_scalars_resolve_as_in_go() -> None:
    """`yes` is text and 010 is eight, as in kpt."""
    assert decode(definition(), typed("{target: yes, count: 010}")).spec["count"] == 8
    assert decode(definition(), typed("{target: yes}")).spec["target"] == "yes"


def test_config_map() -> None:
    """Texts become what the schema wants."""
    config = decode(
        definition(),
        flat(
            '{target: a, count: "3", ratio: "1e3", strict: "true", port: "80", names: "[x, y]", limits: "a: 1\\nb: 2\\n"}'
        ),
    )

    assert config.spec == {
        "target": "a",
        "count": 3,
        "ratio": 1000.0,
        "strict": True,
        "port": 80,
        "names": ["x", "y"],
        "limits": {"a": 1, "b": 2},
    }
    assert config.is_config_map


def test_config_map_keeps_texts() -> None:
    """A text stays as written, even where it looks like something else, with or without quotes."""
    spec = decode(definition(), flat("{target: 010, port: 80%}")).spec

    assert spec["target"] == "010"
    assert spec["port"] == "80%"


def test_config_map_with_other_keys_as_list() -> None:
    """Keys that are no field become entries where function.yaml says so; after those given as a whole."""
    config = decode(
        definition(configMap={"others": OTHERS}),
        flat('{target: a, routes: "[{from: ham, to: [x]}]", cheese: "y, z,", egg: w}'),
    )

    assert config.spec["routes"] == [
        {"from": "ham", "to": ["x"]},
        {"from": "cheese", "to": ["y", "z"]},
        {"from": "egg", "to": ["w"]},
    ]


def test_config_map_with_other_keys_as_map() -> None:
    """Keys that are no field may also be the keys of a map."""
    config = decode(definition(configMap={"others": {"into": "limits"}}), flat('{target: a, cpu: "4"}'))

    assert config.spec["limits"] == {"cpu": 4}


@pytest.mark.parametrize(
    ("name", "resource", "more", "expected"),
    [
        (
            "absent",
            None,
            {},
            [
                "functionConfig is absent; give a RouteThings (krmkit.dev/v1alpha1) with spec.target, or a ConfigMap"
            ],
        ),
        (
            "empty",
            Resource("{}"),
            {},
            [
                "functionConfig is absent; give a RouteThings (krmkit.dev/v1alpha1) with spec.target, or a ConfigMap"
            ],
        ),
        ("no spec", typed(""), {}, ["spec.target: is required: a string"]),
        ("a list for a spec", typed("[]"), {}, ["spec: must be a map, not a list"]),
        (
            "everything at once",
            typed("{targte: a, count: 0, names: [1]}", "target: a\nmetadate: {}\n"),
            {},
            [
                'target: unknown field "target"; did you mean "spec.target"?',
                'metadate: unknown field "metadate"; did you mean "metadata"?',
                'spec.targte: unknown field "targte"; did you mean "target"?',
                "spec.count: must be at least 1",
                "spec.names[0]: must be a string, not an integer; put it in quotes",
                "spec.target: is required: a string",
            ],
        ),
        (
            "failOn",
            typed("{target: a, failOn: warn}"),
            {},
            ['spec.failOn: must be one of error, warning, never, not "warn"'],
        ),
        (
            "failOn misspelt",
            typed("{target: a, failon: never}"),
            {},
            ['spec.failon: unknown field "failon"; did you mean "failOn"?'],
        ),
        (
            "fail-on of the annotation",
            typed("{target: a}", "metadata: {name: c, annotations: {krmkit.dev/fail-on: nevr}}\n"),
            {},
            [
                'metadata.annotations."krmkit.dev/fail-on": must be one of error, warning, never, not "nevr"; did you mean "never"?'
            ],
        ),
        (
            "wrong apiVersion",
            Resource("apiVersion: krmkit.dev/v1\nkind: RouteThings\nspec: {target: a}\n"),
            {},
            ["apiVersion: must be krmkit.dev/v1alpha1 for a RouteThings"],
        ),
        (
            "wrong kind",
            Resource("apiVersion: krmkit.dev/v1alpha1\nkind: RouteThing\nspec: {target: a}\n"),
            {},
            [
                'kind: route-things takes RouteThings (krmkit.dev/v1alpha1) or ConfigMap (v1); did you mean "RouteThings"?'
            ],
        ),
        (
            "wrong kind, with another one accepted",
            Resource("apiVersion: a.dev/v2\nkind: Route\nspec: {target: a}\n"),
            {"accepts": [{"apiVersion": "a.dev/v1", "kind": "Route"}]},
            ["apiVersion: must be a.dev/v1 for a Route"],
        ),
        (
            "config map: texts that cannot be read",
            flat('{count: three, strict: "yes", names: "[a", limits: "- 1", token: abc}'),
            {},
            [
                'data.count: must be an integer, not "three"',
                'data.strict: must be true or false, not "yes"',
                "data.names: must be a list, written as YAML or JSON: line 2, column 1: did not find expected ',' or ']' (a flow sequence is not closed)",
                "data.token: must be an integer",
                "data.limits: must be a map, not a list",
                "data.target: is required: a string",
            ],
        ),
        (
            "config map: no text",
            flat("{target: {a: b}}"),
            {},
            ["data.target: must be a text; put the YAML or JSON after `|`, indented"],
        ),
        (
            "config map: unknown keys",
            flat("{target: a, cuont: '1'}", "spec: {}\n"),
            {},
            [
                'spec: unknown field "spec"; a ConfigMap holds the config under data',
                'data.cuont: unknown field "cuont"; did you mean "count"?',
            ],
        ),
        (
            "config map: data is a list",
            flat("[]"),
            {},
            ["data: must be a map, not a list", "data.target: is required: a string"],
        ),
        (
            "config map: a path where it was written",
            flat('{target: a, eg: "x", cheese: ","}'),
            {"configMap": {"others": OTHERS}},
            ["data.eg: must have at least 3 characters, not 2", "data.cheese: must not be empty"],
        ),
        (
            "config map: a path in a map of others",
            flat('{target: a, cpu: "four"}'),
            {"configMap": {"others": {"into": "limits"}}},
            ['data.cpu: must be an integer, not "four"'],
        ),
    ],
)
def test_violations(
    name: str, resource: Resource | None, more: dict[str, object], expected: list[str]
) -> None:
    """Every mistake is named, with its place in the config as it was written."""
    assert problems(resource, **more) == expected, name


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        (typed("{target: a}"), "error"),
        (typed("{target: a, failOn: never}"), "never"),
        (flat("{target: a, failOn: warning}"), "warning"),
        (typed("{target: a}", "metadata: {name: c, annotations: {krmkit.dev/fail-on: never}}\n"), "never"),
        (
            typed(
                "{target: a, failOn: error}",
                "metadata: {name: c, annotations: {krmkit.dev/fail-on: never}}\n",
            ),
            "error",
        ),
    ],
)
def test_fail_on(resource: Resource, expected: str) -> None:
    """failOn stands in the spec, in the data or in an annotation, and is no part of the decoded spec."""
    config = decode(definition(), resource)

    assert config.fail_on == expected
    assert "failOn" not in config.spec


def test_kind_of_another_group() -> None:
    """An accepted kind is taken as it is: its spec is not ours to check, failOn comes from the annotation."""
    accepts = [{"apiVersion": "a.dev/v1", "kind": "Route"}]
    resource = Resource(
        "apiVersion: a.dev/v1\nkind: Route\nmetadata: {name: r, annotations: {krmkit.dev/fail-on: warning}}\n"
        "spec: {anything: [1], failOn: x}\nstatus: {}\n"
    )

    config = decode(definition(accepts=accepts), resource)

    assert config.spec == {"anything": [1], "failOn": "x"}
    assert config.fail_on == "warning"
    assert config.kind == "Route"


def test_kind_of_another_group_with_a_schema() -> None:
    """A schema beside an accepted kind is kept."""
    accepts = [
        {
            "apiVersion": "a.dev/v1",
            "kind": "Route",
            "schema": {"type": "object", "properties": {"a": {"type": "string"}}},
        }
    ]

    with pytest.raises(ConfigError, match=r'spec\.b: unknown field "b"; did you mean "a"\?'):
        decode(definition(accepts=accepts), Resource("apiVersion: a.dev/v1\nkind: Route\nspec: {b: 1}\n"))


def test_absent_config_where_nothing_is_required() -> None:
    """Without required fields no config means all defaults."""
    schema = {**SPEC, "required": []}

    config = decode(definition(schema=schema), None)

    assert isinstance(config, Config)
    assert config.spec == {"strict": False}
    assert (config.kind, config.name, config.resource) == ("", "", None)


def test_no_secret_in_a_message() -> None:
    """A text that cannot be read as the password it should be is not repeated."""
    with pytest.raises(ConfigError) as caught:
        decode(definition(), flat("{target: a, token: hunter2}"))

    assert "hunter2" not in str(caught.value)
    assert caught.value.violations[0].current is None


def test_many_violations_are_cut() -> None:
    """A config of a thousand unknown fields gives a hundred violations and a count."""
    fields = ", ".join(f"x{number}x: 1" for number in range(1000))

    found = problems(typed(f"{{target: a, {fields}}}"))

    assert len(found) == 101
    assert found[-1] == "and 900 more violations in the config"


def test_alias_bomb() -> None:
    """A bomb in the config ends in an error by counting."""
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 8)]
    text = "{target: a, names: [*a7]}"

    with pytest.raises(YamlError, match="aliases"):
        decode(definition(), typed(text, "metadata: {name: c}\n" + "\n".join(lines) + "\n"))
