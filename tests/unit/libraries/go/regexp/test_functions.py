"""Patterns: Go's replacement templates, its error texts, its rules for empty matches."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.core import limits
from krmkit.libraries.go.core.values import NilStringList, StringList
from krmkit.libraries.go.errors import GoError
from krmkit.libraries.sprig import call


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        pytest.param("regexMatch", ("^v[0-9]+$", "v12"), True, id="match"),
        pytest.param("regexMatch", ("(", "x"), False, id="match of a bad pattern"),
        pytest.param("mustRegexMatch", ("^a$", "a\n"), False, id="the end is the very end"),
        pytest.param("regexFind", ("o+", "foo boo"), "oo", id="find"),
        pytest.param("regexFind", ("z", "foo"), "", id="find nothing"),
        pytest.param("regexFindAll", ("o", "foo", -1), ["o", "o"], id="find all"),
        pytest.param("regexFindAll", ("o*", "fo", -1), ["", "o"], id="no empty match behind a match"),
        pytest.param("regexFindAll", ("o", "foo", 1), ["o"], id="find one"),
        pytest.param("regexReplaceAll", ("(a)(b)?", "ab a", "<$2$1>"), "<ba> <a>", id="groups"),
        pytest.param("regexReplaceAll", ("(a)", "a", "$1x ${1}x"), " ax", id="a name ends where letters end"),
        pytest.param(
            "regexReplaceAll", ("a", "a", "$$ $ ${ ${0 $01"), "$ $ ${ ${0 ", id="signs that mean nothing"
        ),
        pytest.param("regexReplaceAll", ("(?P<n>a)", "xa", "[$n]"), "x[a]", id="named group"),
        pytest.param(
            "regexReplaceAll", ("(?P<n>a)|(?P<n>b)", "ab", "[$n]"), "[a][b]", id="a name for two groups"
        ),
        pytest.param(
            "regexReplaceAll", ("[(](?<n>x)|(?<n>y)", "(xy", "$n"), "xy", id="brackets are no groups"
        ),
        pytest.param("regexReplaceAllLiteral", ("a", "aa", "$0"), "$0$0", id="literal"),
        pytest.param("regexSplit", (",", "a,b,c", 2), ["a", "b,c"], id="split into two"),
        pytest.param("regexQuoteMeta", ("a.b[c]",), "a\\.b\\[c\\]", id="quote"),
    ],
)
def test_result(name: str, args: tuple[object, ...], expected: object) -> None:
    """Each function does what Go's regexp does."""
    assert call(name, *args) == expected


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        pytest.param("[a", "missing closing ]: `[a`", id="class"),
        pytest.param("(a", "missing closing ): `(a`", id="group"),
        pytest.param("a)", "unexpected ): `a)`", id="closing"),
        pytest.param("*a", "missing argument to repetition operator: `*`", id="repeat of nothing"),
        pytest.param("a{2000}", "invalid repeat count: `{2000}`", id="count"),
        pytest.param("a\\", "trailing backslash at end of expression: ``", id="backslash"),
        pytest.param("[b-a]", "invalid character class range: `b-a`", id="range"),
        pytest.param("\\C", "invalid escape sequence: `\\C`", id="single byte"),
        pytest.param("\udcffa", "invalid UTF-8: `\udcffa`", id="stray byte"),
        pytest.param("a(?!b)", "invalid or unsupported Perl syntax: `(?!`", id="look-ahead"),
    ],
)
def test_bad_patterns(pattern: str, message: str) -> None:
    """The must forms have Go's error, the others its panic."""
    with pytest.raises(GoError) as caught:
        call("mustRegexFind", pattern, "x")
    assert caught.value.message == f"error parsing regexp: {message}"

    with pytest.raises(GoError) as caught:
        call("regexReplaceAll", pattern, "x", "y")
    shown = f"`{pattern}`" if pattern.isascii() else '"\\xffa"'
    assert caught.value.message == f"regexp: Compile({shown}): error parsing regexp: {message}"


def test_a_pattern_with_a_backquote_is_quoted() -> None:
    """What cannot stand in backquotes is quoted with escapes."""
    with pytest.raises(GoError, match=r'^regexp: Compile\("`\(\\n"\): '):
        call("regexSplit", "`(\n", "x", -1)


def test_nothing_found_is_a_nil_list() -> None:
    """Go yields a nil slice where nothing matches or nothing is wanted."""
    assert type(call("regexFindAll", "x", "a", -1)) is NilStringList
    assert type(call("regexSplit", "x", "a", 0)) is NilStringList
    assert type(call("regexSplit", "x", "a", -1)) is StringList


def test_long_results_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A replacement is counted while it is made."""
    monkeypatch.setattr(limits, "MAX_LENGTH", 1000)

    with pytest.raises(GoError, match="MAX_LENGTH"):
        call("regexReplaceAll", "a", "a" * 100, "b" * 100)
