"""Definitions of profile variables, and values that must fit them."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.fn.testing import run_function
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml import emit
from krmkit.systems.palette.profiles.variables import definition_problems, value_problem

RIGHT = {
    "string": ["a", "1", "*"],
    "number": ["1", "-2.5", "+3", ".5", "1e9"],
    "boolean": ["true", "false"],
    "version": ["1.2.3", "1.2.3-rc.1"],
    "ipv4": ["10.0.0.1", "255.255.255.255"],
    "ipv4cidr": ["10.0.0.1/16", "0.0.0.0/0", "1.2.3.4/32"],
    "ipv6": ["::1", "fd00::1", "::ffff:1.2.3.4"],
    "base64": ["YQ==", "YWJj"],
}
WRONG = {
    "number": ["a", "0x1", "1_000", "nan", "1 "],
    "boolean": ["1", "0", "True", "yes"],
    "version": ["1.2", "v1.2.3", "1.2.3.4", "b0.0.1"],
    "ipv4": ["10.0.0", "10.0.0.256", "010.0.0.1", "::1"],
    "ipv4cidr": ["10.0.0.1", "10.0.0.1/33", "10.0.0.1/255.0.0.0", "10.0.0.1/01"],
    "ipv6": ["fd00::1%eth0", "10.0.0.1", "fd00::1/64"],
    "base64": ["YQ", "a b=", "*"],
}


@pytest.mark.parametrize(("name", "value"), [(name, one) for name, values in RIGHT.items() for one in values])
def test_right_values(name: str, value: str) -> None:
    """Each of the eight formats."""
    assert value_problem({"format": name}, value) == ""


@pytest.mark.parametrize(("name", "value"), [(name, one) for name, values in WRONG.items() for one in values])
def test_wrong_values(name: str, value: str) -> None:
    """The message says what would be right; that about a secret does not show it."""
    assert value_problem({"format": name}, value).endswith(f", got {value}")
    if value != "*":
        assert value_problem({"format": name, "isSensitive": True}, value).endswith("got (secret)")


def test_regex_and_options() -> None:
    """A regular expression is searched; an option is known by its value or its label; no value is no fault."""
    assert value_problem({"regex": "b+"}, "abc") == ""
    assert value_problem({"regex": "^b+$"}, "abc") == "must match ^b+$, got abc"
    dropdown = {"inputType": "dropdown", "options": [{"value": "a", "label": "First"}, {"value": "b"}]}
    assert [value_problem(dropdown, value) for value in ("a", "First", "b", "")] == [""] * 4
    assert value_problem(dropdown, "c") == "must be one of a, b, got c"


def problems(*variables: dict[str, Any]) -> list[str]:
    """What is wrong with definitions, severity first."""
    return [f"{severity}: {message}" for severity, message in definition_problems([*variables])]


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ({"name": "a", "format": "string", "defaultValue": "x"}, []),
        ({"format": "string"}, ["error: variable 1 must have a name"]),
        ({"name": "a", "format": "ip4"}, ["error: variable a: format must be one of string, number, boolean, version, ipv4,"
          " ipv4cidr, ipv6, base64, got ip4"]),
        ({"name": "a", "regex": "*.*"}, ["error: variable a: regex must be a regular expression of Go, got *.*: "]),
        ({"name": "a", "format": "number", "defaultValue": "x"}, ["error: variable a: defaultValue must be a number, got x"]),
        ({"name": "a", "defaultValue": 1}, ["error: variable a: defaultValue must be a text, got 1; put it in quotes"]),
        ({"name": "a", "immutable": True}, ["error: variable a: must have a defaultValue, as it is immutable"]),
        ({"name": "a", "hidden": True, "required": True}, ["error: variable a: must have a defaultValue, as it is hidden and required"]),
        ({"name": "a", "required": True}, ["warning: variable a: has no defaultValue and is required: every cluster must give a value"]),
        ({"name": "a", "required": "yes"}, ["error: variable a: required must be true or false, got yes"]),
        ({"name": "a", "inputType": "dropdown"}, ["error: variable a: options must have an entry with a value, as inputType is dropdown"]),
        ({"name": "a", "inputType": "dropdown", "options": [{"value": "x"}], "defaultValue": "y"},
         ["error: variable a: defaultValue must be one of x, got y"]),
        ({"name": "a", "format": "number", "isSensitive": True, "defaultValue": "*****"}, []),
    ],
)  # fmt: skip
def test_definitions(variable: dict[str, Any], said: list[str]) -> None:
    """What Palette refuses is an error; what stops every deployment without a value is a warning."""
    found = problems(variable)
    assert len(found) == len(said)
    assert all(one.startswith(start) for one, start in zip(found, said, strict=True)), found


def test_names_are_used_once() -> None:
    """So are the names that people see."""
    assert problems({"name": "a", "displayName": "A"}, {"name": "a", "displayName": "A"}) == [
        "error: variable a: the name a is used twice",
        "error: variable a: the displayName A is used twice",
    ]


def resolved(values: str, variables: list[dict[str, Any]], given: str = "[]") -> tuple[int, str, str]:
    """Exit code, the values of a pack, and the results of resolve-macros in a package with a profile."""
    export = {
        "metadata": {"name": "p"},
        "spec": {"template": {"type": "add-on", "packs": []}, "variables": variables},
    }
    local = {"annotations": {"config.kubernetes.io/local-config": "true"}}
    items = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web", **local},
         "data": {"pack.json": '{"name": "web", "displayName": "Web", "version": "1.0.0", "layer": "addon"}', "values.yaml": values}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p-profile", **local}, "data": {"profile.yaml": emit.document(export)}},
    ]  # fmt: skip
    text = emit.document({"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items})
    text += (
        "functionConfig:\n  apiVersion: krmkit.dev/v1alpha1\n  kind: ResolveMacros\n  metadata: {name: m}\n"
    )
    outcome = run_function("functions/resolve-macros", f"{text}  spec: {{variables: {given}}}\n")
    data = Resource(outcome.stdout).get()
    assert isinstance(data, dict)
    said = [f"{one['severity']} {one['tags']['rule']}: {one['message']}" for one in data["results"]]
    return outcome.exit_code, data["items"][0]["data"]["values.yaml"], "\n".join(said)


SIZE = {"name": "size", "format": "number", "defaultValue": "3"}


def test_defaults_and_values() -> None:
    """A default fills a macro, a value goes before it, and an empty value is none."""
    assert resolved("a: '{{.spectro.var.size}}'\n", [SIZE])[:2] == (0, "a: '3'\n")
    assert resolved("a: '{{.spectro.var.size}}'\n", [SIZE], "[{name: size, value: 5}]")[:2] == (0, "a: '5'\n")
    assert resolved("a: '{{.spectro.var.size}}'\n", [SIZE], "[{name: size, value: ''}]")[:2] == (
        0,
        "a: '3'\n",
    )


def test_a_label_stands_for_its_value() -> None:
    """Terraform takes labels for defaults."""
    zone = {
        "name": "zone",
        "inputType": "dropdown",
        "defaultValue": "North",
        "options": [{"value": "n", "label": "North"}],
    }
    assert resolved("a: '{{.spectro.var.zone}}'\n", [zone])[:2] == (0, "a: 'n'\n")


@pytest.mark.parametrize(
    ("values", "variable", "given", "said"),
    [
        ("a: '{{.spectro.var.sizes}}'\n", SIZE, "[]", 'error undefined: line 1'),
        ("a: '{{.spectro.var.size}}'\n", SIZE, "[{name: size, value: x}]", "error variable-value: the value of the variable size must be a number, got x"),
        ("a: 1\n", {**SIZE, "immutable": True}, "[{name: size, value: 4}]", "error variable-value: the value of the variable size must keep its default, as it is immutable"),
        ("a: 1\n", {**SIZE, "format": "numbers"}, "[]", "error variable-definition: variable size: format must be one of"),
    ],
)  # fmt: skip
def test_what_palette_refuses(values: str, variable: dict[str, Any], given: str, said: str) -> None:
    """An undefined variable is an error where definitions are known, whatever onUndefined says."""
    code, after, found = resolved(values, [variable], given)
    assert (code, after) == (1, values)
    assert said in found or (said.startswith("error undefined") and "defines no such variable" in found), (
        found
    )


def test_a_sensitive_default_is_in_no_result() -> None:
    """As a variable of the config that is called secret."""
    key = {"name": "key", "defaultValue": "s3cret-1", "isSensitive": True}
    _, after, found = resolved("a: '{{.spectro.var.key | fail}}'\nb: '{{.spectro.var.key}}'\n", [key])
    assert "s3cret-1" not in found
    assert "s3cret-1" not in after or "b: 's3cret-1'" in after
