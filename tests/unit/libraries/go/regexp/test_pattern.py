"""krmkit.libraries.go.regexp.pattern: RE2 as Go's regexp uses it, with errors that say what to write instead."""

from __future__ import annotations

import subprocess
import sys

import pytest

from krmkit.libraries.go.regexp import pattern
from krmkit.libraries.go.regexp.pattern import PatternError
from krmkit.libraries.yaml import effort


@pytest.mark.parametrize(
    ("text", "subject", "expected"),
    [
        pytest.param("b+", "abbc", "bb", id="unanchored"),
        pytest.param("^b", "ab", None, id="anchored-start"),
        pytest.param("a$", "a\n", None, id="dollar-is-the-end-of-the-text"),
        pytest.param(r"\d+", "٣ 7", "7", id="digits-are-ascii"),
        pytest.param("[[:alpha:]]+", "1ab2", "ab", id="posix-class"),
        pytest.param(r"\pL+", "1éa2", "éa", id="unicode-class"),
        pytest.param("(?i)AB", "xab", "ab", id="flag"),
        pytest.param("a|ab", "ab", "a", id="leftmost-first"),
        pytest.param(r"\Q\C\E", r"x\C", r"\C", id="quoted-backslash"),
        pytest.param("", "", "", id="empty"),
    ],
)
def test_search(text: str, subject: str, expected: str | None) -> None:
    """A search finds the leftmost match, by RE2's rules."""
    match = pattern.compile(text).search(subject)

    assert (match.group() if match else None) == expected


def test_groups() -> None:
    """Groups keep their numbers and names."""
    compiled = pattern.compile("(?P<word>é+)(x)?(b)")
    match = compiled.search("aéé" + "b")

    assert match is not None
    assert compiled.groups == 3
    assert compiled.names == {"word": 1}
    assert match.groups() == ["ééb", "éé", None, "b"]


@pytest.mark.parametrize(
    ("text", "subject", "limit", "expected"),
    [
        pytest.param("a*", "baaac", -1, ["", "aaa", ""], id="no-empty-match-next-to-a-match"),
        pytest.param("a", "banana", 2, ["a", "a"], id="limit"),
        pytest.param("", "né", -1, ["", "", ""], id="empty-matches-step-by-characters"),
        pytest.param("x", "abc", -1, [], id="none"),
        pytest.param("a", "aaa", 0, [], id="limit-zero"),
    ],
)
def test_find_all(text: str, subject: str, limit: int, expected: list[str]) -> None:
    """All matches come as Go's FindAllString lists them."""
    assert [match.group() for match in pattern.compile(text).find_all(subject, limit)] == expected


@pytest.mark.parametrize(
    ("text", "subject", "limit", "expected"),
    [
        pytest.param(
            "a*", "abaabaccadaaae", 5, ["", "b", "b", "c", "cadaaae"], id="limit-with-empty-matches"
        ),
        pytest.param("a", "banana", -1, ["b", "n", "n", ""], id="match-at-the-end"),
        pytest.param(",", "", -1, [""], id="empty-text"),
        pytest.param(",", "a,b", 0, [], id="zero"),
        pytest.param(",", "a,b,c", 1, ["a,b,c"], id="one"),
    ],
)
def test_split(text: str, subject: str, limit: int, expected: list[str]) -> None:
    """Splitting gives the pieces that Go's Regexp.Split gives."""
    assert pattern.compile(text).split(subject, limit) == expected


def test_replace_sees_the_groups() -> None:
    """A replacement may use the groups of its match; the text between stays."""
    result = pattern.compile("(.)=(.)").replace(
        "éa=b, c=d!", lambda match: f"{match.group(2)}:{match.group(1)}"
    )

    assert result == "éb:a, d:c!"


def test_replace_at_empty_matches() -> None:
    """Empty matches are replaced between characters, once each."""
    assert pattern.compile("x*").replace("axb", lambda match: "-") == "-a-b-"


@pytest.mark.parametrize(
    ("text", "teaches"),
    [
        pytest.param("a(?=b)", "look-ahead", id="look-ahead"),
        pytest.param("a(?!b)", "negative look-ahead", id="negative-look-ahead"),
        pytest.param("(?<=a)b", "look-behind", id="look-behind"),
        pytest.param("(?<!a)b", "negative look-behind", id="negative-look-behind"),
        pytest.param(r"(a)\1", r"back-reference `\1`", id="back-reference"),
        pytest.param("(?P<n>a)(?P=n)", "back-reference", id="named-back-reference"),
        pytest.param("a++", "group it: (?:a+)+", id="possessive"),
        pytest.param("(?>a)", "atomic group", id="atomic-group"),
        pytest.param("(a)?(?(1)b|c)", "conditional", id="conditional"),
        pytest.param(r"a\Z", r"write \z", id="python-end-anchor"),
        pytest.param("[a", "missing ]", id="open-class"),
        pytest.param(r"\C", "one byte", id="single-byte"),
        pytest.param("a{1001}", "too large", id="repeat-count"),
        pytest.param("(a{900}){900}", "too large", id="nested-repeat-count"),
        pytest.param(r"(?:\pL\pN){800}", "too large", id="program-size"),
        pytest.param("\ud800", "surrogate", id="lone-surrogate"),
    ],
)
def test_errors_teach(text: str, teaches: str) -> None:
    """What is not RE2 is named, with what to write instead."""
    with pytest.raises(PatternError) as caught:
        pattern.compile(text)

    assert teaches in str(caught.value)


def test_a_costly_search_is_refused_by_counting() -> None:
    """Pattern size times text size has a limit, so no search runs for minutes."""
    compiled = pattern.compile("(?:.{900}|[01]*1[01]{900})z")

    with pytest.raises(PatternError, match="too costly"):
        compiled.search("01" * 1_000_000)


def test_nothing_on_stderr_and_the_wrapper_stays_unloaded() -> None:
    """The engine keeps quiet about bad patterns, and a later `import re2` still works."""
    code = (
        "import sys\n"
        "from krmkit.libraries.go.regexp import pattern\n"
        "try: pattern.compile('a(?=b)')\n"
        "except pattern.PatternError: pass\n"
        "pattern.compile('([01]*1[01]{500})+x').search('10' * 20000)\n"
        "assert 're2' not in sys.modules\n"
        "import re2\n"
        "print(re2.search('b', 'abc').span(), pattern.compile('c').search('abc').group())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ":".join(sys.path)},
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "(1, 2) c\n", "")


def test_cache() -> None:
    """The same text gives the same compiled pattern."""
    assert pattern.compile("cached?") is pattern.compile("cached?")


@pytest.mark.parametrize("text", ["a.b", "$(x)", "[é]{1}", "^|?*+\\"])
def test_quote(text: str) -> None:
    """A quoted text matches itself and nothing else."""
    compiled = pattern.compile("^" + pattern.quote(text) + "$")

    assert compiled.search(text)
    assert not compiled.search(text + "x")


@pytest.mark.parametrize("text", ["(a)" * 251, "(" * 20_000 + "a" + ")" * 20_000], ids=["many", "deep"])
def test_too_many_groups(text: str) -> None:
    """A search keeps the places of all groups for each of its threads: 20,000 groups took 6 GB."""
    with pytest.raises(PatternError, match=r"must have at most 250 capture groups .*; write \(\?:\.\.\.\)"):
        pattern.compile(text)
    assert pattern.compile("(a)" * 250).groups == 250


def test_groups_count() -> None:
    """What groups make of a search is drawn from the budget, whoever searches."""
    found = pattern.compile("(a|b)*" * 200)
    assert found.cost(999) == found.size * 1000 * 101
    for charged, text in ((False, "ab"), (True, "ab" * 5_000)):
        assert effort.begin(100_000)
        try:
            if charged:
                with pytest.raises(effort.EffortError):
                    found.search(text)
            else:
                assert found.search(text)
        finally:
            effort.end()
