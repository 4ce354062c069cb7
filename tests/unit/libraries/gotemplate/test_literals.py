"""Literals: strings, character constants, numbers and the types that can hold them."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.core.cast import parse_float, parse_integer
from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.gotemplate.literals import number, rune, unquote


@pytest.mark.parametrize(
    ("quoted", "text"),
    [
        pytest.param('"a\\tb\\n"', "a\tb\n", id="simple escapes"),
        pytest.param(r'"\a\b\f\n\r\t\v\\\""', '\a\b\f\n\r\t\v\\"', id="all simple escapes"),
        pytest.param(r'"\0011"', "\x011", id="three octal digits"),
        pytest.param('"\\x41\\101\\u00e9\\U0001F600"', "AAé😀", id="codes"),
        pytest.param('"\\xc3\\xa9"', "é", id="bytes that make a character"),
        pytest.param('"\\xff"', "\udcff", id="a stray byte"),
        pytest.param("`a\\n\r\n`", "a\\n\n", id="raw, without carriage returns"),
    ],
)
def test_unquote(quoted: str, text: str) -> None:
    """The text of a quoted string."""
    assert unquote(quoted) == text


@pytest.mark.parametrize(
    "quoted",
    [
        r'"\1"',
        r'"\12"',
        r'"\1x"',
        r'"\128"',
        '"\\q"',
        '"\\\'"',
        '"\\x4"',
        '"\\ud800"',
        '"\\U00110000"',
        '"\\400"',
    ],
)
def test_bad_escapes(quoted: str) -> None:
    """Escapes that Go does not know are errors."""
    with pytest.raises(GoInputError, match="invalid syntax"):
        unquote(quoted)


@pytest.mark.parametrize(
    ("text", "code"),
    [("'a'", 97), ("'\\n'", 10), ("'\\''", 39), ("'\\xff'", 255), ("'é'", 233), ("'\\u30d1'", 0x30D1)],
)
def test_rune(text: str, code: int) -> None:
    """A character constant is a number."""
    assert rune(text) == code


@pytest.mark.parametrize(
    ("text", "message"), [("'ab'", "malformed"), ("''", "invalid"), ("'\\\"'", "invalid")]
)
def test_no_rune(text: str, message: str) -> None:
    """One character, escaped as in Go."""
    with pytest.raises(GoInputError, match=message):
        rune(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12), ("-12", -12), ("+7", 7), ("0x1F", 31), ("0b101", 5), ("0o17", 15), ("017", 15), ("1_000", 1000),
        ("0x_f", 15), ("08", None), ("1__0", None), ("_1", None), ("1_", None), ("", None), ("0x", None),
    ],
)  # fmt: skip
def test_parse_integer(text: str, value: int | None) -> None:
    """Integer literals with prefixes and underscores."""
    assert parse_integer(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", 1.5), ("-1e3", -1000.0), (".5", 0.5), ("5.", 5.0), ("0x1p-2", 0.25), ("0x1.8p1", 3.0), ("1e1_0", 1e10),
        ("1e400", None), ("1e-400", 0.0), ("0x1", None), ("1e", None), (".", None), ("1_.5", None), ("a", None),
    ],
)  # fmt: skip
def test_parse_float(text: str, value: float | None) -> None:
    """Decimal and hexadecimal floats."""
    assert parse_float(text) == value


def test_a_number_is_all_that_can_hold_it() -> None:
    """3.0 may be an int, 3 a float64, 3.5 no int, a huge number only unsigned."""
    whole, small, half, huge = number("3.0"), number("3"), number("3.5"), number("0x8000000000000000")

    assert (whole.int, whole.ideal()) == (3, 3.0)
    assert isinstance(whole.ideal(), float)
    assert (small.float, small.ideal()) == (3.0, 3)
    assert half.int is None
    assert (huge.int, huge.uint, huge.ideal()) == (None, 1 << 63, None)


@pytest.mark.parametrize("text", ["0x1E", "0XeE", "'e'", "'.'", "0b1", "1_000"])
def test_what_is_written_as_an_integer_is_one(text: str) -> None:
    """The e of a hexadecimal number is a digit, and that of a character no exponent."""
    assert type(number(text, is_char=text[0] == "'").ideal()) is int


@pytest.mark.parametrize("text", ["0x1p2", "0X1P2", "1e1", "1E1", "1.0", "-0x1e"])
def test_what_is_written_as_a_float_is_one(text: str) -> None:
    """Though an integer could hold it; Go looks for 0x at the very beginning."""
    assert type(number(text).ideal()) is float


def test_complex_numbers() -> None:
    """Imaginary literals, alone and behind a real part."""
    assert number("2i").ideal() == 2j
    assert number("-1.5+2i", is_complex=True).ideal() == complex(-1.5, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [("99999999999999999999", "integer overflow"), ("-", "illegal number"), ("1e", "illegal number")],
)
def test_no_number(text: str, message: str) -> None:
    """What begins like a number and is none."""
    with pytest.raises(GoInputError, match=message):
        number(text)
