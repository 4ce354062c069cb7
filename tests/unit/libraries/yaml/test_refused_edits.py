"""Texts of which every edit is refused, with the reason; without an edit they are written as they came."""

from __future__ import annotations

import pytest

from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.editing.edit import render
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Map


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\u2028\nb: 2\n", "line 1.*LINE SEPARATOR"),
        ("a: 1\nb: '\u2029'\n", "line 2.*PARAGRAPH"),
        ("a: 1\x85b: 2\n", "NEXT LINE"),
        ("a: 1\rb: 2\r", "carriage return"),
    ],
)
def test_what_cannot_be_edited(text: str, words: str) -> None:
    """The reason is said, with its line."""
    document = parse(text)
    assert isinstance(document.root, Map)
    document.root.set("new", 1)

    with pytest.raises(YamlError, match=words):
        render(document)


def test_an_untouched_document_is_written_as_it_came() -> None:
    """Without edits, writing is the identity, also where an edit would be refused."""
    for text in ("# c\n\na:   1\n...\n", "a: 1\u2028\n"):
        assert render(parse(text)) == text


@pytest.mark.parametrize("text", ["k: " + "{a: " * 300 + "1" + "}" * 300, "k: " + "[" * 300 + "]" * 300])
def test_a_text_that_is_too_deep_is_not_edited(text: str) -> None:
    """Reading goes deeper than writing: an edit anywhere in it is refused."""
    document = parse(text)
    assert isinstance(document.root, Map)
    document.root.set("a", 1)

    with pytest.raises(YamlError, match="256 deep"):
        render(document)
