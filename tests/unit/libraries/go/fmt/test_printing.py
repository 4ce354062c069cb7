"""How values print with %v, and quoting."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.core.values import ABSENT, ByteList, Int64, NilList, StringMap, Uint8
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.fmt import printing


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"), (-0.0, "-0"), (3.0, "3"), (-2.5, "-2.5"), (100000.0, "100000"), (999999.0, "999999"),
        (1000000.0, "1e+06"), (1234567.0, "1.234567e+06"), (123456.75, "123456.75"), (1e21, "1e+21"),
        (0.0001, "0.0001"), (0.00001, "1e-05"), (5e-324, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308"),
        (float("inf"), "+Inf"), (float("-inf"), "-Inf"), (float("nan"), "NaN"),
    ],
)  # fmt: skip
def test_floats(number: float, text: str) -> None:
    """The shortest digits, with an exponent from a million on."""
    assert printing.format_float(number) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "<nil>"), (ABSENT, "<nil>"), (True, "true"), (7, "7"), (Int64(-7), "-7"), ("a b", "a b"), ([], "[]"),
        ({}, "map[]"), (NilList(), "[]"), ([1, "a", None, [2.0]], "[1 a <nil> [2]]"), (1 - 2j, "(1-2i)"),
        ({"b": {"c": 1e6}, "a": None}, "map[a:<nil> b:map[c:1e+06]]"), (ByteList([Uint8(65)]), "[65]"),
        (StringMap({"10": "x", "9": ""}), "map[10:x 9:]"),
    ],
)  # fmt: skip
def test_values(value: object, text: str) -> None:
    """Lists, maps with sorted keys, nil."""
    assert printing.go_print_value(value) == text


def test_print_puts_blanks_between_what_is_no_string() -> None:
    """Sprint against Sprintln."""
    assert printing.sprint("a", 1, 2, "b", "c", 3.5, None, True) == "a1 2bc3.5 <nil> true"
    assert printing.sprintln("a", 1, "b") == "a 1 b\n"
    assert printing.sprint() == ""


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("plain", '"plain"'), ('say "a\\b"', '"say \\"a\\\\b\\""'), ("\a\b\f\n\r\t\v\0\x7f", '"\\a\\b\\f\\n\\r\\t\\v\\x00\\x7f"'),
        ("é日😀", '"é日😀"'), ("\u200b\ufeff", '"\\u200b\\ufeff"'), ("\U000e0001", '"\\U000e0001"'), ("\udcff", '"\\xff"'),
    ],
)  # fmt: skip
def test_quote(text: str, quoted: str) -> None:
    """strconv.Quote."""
    assert printing.quote(text) == quoted


def test_quote_to_ascii() -> None:
    """All that is not ASCII as a code."""
    assert printing.quote("é😀", ascii_only=True) == '"\\u00e9\\U0001f600"'


@pytest.mark.parametrize(
    ("text", "possible"), [("a\tb", True), ("a`b", False), ("a\nb", False), ("\udcff", False)]
)
def test_can_backquote(text: str, possible: bool) -> None:
    """What a raw string can hold."""
    assert printing.can_backquote(text) is possible


def test_a_value_that_contains_itself_is_an_error() -> None:
    """The nesting is limited."""
    loop: dict[str, object] = {}
    loop["again"] = loop

    with pytest.raises(GoError, match="contains itself"):
        printing.go_print_value(loop)


def test_a_text_that_grows_too_long_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted while it is made: shared lists can stand for texts without end."""
    monkeypatch.setattr(printing, "MAX_LENGTH", 1000)
    value: list[object] = ["x"]
    for _ in range(60):
        value = [value, value]

    with pytest.raises(GoError, match="1,000 characters"):
        printing.go_print_value(value)
    with pytest.raises(GoError, match="1,000 characters"):
        printing.sprint("a" * 600, "b" * 600)
