"""Where nodes stand in their text, as libyaml's marks and the gaps between its nodes tell."""

from __future__ import annotations

import pytest

from krmkit.yaml.document import parse
from krmkit.yaml.edit import render
from krmkit.yaml.places import Places
from krmkit.yaml.tree import Map
from krmkit.yaml.view import EditError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a: x # c\n", "x", id="plain"),
        pytest.param("a:   'x y'  # c\n", "'x y'", id="quoted"),
        pytest.param("a: {b: 1} # c\n", "{b: 1}", id="flow"),
        pytest.param("a: |\n  x\n  y\n\n\n# c\n", "|\n  x\n  y", id="literal"),
        pytest.param("a: |\n  x  \n\nb: 1\n", "|\n  x  ", id="literal with trailing blanks"),
        pytest.param("a: |+\n  x\n\n\nb: 1\n", "|+\n  x\n\n", id="literal that keeps its line breaks"),
        pytest.param("a: >-\n  x\n  y", ">-\n  x\n  y", id="folded at the end of the text"),
        pytest.param("a: |\r\n  x\r\n\r\nb: 1\r\n", "|\n  x", id="literal with CRLF"),
        pytest.param("a:\n  b: 1 # c\n  # d\ne: 2\n", "b: 1", id="block mapping"),
        pytest.param("a:\n- 1\n- x: y\n# d\ne: 2\n", "- 1\n- x: y", id="block sequence"),
        pytest.param("a:\nb: 1\n", "", id="absent value"),
        pytest.param("\ufeffa: x\n", "x", id="byte order mark"),
        pytest.param("a: 'é😀' # c\n", "'é😀'", id="beyond the BMP"),
    ],
)
def test_a_node_is_its_own_content(text: str, expected: str) -> None:
    """No comment, no blank line and no final line break belongs to it; line breaks are line feeds."""
    document = parse(text)
    assert isinstance(document.root, Map)
    places = Places(document)
    spot = places.of(document.root.entries[0].value)

    assert places.view[spot.start : places.end(spot)] == expected


@pytest.mark.parametrize(
    ("text", "properties"),
    [
        pytest.param("a: &x 1\n", ["&x"], id="anchor"),
        pytest.param("a: !!str &x 1\n", ["!!str", "&x"], id="tag and anchor"),
        pytest.param("a:\n  # c\n  &x\n  p: 1\n", ["&x"], id="on a line of its own"),
        pytest.param("a: &x # c\n- 1\n", ["&x"], id="before a comment"),
        pytest.param("a: !<tag:yaml.org,2002:str> 1\n", ["!<tag:yaml.org,2002:str>"], id="verbatim tag"),
        pytest.param("a: &x\nb: 1\n", ["&x"], id="of a value that is not written"),
    ],
)
def test_anchors_and_tags(text: str, properties: list[str]) -> None:
    """They are found between the colon and the value, comments passed over."""
    document = parse(text)
    assert isinstance(document.root, Map)
    places = Places(document)
    spot = places.of(document.root.entries[0].value)

    assert [places.view[slice(*place)] for place in spot.properties] == properties


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
    with pytest.raises(EditError, match=words):
        Places(parse(text))


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

    with pytest.raises(EditError, match="256 deep"):
        render(document)
