"""JSON as encoding/json writes and reads it."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.core.values import Int64, NilList, StringMap
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.time.values import Duration, Time
from krmkit.libraries.sprig import call
from krmkit.libraries.sprig.semvers import semver


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"b": 1, "a": [True, None]}, '{"a":[true,null],"b":1}', id="sorted keys"),
        pytest.param({"é": 1, "z": 2}, '{"z":2,"é":1}', id="keys in the order of bytes"),
        pytest.param(
            "<a> & \u2028\x00\b\f\x7f", '"\\u003ca\\u003e \\u0026 \\u2028\\u0000\\b\\f\x7f"', id="escapes"
        ),
        pytest.param("\udcffx", '"\\ufffdx"', id="a stray byte"),
        pytest.param(1e20, "100000000000000000000", id="a large float in full"),
        pytest.param(1.5e21, "1.5e+21", id="a larger one with an exponent"),
        pytest.param(-2.5e-7, "-2.5e-7", id="a small one with an exponent"),
        pytest.param(1e-6, "0.000001", id="a small one in full"),
        pytest.param(-0.0, "-0", id="minus zero"),
        pytest.param(0.1, "0.1", id="a fraction"),
        pytest.param(Int64(-5), "-5", id="int64"),
        pytest.param(NilList(), "null", id="nil list"),
        pytest.param([[], {}], "[[],{}]", id="empty ones"),
        pytest.param(StringMap({"k": "v"}), '{"k":"v"}', id="map of strings"),
        pytest.param(semver("v1.2"), '"1.2.0"', id="version"),
        pytest.param(Duration(1500), "1500", id="duration"),
        pytest.param(Time(0, 500_000_000), '"1970-01-01T00:00:00.5Z"', id="time"),
        pytest.param(float("inf"), "", id="infinity is not JSON"),
    ],
)
def test_to_json(value: object, expected: str) -> None:
    """toJson writes as Go does, and nothing for what it cannot write."""
    assert call("toJson", value) == expected


def test_pretty_and_raw() -> None:
    """toPrettyJson indents by two, toRawJson leaves HTML signs alone."""
    assert call("toPrettyJson", {"a": [1, {}], "b": {"c": "<"}}) == (
        '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": {\n    "c": "\\u003c"\n  }\n}'
    )
    assert call("toRawJson", ["<>&\u2029"]) == '["<>&\\u2029"]'


@pytest.mark.parametrize("name", ["mustToJson", "mustToPrettyJson", "mustToRawJson", "toRawJson"])
def test_must_forms_fail(name: str) -> None:
    """The must forms, and toRawJson, name the value."""
    with pytest.raises(GoError, match=r"^json: unsupported value: -Inf$"):
        call(name, [float("-inf")])


def test_numbers_are_floats() -> None:
    """Every number that is read is a float64; the last of equal keys counts."""
    data = call("fromJson", ' {"a": 1, "a": [2, -0, 1e2], "b": "\\ud83d\\ude00 \\ud800"} ')

    assert data == {"a": [2.0, 0.0, 100.0], "b": "😀 \ufffd"}
    assert isinstance(data, dict)
    assert [type(item) for item in data["a"]] == [float] * 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "unexpected end of JSON input", id="nothing"),
        pytest.param("[1,", "unexpected end of JSON input", id="an open list"),
        pytest.param("[1 2]", "invalid character '2' after array element", id="no comma"),
        pytest.param("[1,]", "invalid character ']' looking for beginning of value", id="a comma too many"),
        pytest.param(
            "{a:1}", "invalid character 'a' looking for beginning of object key string", id="a bare key"
        ),
        pytest.param('{"a" 1}', "invalid character '1' after object key", id="no colon"),
        pytest.param(
            '{"a":1 "b"}', "invalid character '\"' after object key:value pair", id="no comma in a map"
        ),
        pytest.param("trux", "invalid character 'x' in literal true (expecting 'e')", id="a broken word"),
        pytest.param("1 x", "invalid character 'x' after top-level value", id="more behind"),
        pytest.param("-x", "invalid character 'x' in numeric literal", id="a sign alone"),
        pytest.param("1.x", "invalid character 'x' after decimal point in numeric literal", id="a dot alone"),
        pytest.param("1ex", "invalid character 'x' in exponent of numeric literal", id="an exponent alone"),
        pytest.param("01", "invalid character '1' after top-level value", id="a leading zero"),
        pytest.param('"a\nb"', "invalid character '\\n' in string literal", id="a line feed in a string"),
        pytest.param('"\\x"', "invalid character 'x' in string escape code", id="an unknown escape"),
        pytest.param(
            '"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape", id="no hex digit"
        ),
        pytest.param("NaN", "invalid character 'N' looking for beginning of value", id="NaN"),
        pytest.param("'a'", "invalid character '\\'' looking for beginning of value", id="single quotes"),
        pytest.param(
            "1e999", "json: cannot unmarshal number 1e999 into Go value of type float64", id="out of range"
        ),
    ],
)
def test_bad_json(text: str, message: str) -> None:
    """fromJson yields nil, mustFromJson the message of Go's scanner."""
    assert call("fromJson", text) is None
    with pytest.raises(GoError) as caught:
        call("mustFromJson", text)

    assert caught.value.message == message


def test_hostile_nesting_is_refused() -> None:
    """Neither a deep text nor a value that contains itself ends in a crash."""
    loop: list[object] = []
    loop.append(loop)

    with pytest.raises(GoError, match="contains itself"):
        call("toJson", loop)
    with pytest.raises(GoError, match="nested too deeply"):
        call("fromJson", "[" * 100_000)
