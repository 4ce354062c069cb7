"""krmkit.systems.clusterapi.variables.definitionvalidation: definitions that the webhook refuses."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.cel.kubernetes.environment import KubeEnvironment
from krmkit.systems.clusterapi.variables.definitionvalidation import validate_class_variables

OLD = KubeEnvironment((1, 29))


def errors(schema: dict[str, Any], **more: Any) -> list[str]:
    found = validate_class_variables(
        [{"name": "a", "schema": {"openAPIV3Schema": schema}, **more}], None, "v"
    )
    return [str(error).removeprefix("v[a].schema.openAPIV3Schema") for error in found]


INT = {"type": "integer"}
CASES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("a valid schema", {"type": "object", "properties": {"b": {**INT, "minimum": 1, "default": 1}}}, []),
    ("no type", {}, [".type: Required value: must not be empty for specified object fields"]),
    (
        "an unknown type",
        {"type": "text"},
        [
            '.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"'
        ],
    ),
    (
        "preserved without a type",
        {"x-kubernetes-preserve-unknown-fields": True},
        [".type: Required value: type cannot be empty"],
    ),
    (
        "int or string",
        {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        [],
    ),
    (
        "a map with properties",
        {"type": "object", "properties": {"b": INT}, "additionalProperties": INT},
        [": Forbidden: additionalProperties and properties are mutually exclusive"],
    ),
    (
        "additionalProperties that is no schema",
        {"type": "object", "additionalProperties": True},
        [
            '.additionalProperties: Invalid value: true: failed to convert schema definition for variable "a";'
            " ClusterClass should be checked: must be a schema, got true or false"
        ],
    ),
    (
        "keywords that the API does not have",
        {"type": "string", "title": "t", "nullable": True, "$ref": "x"},
        [],
    ),
    (
        "a default of another type",
        {**INT, "default": "x"},
        ['.default: Invalid value: "string":  in body must be of type integer: "string"'],
    ),
    (
        "an example that is too small",
        {**INT, "minimum": 1, "example": 0},
        [".example: Invalid value: 0:  in body should be greater than or equal to 1"],
    ),
    (
        "an enum value that is too small",
        {**INT, "minimum": 1, "enum": [1, 0]},
        [".enum[1]: Invalid value: 0:  in body should be greater than or equal to 1"],
    ),
    ("null counts neither as default nor in an enum", {**INT, "default": None, "enum": [1, None]}, []),
    (
        "a rule that fails for the example",
        {**INT, "example": 0, "x-kubernetes-validations": [{"rule": "self > 0"}]},
        [".example: Invalid value: 0: failed rule: self > 0"],
    ),
    (
        "a type deep inside",
        {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "x"}}},
        [
            '.additionalProperties.items.type: Unsupported value: "x": supported values: "array", "boolean", "integer", "number", "object", "string"'
        ],
    ),
]


@pytest.mark.parametrize(("schema", "expected"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_schemas(schema: dict[str, Any], expected: list[str]) -> None:
    """The errors of a schema have the paths and texts of the reference."""
    assert errors(schema) == expected


RULE = ".x-kubernetes-validations[0]"
RULES: list[tuple[str, dict[str, str], list[str]]] = [
    (
        "valid",
        {"rule": "self > 0", "message": "m", "messageExpression": "'a'", "reason": "FieldValueRequired"},
        [],
    ),
    ("no rule", {"rule": " "}, [f"{RULE}.rule: Required value: rule is not specified"]),
    (
        "a blank message",
        {"rule": "true", "message": " "},
        [f'{RULE}.message: Invalid value: " ": message must be non-empty if specified'],
    ),
    (
        "a long message",
        {"rule": "true", "message": "m" * 2049},
        [
            f'{RULE}.message: Invalid value: "mmmmmmmmmm...": message must have a maximum length of 2048 characters'
        ],
    ),
    (
        "a message of two lines",
        {"rule": "true", "message": "a\nb"},
        [f'{RULE}.message: Invalid value: "a\\nb": message must not contain line breaks'],
    ),
    (
        "a rule of two lines",
        {"rule": "true &&\ntrue"},
        [f"{RULE}.message: Required value: message must be specified if rule contains line breaks"],
    ),
    (
        "a blank messageExpression",
        {"rule": "true", "messageExpression": " "},
        [f"{RULE}.messageExpression: Required value: messageExpression must be non-empty if specified"],
    ),
    (
        "an unknown reason",
        {"rule": "true", "reason": "Because"},
        [
            f'{RULE}.reason: Unsupported value: "Because": supported values: "FieldValueDuplicate", "FieldValueForbidden",'
            ' "FieldValueInvalid", "FieldValueRequired"'
        ],
    ),
    (
        "a field path that leads nowhere",
        {"rule": "true", "fieldPath": ".b"},
        [
            f'{RULE}.fieldPath: Invalid value: ".b": fieldPath must be a valid path: does not refer to a valid field'
        ],
    ),
]


@pytest.mark.parametrize(("rule", "expected"), [row[1:] for row in RULES], ids=[row[0] for row in RULES])
def test_rules(rule: dict[str, str], expected: list[str]) -> None:
    """The errors of a rule have the paths and texts of the reference."""
    assert errors({**INT, "x-kubernetes-validations": [rule]}) == expected


def test_rules_are_compiled() -> None:
    """A rule or message that does not compile is quoted as Go prints it."""
    [rule, message] = errors(
        {**INT, "x-kubernetes-validations": [{"rule": "self.b"}, {"rule": "true", "messageExpression": "1"}]}
    )

    assert rule.startswith(
        f'{RULE}.rule: Invalid value: {{"Rule":"self.b","Message":"","MessageExpression":"","Reason":null,'
    )
    assert rule.endswith(
        "compilation failed: ERROR: <input>:1:5: type 'int' does not support field selection\n | self.b\n | ....^"
    )
    assert message.startswith(".x-kubernetes-validations[1].messageExpression: Invalid value: {")
    assert message.endswith(": messageExpression must evaluate to a string")


def test_old_self_in_a_list() -> None:
    """Items of lists have no old values."""
    [error] = errors(
        {"type": "array", "items": {**INT, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}
    )

    assert error == (
        '.items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the'
        " uncorrelatable portion of the schema within v[a].schema.openAPIV3Schema.items"
    )


def test_names() -> None:
    """Names are unique, not empty, not reserved, and without dots."""
    good = {"openAPIV3Schema": {"type": "string"}}
    variables = [{"name": name, "schema": good} for name in ("", "builtin", "a.b", "c", "c")]

    assert [str(error) for error in validate_class_variables(variables, None, "v")] == [
        'v[c].name: Invalid value: "c": variable name must be unique. Variable with name "c" is defined more than once',
        "v[].name: Required value: variable name must be defined",
        'v[builtin].name: Invalid value: "builtin": "builtin" is a reserved variable name',
        'v[a.b].name: Invalid value: "a.b": variable name cannot contain "."',
    ]


def test_metadata() -> None:
    """Labels and annotations are checked wherever they stand."""
    bad = {"labels": {".a": "b"}, "annotations": {"-c": "d"}}
    schema = {
        "type": "object",
        "properties": {"p": {"type": "array", "items": {"type": "string", "x-metadata": bad}}},
    }
    found = validate_class_variables(
        [{"name": "a", "deprecatedV1Beta1Metadata": bad, "schema": {"openAPIV3Schema": schema}}], None, "v"
    )

    assert [error.field for error in found] == [
        "v[a].deprecatedV1Beta1Metadata.labels",
        "v[a].deprecatedV1Beta1Metadata.annotations",
        "v[a].schema.openAPIV3Schema.properties[p].items.x-metadata.labels",
        "v[a].schema.openAPIV3Schema.properties[p].items.x-metadata.annotations",
    ]


def test_old_rules_may_stay() -> None:
    """New rules use the libraries that were asked for, rules that were there before the newest."""
    schema = {"type": "string", "x-kubernetes-validations": [{"rule": "ip(self).family() == 4"}]}
    variables = [{"name": "a", "schema": {"openAPIV3Schema": schema}}]

    [error] = validate_class_variables(variables, None, "v", OLD)
    assert "undeclared reference to 'ip'" in error.detail
    assert validate_class_variables(variables, variables, "v", OLD) == []


def test_json_text() -> None:
    """Bytes are JSON that is still to be read."""
    assert errors({**INT, "default": b"1"}) == []
    [error] = errors({**INT, "default": b"x"})
    assert error == (
        '.default: Invalid value: "x": failed to convert schema definition for variable "a"; ClusterClass should be checked:'
        " default is not valid JSON: invalid character 'x' looking for beginning of value"
    )


def test_a_deep_schema() -> None:
    """A schema without end is an error."""
    schema: dict[str, Any] = {"type": "array"}
    schema["items"] = schema
    [error] = errors(schema)

    assert "must not nest deeper than 100 levels" in error
