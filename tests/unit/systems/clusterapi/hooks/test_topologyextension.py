"""TopologyExtension: what is refused when it is read, and what it answers."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from krmkit.libraries.json import Object
from krmkit.systems.clusterapi.hooks.topologyextension import TopologyExtension

GENERATE, VALIDATE, DISCOVER = "GeneratePatches", "ValidateTopology", "DiscoverVariables"
SELECTOR: Object = {
    "apiVersion": ["i/v1", "i/v2"],
    "kind": "T",
    "matchResources": {"infrastructureCluster": True},
}


def variable(name: str, **schema: Any) -> Object:
    return {"name": name, "schema": {"openAPIV3Schema": {"type": "string", **schema}}}


def add(path: str, **value: Any) -> Object:
    return {"op": "add", "path": path, **value}


def patch(*changes: Object, **more: Any) -> Object:
    return {"name": "p", "definitions": [{"selector": SELECTOR, "jsonPatches": list(changes)}], **more}


def extension(**handler: Any) -> TopologyExtension:
    return TopologyExtension({"metadata": {"name": "x"}, "spec": {"handlers": [{"name": "a", **handler}]}})


def request(spec: Object | None = None, version: str = "i/v1", **variables: Any) -> Object:
    template = {"apiVersion": version, "kind": "T", "spec": {"template": {"spec": spec or {}}}}
    holder = {"kind": "Cluster", "namespace": "n", "name": "c", "fieldPath": "spec.infrastructureRef"}
    return {
        "variables": [{"name": name, "value": value} for name, value in variables.items()],
        "items": [
            {"uid": "7091de79-e26c-4af5-8be3-071bc4b102c9", "holderReference": holder, "object": template}
        ],
    }


def generated(found: TopologyExtension, asked: Object) -> Object:
    before = deepcopy(asked)
    answer = found.answer(GENERATE, "generate-patches-a", asked)

    assert asked == before
    assert found.answer(GENERATE, "generate-patches-a", asked) == answer
    return answer


def operations(found: TopologyExtension, asked: Object) -> list[Object]:
    answer = generated(found, asked)
    assert answer["status"] == "Success", answer
    [item] = answer["items"]
    assert item["uid"] == "7091de79-e26c-4af5-8be3-071bc4b102c9"
    listed: list[Object] = item["patch"]
    return listed


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        ({}, "spec.handlers", "is required"),
        ({"handlers": [{"name": "a", "patchs": []}]}, "spec.handlers[0].patchs", 'did you mean "patches"?'),
        ({"handlers": [{"name": "a"}, {"name": "a"}]}, "spec.handlers[1].name", "must be unique"),
        ({"handlers": [{"name": "a"}]}, "spec.handlers[0]", "must have patches, validations, variables"),
        (
            {"handlers": [{"name": "A", "patches": [patch(add("/spec/a", value=1))]}]},
            "spec.handlers[0].name",
            "RFC 1123",
        ),
        (
            {"handlers": [{"name": "a", "patches": [patch(add("/metadata/a", value=1))]}]},
            "spec.handlers[0].patches[0].definitions[0].jsonPatches[0].path",
            'must start with "/spec", got "/metadata/a"',
        ),
        (
            {"handlers": [{"name": "a", "patches": [patch(add("/spec/a"))]}]},
            "spec.handlers[0].patches[0].definitions[0].jsonPatches[0]",
            "exactly one of value and valueFrom",
        ),
        (
            {"handlers": [{"name": "a", "patches": [patch(add("/spec/a", valueFrom={"template": "{{"}))]}]},
            "spec.handlers[0].patches[0].definitions[0].jsonPatches[0].valueFrom.template",
            "can not be parsed",
        ),
        (
            {"handlers": [{"name": "a", "patches": [patch(add("/spec/a", value=1), enabledIf="{{ if }}")]}]},
            "spec.handlers[0].patches[0].enabledIf",
            "can not be parsed",
        ),
        (
            {"handlers": [{"name": "a", "variables": [variable("v"), variable("v")]}]},
            "spec.handlers[0].variables[v].name",
            "must be unique",
        ),
        (
            {"handlers": [{"name": "a", "validations": [{"rule": "self.a +"}]}]},
            "spec.handlers[0].validations[0].rule",
            "compilation failed",
        ),
        (
            {"handlers": [{"name": "a", "variables": [variable("token")], "sensitive": ["tokn"]}]},
            "spec.handlers[0].sensitive[0]",
            'did you mean "token"?',
        ),
        (
            {"handlers": [{"name": "a", "variables": [variable("settings")], "settings": {}}]},
            "spec.handlers[0].variables[settings]",
            'must not be named "settings"',
        ),
    ],
)
def test_what_is_refused(spec: Object, field: str, message: str) -> None:
    """Field and text of a problem; an extension with problems answers nothing but failures."""
    found = TopologyExtension({"metadata": {"name": "x"}, "spec": spec})

    assert field in [place for place, _ in found.problems]
    assert any(message in text for place, text in found.problems if place == field), found.problems
    assert found.answer(GENERATE, "generate-patches-a", {})["status"] == "Failure"


@pytest.mark.parametrize(
    ("root", "field", "message"),
    [
        ({"metadata": {}}, "metadata.name", "is required"),
        ({"metadata": None}, "metadata.name", "is required"),
        ({"metadata": {"name": "a/../b"}}, "metadata.name", "RFC 1123"),
        ({"sepc": {}}, "sepc", 'did you mean "spec"?'),
        ({"apiVersion": "krmkit.dev/v1"}, "apiVersion", "must be krmkit.dev/v1alpha1"),
    ],
)
def test_what_is_refused_outside_the_spec(root: Object, field: str, message: str) -> None:
    """An extension is served below its name, so it has one; no field is passed over."""
    handler = {"name": "a", "variables": [variable("v")]}

    [(place, text)] = TopologyExtension(
        {"metadata": {"name": "x"}, "spec": {"handlers": [handler]}, **root}
    ).problems

    assert place == field
    assert message in text


def test_discovery_offers_each_part() -> None:
    """A handler of its own for each part that there is."""
    found = extension(variables=[variable("v")], validations=[{"rule": "true"}], timeoutSeconds=5)

    handlers = found.discovery()["handlers"]

    assert [one["name"] for one in handlers] == ["validate-topology-a", "discover-variables-a"]
    assert [one["requestHook"]["hook"] for one in handlers] == [VALIDATE, DISCOVER]
    assert all(one["timeoutSeconds"] == 5 for one in handlers)


def test_patches_apply_one_after_the_other() -> None:
    """The answer is one diff; a value is calculated of variables, settings and builtin."""
    first = patch(
        add("/spec/template/spec/mirror", valueFrom={"template": "{{ .settings.registry }}/{{ .v }}"})
    )
    second = {
        "name": "q",
        "definitions": [
            {
                "selector": SELECTOR,
                "jsonPatches": [{"op": "replace", "path": "/spec/template/spec/mirror/0", "value": "x"}],
            }
        ],
    }
    found = extension(patches=[first], settings={"defaults": {"registry": "r"}})
    broken = extension(patches=[first, second], settings={"defaults": {"registry": "r"}})

    assert operations(found, request(v="w")) == [
        {"op": "add", "path": "/spec/template/spec/mirror", "value": "r/w"}
    ]
    asked = {**request(v="w"), "settings": {"registry": "s"}}
    assert operations(found, asked)[0]["value"] == "s/w"
    assert operations(found, request({"mirror": "r/w"}, v="w")) == []
    assert 'patch "q", T of Cluster n/c' in generated(broken, request(v="w"))["message"]


def test_merge_patch() -> None:
    """jsonMergePatch changes and removes, beside jsonPatches."""
    definition = {
        "selector": SELECTOR,
        "jsonMergePatch": {"value": {"spec": {"template": {"spec": {"a": None, "b": 1}}}}},
    }
    found = extension(patches=[{"name": "p", "definitions": [definition]}])

    assert operations(found, request({"a": 1})) == [
        {"op": "remove", "path": "/spec/template/spec/a"},
        {"op": "add", "path": "/spec/template/spec/b", "value": 1},
    ]


@pytest.mark.parametrize(("version", "changed"), [("i/v1", True), ("i/v2", True), ("i/v3", False)])
def test_several_versions(version: str, changed: bool) -> None:
    """A selector may name more than one apiVersion; an unknown one gets no patch."""
    found = extension(patches=[patch(add("/spec/template/spec/a", value=1))])

    assert bool(operations(found, request(version=version))) is changed


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (request(), 'patch "p", T of Cluster n/c at spec.infrastructureRef, add /spec/template/spec/a: '),
        (request(v={"b": 1}), "add /spec/template/spec/a: failed to calculate value: "),
        ({"items": [1]}, "items[0] must be a map, got int"),
        ({"items": [{"uid": "1"}]}, "items[0].object must be a template"),
        ({"items": [], "variables": {"a": 1}}, "variables must be a list, got dict"),
        ({"items": [], "variables": [{"value": 1}]}, "variables[0] must have a name and a value"),
    ],
)
def test_failures(asked: Object, message: str) -> None:
    """A failure names the patch, the item and the field, and is the same each time."""
    found = extension(patches=[patch(add("/spec/template/spec/a", valueFrom={"variable": "v.a"}))])

    answer = generated(found, asked)

    assert answer["status"] == "Failure"
    assert message in answer["message"]


def test_messages_do_not_depend_on_the_order_of_items() -> None:
    """The controller sends MachineDeployments in no certain order."""
    asked = request()
    other = deepcopy(asked["items"][0])
    other["holderReference"]["name"] = "b"
    patches = [patch(add("/spec/template/spec/a", valueFrom={"variable": "v"}))]
    found = extension(patches=patches, validations=[{"rule": "false", "message": "no"}])

    for hook, name in ((GENERATE, "generate-patches-a"), (VALIDATE, "validate-topology-a")):
        forward = found.answer(hook, name, {"items": [asked["items"][0], other]})
        backward = found.answer(hook, name, {"items": [other, asked["items"][0]]})

        assert forward == backward
        assert "n/b" in forward["message"]
        assert "n/c" in forward["message"]


def test_validations() -> None:
    """All violations in one message; rules see self, variables, builtin and settings."""
    found = extension(
        settings={"defaults": {"most": "3"}},
        validations=[
            {"rule": "self.spec.template.spec.n <= int(settings.most)", "message": "too many"},
            {"rule": "variables.v != 'bad'", "messageExpression": "'got ' + variables.v"},
            {"selector": {**SELECTOR, "kind": "U"}, "rule": "false"},
            {"rule": "builtin.cluster.name == 'c'", "message": "wrong cluster"},
        ],
    )
    builtin = {"cluster": {"name": "c"}}

    good = found.answer(VALIDATE, "validate-topology-a", request({"n": 3}, v="ok", builtin=builtin))
    bad = found.answer(VALIDATE, "validate-topology-a", request({"n": 4}, v="bad", builtin=builtin))

    assert good["status"] == "Success"
    assert bad["message"] == (
        "T of Cluster n/c at spec.infrastructureRef: got bad; T of Cluster n/c at spec.infrastructureRef: too many"
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"size": "many"}, "settings.size: Invalid value"),
        ({"size": "1", "colour": "red"}, "settings.colour is unknown"),
        ({}, "settings.size: Required value"),
        ("size", "settings must be a map of texts"),
    ],
)
def test_settings_are_checked(settings: Any, message: str) -> None:
    """Every hook refuses settings that do not fit the schema."""
    properties = {"size": {"type": "string", "pattern": "^[0-9]+$"}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": properties, "required": ["size"]}}
    found = extension(variables=[variable("v")], settings={"schema": schema})

    answer = found.answer(DISCOVER, "discover-variables-a", {"settings": settings})

    assert answer["status"] == "Failure"
    assert message in answer["message"]


SECRET = 's3cr"3t-value'


@pytest.mark.parametrize(
    ("hook", "handler"),
    [
        (GENERATE, {"patches": [patch(add("/spec/template/spec/a", valueFrom={"variable": "token"}))]}),
        (
            GENERATE,
            {
                "patches": [
                    patch(add("/spec/template/spec/a", valueFrom={"template": "x-{{ .token | b64enc }}"}))
                ]
            },
        ),
        *(
            (GENERATE, {"patches": [patch(add(path, valueFrom={"template": "{ {{ .token | quote }}: x }"}))]})
            for path in ("/spec/template/spec", "/spec/template/spec/a")
        ),
        (
            GENERATE,
            {"patches": [patch(add("/spec/template/spec/a", valueFrom={"template": "{{ fail .token }}"}))]},
        ),
        (GENERATE, {"patches": [patch(add("/spec/template/spec/a", value=1), enabledIf="[{{ .token }}")]}),
        (
            VALIDATE,
            {"validations": [{"rule": "false", "messageExpression": "'bad token ' + variables.token"}]},
        ),
    ],
)
def test_no_answer_holds_a_sensitive_value(hook: str, handler: Object) -> None:
    """Neither in a patch nor in a message; the failure says which variable it was."""
    found = extension(sensitive=["token"], **handler)
    name = {GENERATE: "generate-patches-a", VALIDATE: "validate-topology-a"}[hook]

    answer = found.answer(hook, name, request(token=SECRET))

    assert found.problems == []
    assert answer["status"] == "Failure"
    assert "s3cr" not in str(answer)
    assert '"token"' in answer["message"]


def tagged(**more: Any) -> TopologyExtension:
    """An extension that writes the required text `tag`, and the optional one `note` by a template."""
    changes = [
        add("/spec/template/spec/tag", valueFrom={"variable": "tag"}),
        add("/spec/template/spec/note", valueFrom={"template": more.pop("template", "note: {{ .tag }}")}),
    ]
    variables = [{**variable("tag", maxLength=5), "required": True}, variable("note")]
    return extension(variables=variables, patches=[patch(*changes)], **more)


def with_override(asked: Object, value: Any) -> Object:
    asked["items"][0]["variables"] = [{"name": "tag", "value": value}]
    return asked


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (request(), 'variables: Required value: required variable "tag" must be set'),
        (request(tag=5), 'variables[tag].value: Invalid value: "5": must be of type string: "integer"'),
        (request(tag="toolong"), "variables[tag].value: Too long: may not be more than 5"),
        (
            request(tag="a", note=[]),
            'variables[note].value: Invalid value: "[]": must be of type string: "array"',
        ),
        (
            with_override(request(tag="a"), {"b": 1}),
            "T of Cluster n/c at spec.infrastructureRef: variables[tag].value: Invalid value: ",
        ),
    ],
)
def test_input_is_checked(asked: Object, message: str) -> None:
    """Variables are checked against the extension's own definitions before anything is written."""
    answer = generated(tagged(), asked)

    assert answer["status"] == "Failure"
    assert message in answer["message"]


def test_variables_of_others_are_not_checked() -> None:
    """A request may hold what another patch of the class defines."""
    assert operations(tagged(), request(tag="a", other=5))


def test_validations_get_the_variables_of_the_last_patch() -> None:
    """A required variable may be absent there, but what comes has to be right."""
    found = tagged(validations=[{"rule": "true"}])

    assert found.answer(VALIDATE, "validate-topology-a", request())["status"] == "Success"
    refused = found.answer(VALIDATE, "validate-topology-a", request(tag=5))
    assert refused["status"] == "Failure"
    assert "must be of type string" in refused["message"]


def test_rules_of_definitions_hold() -> None:
    """x-kubernetes-validations of a definition, too."""
    rules = [{"rule": "self.startsWith('v')", "message": "must start with v"}]
    found = extension(
        variables=[variable("tag", **{"x-kubernetes-validations": rules})],
        patches=[patch(add("/spec/template/spec/tag", valueFrom={"variable": "tag"}))],
    )

    assert operations(found, request(tag="v1"))
    assert "must start with v" in generated(found, request(tag="1"))["message"]


def test_handlers_without_variables_see_those_of_the_only_other_one() -> None:
    """A class may name one handler for its variables and another one for its patches."""
    handlers = [
        {"name": "a", "patches": [patch(add("/spec/template/spec/tag", valueFrom={"variable": "tag"}))]},
        {"name": "b", "variables": [{**variable("tag"), "required": True}]},
    ]
    found = TopologyExtension({"metadata": {"name": "x"}, "spec": {"handlers": handlers}})

    assert 'required variable "tag" must be set' in generated(found, request())["message"]
    assert operations(found, request(tag="v1"))


def test_an_optional_variable_that_is_missing() -> None:
    """`<no value>` never gets into a template; a guard helps, and a value that says so is a value."""
    unguarded = tagged(template="note: v{{ .note }}")

    message = generated(unguarded, request(tag="a"))["message"]
    assert 'uses a variable that is not set, so that it writes "<no value>"; define' in message
    assert operations(unguarded, request(tag="a", note="<no value>"))
    assert operations(tagged(template="note: v{{ if .note }}{{ .note }}{{ end }}"), request(tag="a"))


def test_no_message_shows_a_sensitive_value() -> None:
    """The check quotes values, so it is silent about a secret one."""
    message = generated(tagged(sensitive=["tag"]), request(tag=31337))["message"]

    assert "31337" not in message
    assert 'the reason is withheld, it holds the value of the sensitive variable "tag"' in message


@pytest.mark.parametrize(
    "change",
    [
        {"jsonPatches": [add("/spec/a", value={"b": ["v{{ .tag }}"]})]},
        {"jsonMergePatch": {"value": {"spec": {"a": "{{- .builtin.cluster.name }}"}}}},
    ],
)
def test_a_template_in_a_plain_value(change: Object) -> None:
    """It would be written as it is: an author's slip. Templates of others, such as cloud-init's, are plain text."""
    definition = {"selector": SELECTOR, **change}
    found = extension(variables=[variable("tag")], patches=[{"name": "p", "definitions": [definition]}])
    [(field, message)] = found.problems
    assert field.endswith(".value")
    assert "is written as it is; put it into valueFrom.template" in message

    text = add("/spec/a", value="{{ ds.meta_data.hostname }} {{ .other }}")
    assert not extension(variables=[variable("tag")], patches=[patch(text)]).problems


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (
            {"kind": "NoTemplate"},
            'patch "p" selects no template, so it changes nothing: no template is a NoTemplate; known: T',
        ),
        ({"apiVersion": "i/v3"}, "T is there in i/v1, not in i/v3"),
        (
            {"matchResources": {"controlPlane": True}},
            "T is there, but not where matchResources looks (controlPlane)",
        ),
    ],
)
def test_selectors_that_select_nothing(selector: Object, message: str) -> None:
    """They are told after requests came, and only then."""
    definitions = [
        {"selector": {**SELECTOR, **selector}, "jsonPatches": [add("/spec/template/spec/a", value=1)]}
    ]
    found = extension(patches=[{"name": "p", "definitions": definitions}])
    assert found.unmatched() == []

    assert operations(found, request()) == []

    [one] = found.unmatched()
    assert one.field == "spec.handlers[0].patches[0].definitions[0].selector"
    assert message in one.message
    assert one.whole


def test_a_selector_beside_one_that_selects() -> None:
    """The patch does something, so a selector for another provider may be meant."""
    change: Object = {"jsonPatches": [add("/spec/template/spec/a", value=1)]}
    definitions: list[Object] = [
        {"selector": SELECTOR, **change},
        {"selector": {**SELECTOR, "kind": "U"}, **change},
    ]
    found = extension(patches=[{"name": "p", "definitions": definitions}])
    operations(found, request())

    assert [(one.field.rpartition("definitions")[2], one.whole) for one in found.unmatched()] == [
        ("[1].selector", False)
    ]
