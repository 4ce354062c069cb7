"""printf: every verb and flag, and the marks for what does not fit."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.core.values import ByteList, GoObject, Int64, NilList, StringList, Uint8
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.go.fmt import printing
from krmkit.libraries.go.fmt.printf import sprintf
from krmkit.libraries.gotemplate.escape import escape_html


class Span(GoObject):
    """An int64 with a text, as a duration is."""

    go_type = "span.Span"
    go_kind = "int64"

    def __int__(self) -> int:
        return 90

    def go_string(self) -> str:
        return "1m30s"


@pytest.mark.parametrize(
    ("form", "values", "text"),
    [
        ("%s-%d-%v", ("a", 1, 2.5), "a-1-2.5"),
        ("100%%", (), "100%"),
        ("%5d|%-5d|%05d|%+d|% d", (42, 42, 42, 42, 42), "   42|42   |00042|+42| 42"),
        ("%x %X %#x %o %#o %O %b %#b", (-42, 255, 255, 8, 8, 8, 5, 5), "-2a FF 0xff 10 010 0o10 101 0b101"),
        ("%6.3d|%.0d|%+05d|%-05d|", (7, 0, 5, 5), "   007||+0005|5    |"),
        ("%c %q %U %#U %3c|", (0x1F600, 65, 0x41, 0x41, 66), "😀 'A' U+0041 U+0041 'A'   B|"),
        ("%6.2f|%-8.3f|%+.2e|%08.3f", (3.14159, 2.5, 1234.5, -3.14159), "  3.14|2.500   |+1.23e+03|-003.142"),
        ("%e %G %g %.3g %F", (0.0, 1e21, 1e20, 1234567.0, 1.5), "0.000000e+00 1E+21 1e+20 1.23e+06 1.500000"),
        ("%#g %#.3g %#.0f", (1.0, 100.0, 2.0), "1.00000 100. 2."),
        ("%x %X %.3x %b", (1.5, -0.1, 1.999, 1.0), "0x1.8p+00 -0X1.999999999999AP-04 0x1.ffcp+00 4503599627370496p-52"),
        ("%v|%6v|%05f|% v", (float("inf"), float("nan"), float("-inf"), float("inf")), "+Inf|   NaN| -Inf| Inf"),
        ("%10s|%-6s|%.2s|%010s", ("abc", "é", "日本語", "x"), "       abc|é     |日本|000000000x"),
        ("%q %+q %#q %#q %.1q", ("a\n", "é", "raw", "a`", "日本"), '"a\\n" "\\u00e9" `raw` "a`" "日"'),
        ("%x % x %#x % X|%6x|%-6x|", ("hi", "hi", "hi", "hi", "h", "h"), "6869 68 69 0x6869 68 69|    68|68    |"),
        ("%t %5t|%v", (True, False, True), "true false|true"),
        ("%v %+v", (None, {"a": 1.0}), "<nil> map[a:1]"),
        ("%T %T %T %T %T", (1, 1.0, None, {}, StringList()), "int float64 <nil> map[string]interface {} []string"),
        ("%#v", ({"a": 1.0, "b": [None, "x", True]},), 'map[string]interface {}{"a":1, "b":[]interface {}{interface {}(nil), "x", true}}'),
        ("%#v %#v %#v", (NilList(), StringList(["a"]), Uint8(7)), '[]interface {}(nil) []string{"a"} 0x7'),
        ("%d %s", ([1, 2.0, None], {"k": 1}), "[1 %!d(float64=2) <nil>] map[k:%!s(int=1)]"),
        ("%q %x %s", (["a"], ["a", "b"], ByteList([Uint8(104), Uint8(105)])), '["a"] [61 62] hi'),
        ("%v %s %d %q %t", (Span(), Span(), Span(), Span(), Span()), '1m30s 1m30s 90 "1m30s" %!t(span.Span=90)'),
        ("%v %.1f", (1 + 2j, 1.25 - 2j), "(1+2i) (1.2-2.0i)"),
        ("%[2]d %[1]d", (1, 2), "2 1"),
        ("%*d|%-*d|%.*f|%[1]*[2]d", (5, 42, 5, 42, 2, 3.14159), "   42|42   |3.14|   42"),
    ],
)  # fmt: skip
def test_what_fits(form: str, values: tuple[object, ...], text: str) -> None:
    """Text as fmt.Sprintf makes it."""
    assert sprintf(form, *values) == text


@pytest.mark.parametrize(
    ("form", "values", "text"),
    [
        ("%d", ("a",), "%!d(string=a)"),
        ("%5d", ("a",), "%!d(string=    a)"),
        ("%s", (1,), "%!s(int=1)"),
        ("%w", (["x", None, 2.5],), "%!w([]interface {}=[x <nil> 2.5])"),
        ("%w", ({"k": True},), "%!w(map[string]interface {}=map[k:true])"),
        ("%s", (Int64(1),), "%!s(int64=1)"),
        ("%d", (True,), "%!d(bool=true)"),
        ("%s %d", (None, None), "%!s(<nil>) %!d(<nil>)"),
        ("%d %d", (1,), "1 %!d(MISSING)"),
        ("%d", (1, "a", None), "1%!(EXTRA string=a, <nil>)"),
        ("a", (2.5,), "a%!(EXTRA float64=2.5)"),
        ("%", (), "%!(NOVERB)"),
        ("%-", (1,), "%!(NOVERB)%!(EXTRA int=1)"),
        ("%z %é", (1, "a"), "%!z(int=1) %!é(string=a)"),
        ("%[3]d", (1,), "%!d(BADINDEX)"),
        ("%[x]d %[", (1,), "%!d(BADINDEX) %!(NOVERB)"),
        ("%.[2]d", (7,), "%!d(BADINDEX)"),
        ("%*d", ("x", 1), "%!(BADWIDTH)1"),
        ("%.*d", (-1, 5), "%!(BADPREC)5"),
        ("%*d", (10_000_000, 1), "%!(BADWIDTH)1"),
        ("%p", (1,), "%!p(int=1)"),
    ],
)
def test_what_does_not_fit(form: str, values: tuple[object, ...], text: str) -> None:
    """Go's marks for wrong types, missing, extra and badly numbered arguments."""
    assert sprintf(form, *values) == text


def test_widths_cannot_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole text is limited."""
    with pytest.raises(GoError, match="characters"):
        sprintf("%999999d" * 20, *range(20))

    monkeypatch.setattr(printing, "MAX_LENGTH", 10)
    with pytest.raises(GoError, match="more than 10 characters"):
        sprintf("%s%s", "a" * 8, "b" * 8)


def test_limits_can_be_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is assigned in the module that documents a limit counts for printf and for the escaping functions."""
    deep: object = "x"
    for _ in range(printing.MAX_DEPTH + 10):
        deep = [deep]
    with pytest.raises(GoError, match="MAX_DEPTH"):
        sprintf("%5v", deep)
    monkeypatch.setattr(printing, "MAX_LENGTH", 20)
    with pytest.raises(GoError, match="MAX_LENGTH"):
        escape_html("<" * 10)

    monkeypatch.setattr(printing, "MAX_DEPTH", 200)
    monkeypatch.setattr(printing, "MAX_LENGTH", 1000)
    assert sprintf("%5v", deep).startswith("[[[")
    assert escape_html("<" * 10) == "&lt;" * 10
