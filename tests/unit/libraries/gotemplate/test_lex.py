"""Tokens: trimming, comments, words, and what cannot be one."""

from __future__ import annotations

import pytest

from krmkit.libraries.gotemplate import lex


def words(text: str, left: str = "{{", right: str = "}}") -> list[str]:
    return [value for kind, _, value in lex.lex(text, left, right) if kind != lex.EOF]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("plain", ["plain"], id="text"),
        pytest.param(
            "a \n{{- .x -}}\t b", ["a", "{{", ".x", "}}", "b"], id="trimming takes blanks and line feeds"
        ),
        pytest.param(
            "a\v{{- 1 -}}\u00a0b", ["a\v", "{{", "1", "}}", "\u00a0b"], id="other white space stays"
        ),
        pytest.param("{{-3}}", ["{{", "-3", "}}"], id="a minus without a blank is a sign"),
        pytest.param("a{{/* }} */}}b", ["a", "b"], id="a comment may hold delimiters"),
        pytest.param("a {{- /* x */ -}} b", ["a", "b"], id="a comment trims"),
        pytest.param(
            "{{ $x := .a.b }}", ["{{", " ", "$x", " ", ":=", " ", ".a", ".b", " ", "}}"], id="words"
        ),
        pytest.param("{{`a\nb`}}", ["{{", "`a\nb`", "}}"], id="a raw string spans lines"),
        pytest.param('{{"\\"}}"}}', ["{{", '"\\"}}"', "}}"], id="a quote in a string"),
        pytest.param("{{~ !}}", ["{{", "~", " ", "!", "}}"], id="other signs"),
        pytest.param("{{1e1~}}", ["{{", "1e1", "~", "}}"], id="a sign behind an exponent"),
        pytest.param("{{größe}}", ["{{", "größe", "}}"], id="letters of all languages"),
        pytest.param(
            "{{0x1F 1e3 'a' .5}}", ["{{", "0x1F", " ", "1e3", " ", "'a'", " ", ".5", "}}"], id="numbers"
        ),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    """A text is cut into plain text and the words of its actions."""
    assert words(text) == expected


def test_delimiters_can_be_others() -> None:
    """Other delimiters, and text that has the usual ones."""
    assert words("{{a}} <<- .b >>", "<<", ">>") == ["{{a}}", "<<", ".b", " ", ">>"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("{{", "unclosed action", id="open"),
        pytest.param("{{/* a", "unclosed comment", id="open comment"),
        pytest.param(
            "{{/* a */ .b}}", "comment ends before closing delimiter", id="something behind a comment"
        ),
        pytest.param('{{"a\n"}}', "unterminated quoted string", id="line feed in a string"),
        pytest.param("{{`a}}", "unterminated raw quoted string", id="open raw string"),
        pytest.param("{{'a}}", "unterminated character constant", id="open character"),
        pytest.param("{{(1}}", "unclosed left paren", id="open parenthesis"),
        pytest.param("{{1)}}", "unexpected right paren", id="parenthesis too many"),
        pytest.param("{{.a#}}", "bad character U+0023 '#'", id="character behind a field"),
        pytest.param("{{\x01}}", "unrecognized character in action: U+0001", id="control character"),
        pytest.param("{{1x}}", 'bad number syntax: "1x"', id="letter behind a number"),
        pytest.param("{{a : b}}", "expected :=", id="colon alone"),
    ],
)
def test_what_is_no_token(text: str, message: str) -> None:
    """The last token is the error; those before it are there."""
    assert lex.lex(text)[-1][0] == lex.ERROR
    assert lex.lex(text)[-1][2] == message


def test_break_can_be_a_function() -> None:
    """A function named like a keyword takes its place."""
    kinds = [token[0] for token in lex.lex("{{break}}", functions=("break",))]

    assert kinds == [lex.LEFT_DELIM, lex.IDENTIFIER, lex.RIGHT_DELIM, lex.EOF]
