"""New text for values, in Go's form; tests/e2e compares strings at large with the real kpt."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.scalars import go_resolve

STRINGS = {
    "word": ("nginx", "nginx"),
    "empty": ("", '""'),
    "bool": ("true", '"true"'),
    "old bool": ("yes", '"yes"'),
    "old bool, one letter": ("N", '"N"'),
    "odd bool": ("yEs", "yEs"),
    "null": ("~", '"~"'),
    "int": ("010", '"010"'),
    "float": ("1e3", '"1e3"'),
    "date": ("2001-12-14", '"2001-12-14"'),
    "sexagesimal": ("12:30:45", '"12:30:45"'),
    "sexagesimal with a fraction": ("-1_0:5.5_", '"-1_0:5.5_"'),
    "beyond sexagesimal": ("1:60", "1:60"),
    "port": ("host:80", "host:80"),
    "address": ("::1", "::1"),
    "version": ("1.2.3", "1.2.3"),
    "merge": ("<<", "<<"),
    "equals": ("=", "="),
    "dash": ("-", "'-'"),
    "item": ("- a", "'- a'"),
    "option": ("--v=1", "--v=1"),
    "document start": ("---a", "'---a'"),
    "document end": ("...", "'...'"),
    "question": ("? a", "'? a'"),
    "key": ("a: b", "'a: b'"),
    "colon at the end": ("a:", "'a:'"),
    "comment": ("a #b", "'a #b'"),
    "number sign": ("a#b", "a#b"),
    "alias": ("*a", "'*a'"),
    "template": ("{{ .x }}", "'{{ .x }}'"),
    "variable": ("${x}", "${x}"),
    "apostrophe first": ("'a", "'''a'"),
    "apostrophe": ("it's: x", "'it''s: x'"),
    "quote first": ('"a"', "'\"a\"'"),
    "percent": ("%a", "'%a'"),
    "leading blank": (" a", "' a'"),
    "trailing blank": ("a ", "'a '"),
    "tab": ("a\tb", '"a\\tb"'),
    "backslash": ("a\\b", "a\\b"),
    "return": ("a\rb", '"a\\rb"'),
    "controls": ("\0\a\b\x1b\x7f\x80", '"\\0\\a\\b\\e\\x7F\\x80"'),
    "letters of Europe": ("é", "é"),
    "hard blank": ("\xa0", "\xa0"),
    "emoji": ("ok \U0001f600", '"ok \\U0001F600"'),
    "byte order mark": ("\ufeffa", '"\\uFEFFa"'),
    "line separator": ("a\u2028b", '"a\\Lb"'),
    "next line": ("a\x85b", '"a\\Nb"'),
    "half a pair": ("\ud800", '"\\uFFFD"'),
    "long": ("word " * 60 + "end", "word " * 60 + "end"),
}


@pytest.mark.parametrize(("text", "expected"), STRINGS.values(), ids=STRINGS.keys())
def test_strings(text: str, expected: str) -> None:
    """Double quotes where a reader would see another type, single ones where the syntax forbids plain text."""
    assert emit.scalar(text, 0) == expected


LITERALS = {
    "clip": ("a\nb\n", "|\n  a\n  b"),
    "strip": ("a\nb", "|-\n  a\n  b"),
    "keep": ("a\n\n", "|+\n  a\n"),
    "only a break": ("\n", "|2+\n"),
    "blank line inside": ("a\n\nb\n", "|\n  a\n\n  b"),
    "leading blank": (" a\nb\n", "|2\n   a\n  b"),
    "leading break": ("\na", "|2-\n\n  a"),
    "deeper line": ("a\n b\n", "|\n  a\n   b"),
    "leading tab": ("\ta\n", "|2\n  \ta"),
    "tab inside": ("a\tb\n", "|\n  a\tb"),
    "blank before a break": ("a \nb", '"a \\nb"'),
    "trailing blank": ("a\nb ", '"a\\nb "'),
    "escape needed": ("a\x7f\nb", '"a\\x7F\\nb"'),
    "windows": ("a\r\nb", '"a\\r\\nb"'),
}


@pytest.mark.parametrize(("text", "expected"), LITERALS.values(), ids=LITERALS.keys())
def test_strings_of_several_lines(text: str, expected: str) -> None:
    """A literal block with Go's indicators; quoted where blanks or escapes would be lost."""
    assert emit.scalar(text, 0) == expected
    assert yaml.load("k: " + expected + "\n", Loader=yaml.BaseLoader) == {"k": text}


SCALARS: dict[str, tuple[object, str]] = {
    "null": (None, "null"),
    "true": (True, "true"),
    "false": (False, "false"),
    "int": (-42, "-42"),
    "big int": (2**70, "1180591620717411303424"),
    "fraction": (0.5, "0.5"),
    "whole float": (8.0, "8"),
    "negative zero": (-0.0, "-0"),
    "below the exponent": (999999.0, "999999"),
    "exponent": (1000000.0, "1e+06"),
    "exponent and fraction": (-1234567.5, "-1.2345675e+06"),
    "large": (1e300, "1e+300"),
    "small": (0.0001, "0.0001"),
    "smaller": (0.000012, "1.2e-05"),
    "infinity": (float("-inf"), "-.inf"),
    "not a number": (float("nan"), ".nan"),
    "empty map": ({}, "{}"),
    "empty list": ([], "[]"),
}


@pytest.mark.parametrize(("value", "expected"), SCALARS.values(), ids=SCALARS.keys())
def test_scalars(value: object, expected: str) -> None:
    """Numbers in the shortest form that Go writes, and the other scalars."""
    assert emit.scalar(value, 0) == expected


KEYS = {
    "word": ("app.kubernetes.io/name", "app.kubernetes.io/name"),
    "bool": ("on", '"on"'),
    "number": ("1", '"1"'),
    "empty": ("", '""'),
    "merge": ("<<", '"<<"'),
    "colon": ("a: b", "'a: b'"),
    "several lines": ("a\nb", '"a\\nb"'),
}


@pytest.mark.parametrize(("name", "expected"), KEYS.values(), ids=KEYS.keys())
def test_keys(name: str, expected: str) -> None:
    """Keys are quoted as values are, stay on their line, and never turn into a merge."""
    assert emit.key(name) == expected


def test_key_that_no_reader_takes() -> None:
    """A key of more than a thousand characters is an error, because YAML readers give up on it."""
    with pytest.raises(YamlError, match="1001 characters"):
        emit.key("k" * 1001)


VALUE = {
    "name": "x",
    "list": ["a", {"b": 1, "c": [True]}, [1, ["2"]], {}],
    "map": {"deep": {"text": "l1\nl2\n"}, "none": None},
}


def test_compact_document() -> None:
    """Dashes below their key, mappings two deeper: kpt's form of new lists."""
    assert emit.document(VALUE) == (
        "name: x\n"
        "list:\n"
        "- a\n"
        "- b: 1\n"
        "  c:\n"
        "  - true\n"
        "- - 1\n"
        '  - - "2"\n'
        "- {}\n"
        "map:\n"
        "  deep:\n"
        "    text: |\n"
        "      l1\n"
        "      l2\n"
        "  none: null\n"
    )


def test_wide_document() -> None:
    """Dashes two deeper than their key, for files that do so."""
    assert emit.document({"a": [{"b": ["c", "l1\nl2"]}]}, wide=True) == (
        "a:\n  - b:\n      - c\n      - |-\n        l1\n        l2\n"
    )


def test_document_of_a_scalar_and_of_a_list() -> None:
    """A document need not be a mapping."""
    assert emit.document("a: b") == "'a: b'\n"
    assert emit.document([1, []]) == "- 1\n- []\n"
    assert emit.document({}) == "{}\n"
    assert emit.document("a\nb") == "|-\n  a\n  b\n"


def test_after_key() -> None:
    """The text behind a key's colon, ready for a key at any column."""
    assert emit.after_key("x", 4) == " x"
    assert emit.after_key([], 4) == " []"
    assert emit.after_key({"a": 1}, 4) == "\n      a: 1"
    assert emit.after_key(["a"], 4) == "\n    - a"
    assert emit.after_key(["a"], 4, wide=True) == "\n      - a"
    assert emit.after_key("a\nb\n", 4) == " |\n      a\n      b"


def test_after_dash() -> None:
    """The text behind a dash: further keys line up with the first."""
    assert emit.after_dash("x", 2) == " x"
    assert emit.after_dash({"a": {"b": 1}, "c": 2}, 2) == " a:\n      b: 1\n    c: 2"
    assert emit.after_dash([["a"]], 0) == " - - a"


@pytest.mark.parametrize(
    ("value", "expected"),
    [("x", "x"), ("1", '"1"'), ("c,d", "'c,d'"), ("e:f", "'e:f'"), ("", '""'), ("a\nb", '"a\\nb"'), (1, "1")],
)
def test_scalar_in_brackets(value: object, expected: str) -> None:
    """More quotes than elsewhere, and no block."""
    assert emit.scalar(value, 0, flow=True) == expected


def test_literal_with_a_deeper_step() -> None:
    """The indicator counts from the parent, so it follows the step of the file."""
    assert emit.literal(" a\n", 2, 4) == "|4\n       a"
    assert emit.literal("a", 0, 4) == "|-\n    a"


def test_what_is_no_data() -> None:
    """An object of another kind is an error of the program, named by its type."""
    with pytest.raises(TypeError, match="set"):
        emit.document({"a": {1}})


DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.text(max_size=12)
    | st.text(" \n:#-'\"ab{[,?|", max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=6) | st.text(" :#-a<?'", max_size=4), inner, max_size=3)
    ),
    max_leaves=10,
)


@settings(max_examples=300, deadline=None)
@given(DATA, st.booleans())
def test_what_was_written_is_read_back(value: object, wide: bool) -> None:
    """Any data, block or wide, comes back equal from libyaml, scalars by Go's rules."""
    expected = _as_read(value)

    assert _read(emit.document(value, wide)) == expected
    if not isinstance(value, (dict, list)):
        assert _read(f"[{emit.scalar(value, 0, flow=True)}]") == [expected]
    assert _read("  - k:" + emit.after_key(value, 4, wide) + "\n") == [{"k": expected}]


def _as_read(value: object) -> object:
    if isinstance(value, dict):
        return {_as_read(key): _as_read(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_read(item) for item in value]
    if isinstance(value, str):
        return "".join("\ufffd" if 0xD800 <= ord(character) < 0xE000 else character for character in value)
    return value


def _read(text: str) -> object:
    return _data(yaml.compose(text, Loader=yaml.CSafeLoader))


def _data(node: yaml.Node | None) -> object:
    if isinstance(node, yaml.MappingNode):
        return {_data(key): _data(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_data(item) for item in node.value]
    assert isinstance(node, yaml.ScalarNode)
    if node.style in ("'", '"', "|"):
        assert isinstance(node.value, str)
        return node.value
    return go_resolve(node.value)[1]
