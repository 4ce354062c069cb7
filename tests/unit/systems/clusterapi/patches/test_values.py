"""Values of patches: paths into variables, templates, and the YAML that comes out of them."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.systems.clusterapi.api.errors import PatchValueError
from krmkit.systems.clusterapi.patches.lookup import VariablePath
from krmkit.systems.clusterapi.patches.values import (
    ValueTemplate,
    Variables,
    enabled_by,
    value_of,
    yaml_value,
)

YAML: dict[str, Any] = {
    "yes": True,
    "n": False,
    "On": True,
    "0644": 420,
    "1_000": 1000,
    "1.20": 1.2,
    "1e+06": 1000000,
    "~": None,
    "": None,
    "12:30": "12:30",
    "2020-01-01": "2020-01-01",
    "v1.33.1": "v1.33.1",
    "kindest/node:v1.33.1": "kindest/node:v1.33.1",
    "a:": {"a": None},
    "- a\n- b: on": ["a", {"b": True}],
    "{\t\"a\":\t1}": {"a": 1},
    "a: 1\na: 2": {"a": 2},
    "'yes'": "yes",
    "1\n---\n2": 1,
}  # fmt: skip


@pytest.mark.parametrize("text", YAML)
def test_output_is_read_in_the_dialect_of_yaml_v2(text: str) -> None:
    """As sigs.k8s.io/yaml reads it into JSON."""
    value = yaml_value(text)

    assert value == YAML[text]
    assert type(value) is type(YAML[text])


PATHS: dict[str, tuple[str, Any]] = {
    "a variable": ("a", {"b": [{"c": 1}, 2]}),
    "a member": ("a.b", [{"c": 1}, 2]),
    "an element": ("a.b[1]", 2),
    "below an element": ("a.b[0].c", 1),
    "a number for an index": ("a.b.1", 2),
    "the rest of a segment is ignored": ("a.b[1]x", 2),
}


@pytest.mark.parametrize("name", PATHS)
def test_paths_lead_to_values(name: str) -> None:
    """The reference's syntax, its oddities included."""
    path, expected = PATHS[name]

    assert VariablePath(path).value({"a": {"b": [{"c": 1}, 2]}}) == expected


BAD_PATHS = {
    "x": (True, 'variable "x" does not exist'),
    "a.x": (True, 'variable "a.x" does not exist: failed to lookup segment "x"'),
    "a.b[2]": (False, 'variable "a.b[2]" is invalid: array does not have index 2'),
    "a[0]": (False, 'variable "a[0]" is invalid: failed to get array "a": value doesn\'t contain array; it contains object'),
    "a.b[-1]": (False, 'variable "a.b[-1]" has invalid syntax: invalid array index -1 in path segment "b[-1]"'),
    "a.b]": (False, 'variable "a.b]" has invalid syntax: failed to parse path segment "b]"'),
}  # fmt: skip


@pytest.mark.parametrize("path", BAD_PATHS)
def test_paths_to_nothing_say_so(path: str) -> None:
    """An absent variable and a malformed path are two kinds of error."""
    not_found, message = BAD_PATHS[path]

    with pytest.raises(PatchValueError) as caught:
        VariablePath(path).value({"a": {"b": [1, 2]}})

    assert str(caught.value) == message
    assert caught.value.not_found is not_found


def test_numbers_are_float64_in_templates() -> None:
    """As encoding/json decodes them: large ones print with an exponent, and do not equal an int."""
    variables = Variables({"n": 1048576, "small": 3})

    assert ValueTemplate("{{ .n }}Gi").value(variables) == "1.048576e+06Gi"
    assert ValueTemplate("{{ .small }}").value(variables) == 3
    with pytest.raises(PatchValueError, match="incompatible types for comparison"):
        ValueTemplate("{{ eq .small 3 }}").value(variables)


def test_a_template_does_not_change_the_variables() -> None:
    """Sprig's set works on a copy, so the next patch sees what the Cluster says."""
    variables = Variables({"m": {"a": "x"}})

    assert ValueTemplate('{{ $_ := set .m "a" "z" }}{{ .m.a }}').value(variables) == "z"
    assert ValueTemplate("{{ .m.a }}").value(variables) == "x"


@pytest.mark.parametrize(
    ("text", "expected"),
    [(None, True), ("", True), ("true", True), ("yes", True), ('"true"', False), ("1", False)],
)
def test_a_patch_is_enabled_by_exactly_true(text: str | None, expected: bool) -> None:
    """No template, or one that gives the boolean."""
    assert enabled_by(text)(Variables({})) is expected


@pytest.mark.parametrize(
    ("json_patch", "message"),
    [
        ({"value": None}, "neither .value nor .valueFrom are set"),
        ({"value": 1, "valueFrom": {"variable": "a"}}, "both .value and .valueFrom are set"),
        ({"valueFrom": {}}, "neither .valueFrom.variable nor .valueFrom.template are set"),
        ({"valueFrom": {"template": "{{ .a"}}, "failed to parse template"),
    ],
)
def test_values_that_are_not_given_properly(json_patch: dict[str, Any], message: str) -> None:
    """The texts are the reference's."""
    with pytest.raises(PatchValueError, match=message):
        value_of(json_patch)(Variables({"a": 1}))
