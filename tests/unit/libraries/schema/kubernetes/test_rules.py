"""krmkit.libraries.schema.kubernetes.rules: x-kubernetes-validations at every level."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.libraries.cel.kubernetes.environment import OUT_OF_STEPS, KubeEnvironment
from krmkit.libraries.schema.errors import SchemaError
from krmkit.libraries.schema.kubernetes.rulepath import rule_path
from krmkit.libraries.schema.kubernetes.rules import RuleSet, has_rules
from krmkit.libraries.schema.kubernetes.ruletypes import escaped
from krmkit.libraries.schema.openapi import read_schema

ENVIRONMENT = KubeEnvironment()


def evaluate(schema: dict[str, Any], value: object, old: object = None) -> list[str]:
    read = read_schema(schema)
    return [str(error) for error in RuleSet(read, ENVIRONMENT).evaluate(read, value, old, "v")]


def rules(*texts: str | dict[str, str]) -> dict[str, Any]:
    return {"x-kubernetes-validations": [{"rule": text} if isinstance(text, str) else text for text in texts]}


INT = {"type": "integer"}
FAILS: list[tuple[str, dict[str, Any], object, object, list[str]]] = [
    ("true", {**INT, **rules("self > 0")}, 1, None, []),
    ("false", {**INT, **rules("self > 0")}, 0, None, ["v: Invalid value: 0: failed rule: self > 0"]),
    (
        "a message",
        {**INT, **rules({"rule": "false", "message": " no "})},
        0,
        None,
        ["v: Invalid value: 0: no"],
    ),
    (
        "messageExpression before message",
        {**INT, **rules({"rule": "false", "message": "no", "messageExpression": "'got %d'.format([self])"})},
        7,
        None,
        ["v: Invalid value: 7: got 7"],
    ),
    (
        "a messageExpression that fails",
        {
            **INT,
            **rules({"rule": "false", "message": "no", "messageExpression": "string(1 / (self - self))"}),
        },
        7,
        None,
        ["v: Invalid value: 7: no"],
    ),
    (
        "a messageExpression with a line break",
        {**INT, **rules({"rule": "false", "messageExpression": "'a\\nb'"})},
        7,
        None,
        ["v: Invalid value: 7: failed rule: false"],
    ),
    (
        "forbidden",
        {**INT, **rules({"rule": "false", "reason": "FieldValueForbidden"})},
        0,
        None,
        ["v: Forbidden: failed rule: false"],
    ),
    (
        "required",
        {**INT, **rules({"rule": "false", "reason": "FieldValueRequired"})},
        0,
        None,
        ["v: Required value: failed rule: false"],
    ),
    (
        "duplicate",
        {**INT, **rules({"rule": "false", "reason": "FieldValueDuplicate"})},
        0,
        None,
        ["v: Duplicate value: 0"],
    ),
    (
        "a field path",
        {"type": "object", "properties": {"a": INT}, **rules({"rule": "self.a > 0", "fieldPath": ".a"})},
        {"a": 0},
        None,
        ['v.a: Invalid value: {"a":0}: failed rule: self.a > 0'],
    ),
    (
        "a field path into a map",
        {"type": "object", "additionalProperties": INT, **rules({"rule": "false", "fieldPath": "['k']"})},
        {},
        None,
        ["v[k]: Invalid value: {}: failed rule: false"],
    ),
    ("a transition rule without old value", {**INT, **rules("self == oldSelf")}, 1, None, []),
    (
        "a transition rule",
        {**INT, **rules("self == oldSelf")},
        1,
        2,
        ["v: Invalid value: 1: failed rule: self == oldSelf"],
    ),
    (
        "old values of properties and maps, none of items",
        {
            "type": "object",
            "properties": {
                "p": {**INT, **rules("self == oldSelf")},
                "m": {"type": "object", "additionalProperties": {**INT, **rules("self == oldSelf")}},
                "l": {"type": "array", "items": {**INT, **rules("self == oldSelf")}},
            },
        },
        {"p": 1, "m": {"k": 1}, "l": [1]},
        {"p": 2, "m": {"k": 2}, "l": [2]},
        [
            "v.p: Invalid value: 1: failed rule: self == oldSelf",
            "v.m[k]: Invalid value: 1: failed rule: self == oldSelf",
        ],
    ),
    (
        "items",
        {"type": "array", "items": {**INT, **rules("self > 0")}},
        [1, 0],
        None,
        ["v[1]: Invalid value: 0: failed rule: self > 0"],
    ),
    (
        "an unknown field of the schema",
        {"type": "object", "properties": {"a": INT}, **rules("self.b > 0")},
        {},
        None,
        [
            "v: Invalid value: {}: rule compile error: compilation failed: ERROR: <input>:1:5: undefined field 'b'\n"
            " | self.b > 0\n | ....^"
        ],
    ),
    (
        "a field that is absent",
        {"type": "object", "properties": {"a": INT}, **rules("self.a > 0")},
        {},
        None,
        ["v: Invalid value: {}: no such key: a evaluating rule: self.a > 0"],
    ),
    (
        "a rule that is no condition",
        {**INT, **rules("self")},
        1,
        None,
        ["v: Invalid value: 1: rule compile error: cel expression must evaluate to a bool"],
    ),
    (
        "int or string, the other type",
        {"x-kubernetes-int-or-string": True, **rules("self > 1")},
        "a",
        None,
        [
            "v: Invalid value: \"a\": 'no such overload': call arguments did not match a supported operator,"
            " function or macro signature for rule: self > 1"
        ],
    ),
    (
        "a schema that rules cannot see",
        {"x-kubernetes-preserve-unknown-fields": True, **rules("true")},
        {"a": 1},
        None,
        [
            'v: Invalid value: {"a":1}: rule compile error: rule declared on schema that does not support validation rules'
            " type: '' x-kubernetes-preserve-unknown-fields: 'true'"
        ],
    ),
    ("null is not validated", {**INT, **rules("self > 0")}, None, None, []),
    ("a blank rule is none", {**INT, **rules(" ")}, 1, None, []),
]


@pytest.mark.parametrize(
    ("schema", "value", "old", "expected"), [row[1:] for row in FAILS], ids=[row[0] for row in FAILS]
)
def test_evaluate(schema: dict[str, Any], value: object, old: object, expected: list[str]) -> None:
    """A rule that fails is reported where and as the API server does."""
    assert evaluate(schema, value, old) == expected


OBJECT = {
    "type": "object",
    "properties": {
        "number": {"type": "number"},
        "when": {"type": "string", "format": "date-time"},
        "day": {"type": "string", "format": "date"},
        "wait": {"type": "string", "format": "duration"},
        "blob": {"type": "string", "format": "byte"},
        "a.b-c/d__e": {"type": "string"},
        "namespace": {"type": "string"},
        "map": {
            "type": "object",
            "additionalProperties": {"type": "object", "properties": {"q": {"type": "number"}}},
        },
        "rows": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        "any": {"x-kubernetes-int-or-string": True},
        "a_b": {"type": "integer"},
        "aB": {"type": "integer"},
        "2bad": {"type": "integer"},
    },
}
VALUE = {
    "number": 2,
    "when": "2020-01-01T00:00:00Z",
    "day": "2020-01-01",
    "wait": "1h",
    "blob": "aGk=",
    "a.b-c/d__e": "x",
    "namespace": "n",
    "map": {"a.b": {"q": 1}},
    "rows": [[1], [2, 3]],
    "any": 5,
    "a_b": 1,
    "aB": 2,
    "2bad": 3,
    "unknown": 1,
}


@pytest.mark.parametrize(
    "rule",
    [
        "self.number + 0.5 == 2.5",
        "self.when == timestamp('2020-01-01T00:00:00Z')",
        "self.day.getFullYear() == 2020",
        "self.wait == duration('60m')",
        "self.blob == b'hi'",
        "self.a__dot__b__dash__c__slash__d__underscores__e == 'x'",
        "self.__namespace__ == 'n'",
        "self.map['a.b'].q < 2.0",
        "self.map.all(k, k == 'a.b')",
        "self.rows[1].size() == 2 && self.rows.all(r, r.all(i, i > 0))",
        "type(self.any) == int",
        "self.a_b + self.aB == 3",
        "self.?number.orValue(0.0) == 2.0",
        "has(self.number)",
        "cel.bind(n, self.number, n * n) == 4.0",
    ],
)
def test_types(rule: str) -> None:
    """A rule sees values with the types and names of the schema."""
    assert evaluate({**OBJECT, **rules(rule)}, VALUE) == []


@pytest.mark.parametrize(
    "rule",
    [
        "self.number + 1 == 3",
        "self.map['x'].z == 1.0",
        "self.when == '2020'",
        "self.unknown == 1",
        "self.day > 1",
    ],
)
def test_types_are_checked(rule: str) -> None:
    """A rule that cannot fit the schema does not compile."""
    [error] = evaluate({**OBJECT, **rules(rule)}, VALUE)

    assert "rule compile error: compilation failed: ERROR: <input>:1:" in error


def test_names_do_not_disturb(capfd: pytest.CaptureFixture[str]) -> None:
    """Property names that protocol buffers dislike leave no words on stderr."""
    names = ("x_m", "xM", "XMEntry", "x_m_entry", "a", "A")
    properties: dict[str, Any] = {
        name: {"type": "object", "additionalProperties": {"type": "string"}} for name in names
    }
    schema = {
        "type": "object",
        "properties": properties,
        **rules("self.xM['a'] == 'b' && self.x_m.size() == 0"),
    }

    assert evaluate(schema, {"xM": {"a": "b"}, "x_m": {}}) == []
    assert capfd.readouterr().err == ""


def test_steps_are_limited() -> None:
    """A rule that takes too many steps fails, and no other rule runs after it."""
    schema = {
        "type": "array",
        "items": INT,
        **rules("self.all(x, self.all(y, self.all(z, x + y + z >= 0)))", "false"),
    }
    [error] = evaluate(schema, list(range(50)))

    assert f"'{OUT_OF_STEPS}': no further validation rules will be run" in error


def test_long_texts_in_loops() -> None:
    """A rule that would read a long text in each of many iterations does not even start."""
    schema = {
        "type": "object",
        "properties": {"text": {"type": "string"}, "list": {"type": "array", "items": INT}},
        **rules("self.list.all(x, self.text.matches('(a|b)*c'))"),
    }
    [error] = evaluate(schema, {"text": "ab" * 1_500_000, "list": list(range(9_000))})

    assert OUT_OF_STEPS in error
    assert OUT_OF_STEPS not in evaluate(schema, {"text": "ab" * 100, "list": list(range(9_000))})[0]


def test_has_rules() -> None:
    """Rules count at any level."""
    assert has_rules(
        read_schema(
            {"type": "array", "items": {"type": "object", "additionalProperties": {**INT, **rules("true")}}}
        )
    )
    assert not has_rules(read_schema(OBJECT))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a", "a"), ("a.b", "a__dot__b"), ("a-b", "a__dash__b"), ("a/b", "a__slash__b"), ("a__b", "a__underscores__b"),
     ("in", "__in__"), ("namespace", "__namespace__"), ("2a", None), ("", None), ("a$", None), ("é", None)],
)  # fmt: skip
def test_escaped(name: str, expected: str | None) -> None:
    """Property names are escaped as in Kubernetes."""
    assert escaped(name) == expected


PATHS = read_schema(
    {
        "type": "object",
        "properties": {
            "a": {"type": "object", "properties": {"b.c": {"type": "string"}, "d\a": {"type": "string"}}},
            "m": {
                "type": "object",
                "additionalProperties": {"type": "object", "properties": {"x": {"type": "string"}}},
            },
            "l": {"type": "array", "items": {"type": "object"}},
        },
    }
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".a", "a"),
        (".a['b.c']", "a.b.c"),
        ("['a']['d\\a']", "a.d\a"),
        (".m.key", "m[key]"),
        (".m['k.l'].x", "m[k.l].x"),
    ],
)
def test_rule_path(text: str, expected: str) -> None:
    """A path names fields and keys of maps."""
    assert rule_path(text, PATHS) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (".b", "does not refer to a valid field"),
        (".l[0]", "expected single quoted string but got 0"),
        (".l['0']", "does not refer to a valid field"),
        ("a", "expected [ or . but got: a"),
        (".", "unexpected end of JSON path"),
        (".a[", "unexpected end of JSON path"),
        (".a['b.c'", "unexpected end of JSON path"),
        (".a['b.c'.", "expected ] but got ."),
        (".a['\\q']", "invalid string literal: invalid escape char \\q"),
    ],
)
def test_rule_path_errors(text: str, problem: str) -> None:
    """A path that names nothing is an error in the words of Kubernetes."""
    with pytest.raises(SchemaError) as caught:
        rule_path(text, PATHS)

    assert str(caught.value) == problem
