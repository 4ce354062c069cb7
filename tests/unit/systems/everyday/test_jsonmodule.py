"""krmkit.systems.everyday.starlark.jsonmodule: JSON as go.starlark.net writes it."""

from __future__ import annotations

import pytest

from krmkit.systems.everyday.starlark.jsonmodule import encode, indent


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (10**20, "100000000000000000000"),
        (1.0, "1.0"),
        (1.5, "1.5"),
        (1e100, "1e+100"),
        (-0.25, "-0.25"),
        ("", '""'),
        ('a "b" \\', '"a \\"b\\" \\\\"'),
        ("<", '"<"'),
        ("é<\n", '"é\\u003c\\n"'),
        ([], "[]"),
        ((1, None), "[1,null]"),
        ({}, "{}"),
        ({"z": [{"b": 1, "a": 2}], "a": True}, '{"a":true,"z":[{"a":2,"b":1}]}'),
    ],
)
def test_encode(value: object, text: str) -> None:
    """Keys are sorted, and a float has a point or an exponent."""
    assert encode(value) == text


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "cannot encode non-finite float nan"),
        (float("inf"), "cannot encode non-finite float inf"),
        (float("-inf"), "cannot encode non-finite float -inf"),
        ({1: 2}, "dict has int key, want string"),
        ([{"a": {2}}], "cannot encode set as JSON"),
    ],
)
def test_what_has_no_json(value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        encode(value)


@pytest.mark.parametrize(
    ("text", "prefix", "sign", "lines"),
    [
        ('{"a":[1,{}],"b":[]}', "", "\t", '{\n\t"a": [\n\t\t1,\n\t\t{}\n\t],\n\t"b": []\n}'),
        ("[1, 2]", "> ", " ", "[\n>  1,\n>  2\n> ]"),
        ('"{a,b}"', "", "\t", '"{a,b}"'),
    ],
)
def test_indent(text: str, prefix: str, sign: str, lines: str) -> None:
    """Each value has its line, but for empty lists and maps; the first line has no prefix."""
    assert indent(text, prefix, sign) == lines


def test_indent_of_no_json() -> None:
    with pytest.raises(ValueError):
        indent("[1,")
