"""Scalars by the rules of Go's yaml.v3 and of YAML 1.2 core; tests/e2e compares the first with the real kpt."""

from __future__ import annotations

import math

import pytest

from krmkit.libraries.yaml.data import core_value, go_value
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.scalars import core_resolve, go_resolve, is_timestamp
from krmkit.libraries.yaml.tree import Scalar

GO = {
    "empty": ("", "null", None),
    "tilde": ("~", "null", None),
    "null": ("null", "null", None),
    "capital null": ("NULL", "null", None),
    "odd null": ("nUll", "str", "nUll"),
    "true": ("true", "bool", True),
    "capital false": ("False", "bool", False),
    "yes is text": ("yes", "str", "yes"),
    "on is text": ("on", "str", "on"),
    "y is text": ("y", "str", "y"),
    "equals sign": ("=", "str", "="),
    "merge": ("<<", "merge", "<<"),
    "word": ("nginx", "str", "nginx"),
    "zero": ("0", "int", 0),
    "decimal": ("42", "int", 42),
    "plus": ("+1", "int", 1),
    "minus zero": ("-0", "int", 0),
    "old octal": ("0777", "int", 511),
    "new octal": ("0o777", "int", 511),
    "capital octal": ("0O17", "int", 15),
    "signed octal": ("-010", "int", -8),
    "signed new octal": ("-0o17", "int", -15),
    "no octal digit": ("08", "float", 8.0),
    "no octal digit, underscore": ("0_8", "float", 8.0),
    "no new octal digit": ("0o8", "str", "0o8"),
    "binary": ("0b11", "int", 3),
    "signed binary": ("-0b11", "int", -3),
    "no binary digit": ("0b2", "str", "0b2"),
    "binary without digits": ("0b", "str", "0b"),
    "sign behind the prefix": ("0b-1", "int", -1),
    "two signs": ("-0b-1", "str", "-0b-1"),
    "hexadecimal": ("0x1F", "int", 31),
    "hexadecimal, underscore": ("0x_1F", "int", 31),
    "sign in hexadecimal": ("0x-1", "str", "0x-1"),
    "no hexadecimal float": ("0x1p2", "str", "0x1p2"),
    "underscores": ("1_000", "int", 1000),
    "trailing underscore": ("1_", "int", 1),
    "underscore behind a sign": ("+_1", "int", 1),
    "leading underscore": ("_1", "str", "_1"),
    "underscore in a float": ("1_0.5", "float", 10.5),
    "digits of other scripts": ("1\u0663", "str", "1\u0663"),
    "int64": ("9223372036854775807", "int", 2**63 - 1),
    "uint64": ("18446744073709551615", "int", 2**64 - 1),
    "beyond uint64": ("18446744073709551616", "float", float(2**64)),
    "smallest int64": ("-9223372036854775808", "int", -(2**63)),
    "below int64": ("-9223372036854775809", "float", float(-(2**63) - 1)),
    "signed, beyond int64": ("+9223372036854775808", "float", float(2**63)),
    "hexadecimal beyond uint64": ("0x1FFFFFFFFFFFFFFFF", "str", "0x1FFFFFFFFFFFFFFFF"),
    "octal beyond uint64": ("07777777777777777777777", "float", 7777777777777777777777.0),
    "fraction": ("0.5", "float", 0.5),
    "no whole part": (".5", "float", 0.5),
    "no fraction": ("5.", "float", 5.0),
    "exponent": ("1e3", "float", 1000.0),
    "signed exponent": ("1E-3", "float", 0.001),
    "no exponent digits": ("1e", "str", "1e"),
    "dot and exponent": (".e5", "str", ".e5"),
    "separator after a dot": (".5_0", "float", 0.5),
    "misplaced separator after a dot": (".5_", "str", ".5_"),
    "dots": ("..", "str", ".."),
    "version": ("1.2.3", "str", "1.2.3"),
    "address": ("10.0.0.1", "str", "10.0.0.1"),
    "too large a float": ("1e400", "str", "1e400"),
    "too small a float": ("1e-400", "float", 0.0),
    "infinity": (".inf", "float", math.inf),
    "signed infinity": ("-.Inf", "float", -math.inf),
    "odd infinity": (".iNF", "str", ".iNF"),
    "bare sign": ("-", "str", "-"),
    "option": ("--v", "str", "--v"),
    "sexagesimal": ("1:30", "str", "1:30"),
    "clock": ("12:30:45", "str", "12:30:45"),
    "date": ("2001-12-14", "timestamp", "2001-12-14"),
    "short date": ("2001-1-2", "timestamp", "2001-1-2"),
    "no such month": ("2001-13-1", "str", "2001-13-1"),
    "no leap year": ("2001-2-29", "str", "2001-2-29"),
}


@pytest.mark.parametrize(("text", "tag", "value"), GO.values(), ids=GO.keys())
def test_go(text: str, tag: str, value: object) -> None:
    """A plain scalar has the tag and the value that Go's yaml.v3 gives it."""
    found = go_resolve(text)

    assert found == (tag, value)
    assert type(found[1]) is type(value)


def test_not_a_number() -> None:
    """All three spellings are the float that equals nothing."""
    for text in (".nan", ".NaN", ".NAN"):
        tag, value = go_resolve(text)

        assert tag == "float"
        assert isinstance(value, float)
        assert math.isnan(value)


TIMESTAMPS = {
    "2004-2-29": True,
    "1900-02-29": False,
    "2000-02-29": True,
    "2001-04-31": False,
    "0000-01-01": True,
    "2001-00-01": False,
    "2001-1-0": False,
    "2001-1": False,
    "2001-1-2x": False,
    "201-1-2": False,
    "2001-123-1": False,
    "2001-12-14 21:59:43": True,
    "2001-12-14   2:5:4.25": True,
    "2001-12-14 21:59": False,
    "2001-12-14 21:59:43Z": False,
    "2001-12-14 21:59:43.10 -5": False,
    "2001-12-14T21:59:43Z": True,
    "2001-12-14t1:2:3,5Z": True,
    "2001-12-14T21:59:43": False,
    "2001-12-14T21:59:43.Z": False,
    "2001-12-14T24:00:00Z": False,
    "2001-12-14T23:60:00Z": False,
    "2001-12-14T23:59:60Z": False,
    "2001-12-14T21:59:43.1-05:00": True,
    "2001-12-14T21:59:43+24:60": True,
    "2001-12-14T21:59:43+25:00": False,
    "2001-12-14T21:59:43+5:00": False,
    "2001-12-14X21:59:43Z": False,
}


@pytest.mark.parametrize(("text", "expected"), TIMESTAMPS.items())
def test_timestamps(text: str, expected: bool) -> None:
    """The four forms that yaml.v3 reads as a time, and their neighbours that it does not."""
    assert is_timestamp(text) is expected
    assert (go_resolve(text)[0] == "timestamp") is expected


CORE = {
    "null": ("~", "null", None),
    "true": ("TRUE", "bool", True),
    "yes": ("yes", "str", "yes"),
    "leading zero": ("010", "int", 10),
    "octal": ("0o17", "int", 15),
    "no octal digit": ("0o8", "str", "0o8"),
    "hexadecimal": ("0x1f", "int", 31),
    "capital prefix": ("0X1f", "str", "0X1f"),
    "signed hexadecimal": ("-0x1f", "str", "-0x1f"),
    "binary": ("0b1", "str", "0b1"),
    "underscores": ("1_000", "str", "1_000"),
    "large": ("99999999999999999999", "int", 99999999999999999999),
    "date": ("2001-12-14", "str", "2001-12-14"),
    "merge": ("<<", "str", "<<"),
    "float": ("-1.5e3", "float", -1500.0),
    "infinity": ("+.INF", "float", math.inf),
    "sexagesimal": ("1:30", "str", "1:30"),
    "too long to convert": ("1" * 5000, "float", math.inf),
}


@pytest.mark.parametrize(("text", "tag", "value"), CORE.values(), ids=CORE.keys())
def test_core(text: str, tag: str, value: object) -> None:
    """The rules of the YAML 1.2 core schema."""
    found = core_resolve(text)

    assert found == (tag, value)
    assert type(found[1]) is type(value)


TAGGED = {
    "quoted": ("'", None, "1", "1"),
    "literal": ("|", None, "true", "true"),
    "plain": ("", None, "1", 1),
    "empty tag": ("", "!", "1", 1),
    "str": ("", "!!str", "1", "1"),
    "int in quotes": ('"', "!!int", "12", 12),
    "int as float": ("", "!!float", "12", 12.0),
    "null": ("", "!!null", "", None),
    "bool": ("'", "!!bool", "true", True),
    "timestamp": ("'", "!!timestamp", "2001-12-14", "2001-12-14"),
    "binary": ("", "!!binary", "YQ==", "YQ=="),
    "foreign": ("", "!Ref", "12", "12"),
}


@pytest.mark.parametrize(("style", "tag", "text", "expected"), TAGGED.values(), ids=TAGGED.keys())
def test_tags_and_styles(style: str, tag: str | None, text: str, expected: object) -> None:
    """Quotes make text, and an explicit tag decides before the text does, in both schemas."""
    for value in (go_value, core_value):
        found = value(Scalar(text, style, tag=tag))
        assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("!!int", "1.5"),
        ("!!int", "abc"),
        ("!!bool", "yes"),
        ("!!null", "x"),
        ("!!float", ""),
    ],
)
def test_text_that_does_not_fit_its_tag(tag: str, text: str) -> None:
    """A tag that the text cannot have is an error which names both."""
    with pytest.raises(YamlError, match=f"cannot read {text!r} as {tag}"):
        go_value(Scalar(text, tag=tag))
