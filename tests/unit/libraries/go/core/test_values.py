"""Go values: types, kinds, equality, and JSON data taken over."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.core import values
from krmkit.libraries.go.core.cast import parse_int, parse_integer
from krmkit.libraries.go.core.values import (
    ABSENT,
    GoObject,
    Int64,
    IntList,
    NilList,
    StringList,
    StringMap,
    Uint8,
)
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.json.data import from_json
from krmkit.libraries.sprig.compare import deep_equal


class Color(GoObject):
    """A struct for tests."""

    go_type = "paint.Color"

    def __init__(self, name: str) -> None:
        self.name = name

    def go_string(self) -> str:
        return self.name

    def go_equal(self, other: GoObject) -> bool:
        return isinstance(other, Color) and self.name == other.name


@pytest.mark.parametrize(
    ("value", "type_name", "kind", "basic"),
    [
        (None, "<nil>", "invalid", ""),
        (True, "bool", "bool", "bool"),
        (1, "int", "int", "int"),
        (Int64(1), "int64", "int64", "int"),
        (Uint8(1), "uint8", "uint8", "uint"),
        (1.0, "float64", "float64", "float"),
        ("a", "string", "string", "string"),
        ([1], "[]interface {}", "slice", ""),
        (StringList(), "[]string", "slice", ""),
        (NilList(), "[]interface {}", "slice", ""),
        ({}, "map[string]interface {}", "map", ""),
        (StringMap(), "map[string]string", "map", ""),
        (Color("red"), "paint.Color", "struct", ""),
    ],
)
def test_types_and_kinds(value: object, type_name: str, kind: str, basic: str) -> None:
    """What %T prints, what kindOf names, and what eq compares by."""
    assert (values.type_of(value), values.kind_of(value), values.basic_kind(value)) == (
        type_name,
        kind,
        basic,
    )


@pytest.mark.parametrize("value", [None, ABSENT, False, 0, 0.0, "", [], {}, NilList()])
def test_what_is_false(value: object) -> None:
    """Nil, zero and whatever is empty."""
    assert not value


@pytest.mark.parametrize("value", [True, -1, 0.5, float("nan"), "false", [None], {"a": None}, Color("red")])
def test_what_is_true(value: object) -> None:
    """All else, texts that say false included."""
    assert value


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        pytest.param([1, {"a": [2.0]}], [1, {"a": [2.0]}], True, id="nested"),
        pytest.param(1, 1.0, False, id="types differ"),
        pytest.param(1, Int64(1), False, id="integer types differ"),
        pytest.param(["a"], StringList(["a"]), False, id="list types differ"),
        pytest.param([], NilList(), False, id="a nil list is not an empty one"),
        pytest.param({"a": None}, {"b": None}, False, id="keys differ"),
        pytest.param(None, 0, False, id="nil and zero"),
        pytest.param(float("nan"), float("nan"), False, id="NaN"),
        pytest.param(Color("red"), Color("red"), True, id="objects by their own rule"),
    ],
)
def test_deep_equal(left: object, right: object, equal: bool) -> None:
    """reflect.DeepEqual."""
    assert deep_equal(left, right) is equal


def test_from_json_copies_and_converts() -> None:
    """Whole numbers become what the caller says; the data stay as they are."""
    data = {"a": [1, 2.5, {"b": 3}], "t": True}

    as_floats = from_json(data)
    as_int64 = from_json(data, "int64")

    assert deep_equal(as_floats, {"a": [1.0, 2.5, {"b": 3.0}], "t": True})
    assert deep_equal(as_int64, {"a": [Int64(1), 2.5, {"b": Int64(3)}], "t": True})
    assert deep_equal(from_json(data, "int"), data)
    assert type(data["a"][0]) is int  # type: ignore[index]


def test_from_json_keeps_go_values() -> None:
    """Values that are Go's already are taken as they are."""
    data = {"l": IntList([1]), "o": Color("red")}

    found = from_json(data)

    assert found == data
    assert isinstance(found, dict)
    assert found["l"] is data["l"]


def test_from_json_replaces_lone_surrogates() -> None:
    """As encoding/json reads them; a stray byte cannot come from JSON."""
    assert from_json({"k\ud800": "\udc80x"}) == {"k\ufffd": "\ufffdx"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param({1: 2}, "keys of a map are strings", id="a key that is no string"),
        pytest.param([{2}], "takes JSON data", id="a set"),
        pytest.param(10**400, "too large for a float64", id="a huge number"),
    ],
)
def test_what_json_cannot_hold(data: object, message: str) -> None:
    """Errors say what is wrong."""
    with pytest.raises(GoError, match=message):
        from_json(data)


def test_keys_are_sorted_by_bytes() -> None:
    """Numbers as text, capitals first, stray bytes where their byte puts them."""
    assert values.sorted_keys({"b": 1, "a": 1, "B": 1, "10": 1, "9": 1}) == ["10", "9", "B", "a", "b"]
    assert values.sorted_keys({"é": 1, "\udc80": 1, "z": 1}) == ["z", "\udc80", "é"]


def test_text_is_bytes() -> None:
    """Stray bytes come back; a surrogate that stands for no byte does not."""
    assert values.encode("é\udcff") == b"\xc3\xa9\xff"
    assert values.decode(b"\xc3\xa9\xff") == "é\udcff"
    assert values.encode("\ud800") == "\ufffd".encode()


@pytest.mark.parametrize(
    ("text", "base", "number"),
    [
        ("0x1f", 0, 31),
        ("-0X1F", 0, -31),
        ("0b101", 0, 5),
        ("0o17", 0, 15),
        ("017", 0, 15),
        ("08", 0, None),
        ("0", 0, 0),
        ("19", 0, 19),
        ("+5", 0, 5),
        ("--5", 0, None),
        ("+", 0, None),
        ("", 0, None),
        ("0x", 0, None),
        ("0xg", 0, None),
        ("1_000", 0, 1000),
        ("0x_f", 0, 15),
        ("1__0", 0, None),
        ("_1", 0, None),
        ("010", 10, 10),
        ("1_0", 10, None),
        ("0x1", 10, None),
        ("7F", 16, 127),
        ("7g", 16, None),
        ("9223372036854775807", 0, 2**63 - 1),
        ("9223372036854775808", 0, None),
        ("-9223372036854775808", 0, -(2**63)),
        ("-9223372036854775809", 0, None),
        ("0b" + "0" * 80 + "11", 0, 3),
    ],
)
def test_whole_numbers(text: str, base: int, number: int | None) -> None:
    """As strconv.ParseInt reads them: prefixes and underscores with base 0 only, and 64 bits."""
    assert parse_int(text, base) == number


@pytest.mark.parametrize(
    ("text", "number"), [("0b1" + "0" * 63, 2**63), ("0b1" + "0" * 64, None), ("9" * 64, 10**64 - 1)]
)
def test_numbers_beyond_64_bits(text: str, number: int | None) -> None:
    """Without bounds, a number has up to 64 digits."""
    assert parse_integer(text) == number
