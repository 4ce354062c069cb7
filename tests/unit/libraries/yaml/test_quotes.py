"""An edit of an edited field writes what it would write if the first edit was in the text already."""

from __future__ import annotations

import pytest

from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.editing.edit import render
from krmkit.libraries.yaml.tree import Map


def _edited(text: str, *values: object) -> str:
    resource = Resource(text)
    for value in values:
        resource.set(("a",), value)
    return resource.text


@pytest.mark.parametrize("given", ["a: x\n", "a: 'x' # why\n", 'a: "x"\n', "a: |\n  x\n", "b: x\n", "a: 3\n"])
@pytest.mark.parametrize("first", ["y", "7", "a: b", "it's", "\x1b", " y", "a\nb\n"])
def test_two_edits_as_in_two_runs(given: str, first: str) -> None:
    for second in ("shop", "7", "a: b", "it's", "\x07"):
        assert _edited(given, first, second) == _edited(_edited(given, first), second)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (("7", "shop"), 'a: "shop" # why\n'),
        (("a: b", "7"), "a: '7' # why\n"),
        (("shop", "7"), 'a: "7" # why\n'),
        ((7, "shop"), "a: shop # why\n"),
        (("7", 8), "a: 8 # why\n"),
    ],
)
def test_quotes_of_the_edit_before_stay(values: tuple[object, ...], expected: str) -> None:
    assert _edited("a: x # why\n", *values) == expected


def test_a_new_key_of_two_signs_merges_nothing() -> None:
    """`<<` is a text where an edit puts it, and the merge key where the text has it."""
    document = parse("a: {b: 1}\n")
    assert isinstance(document.root, Map)
    document.root.set("<<", "x")

    text = render(document)

    assert text == 'a: {b: 1}\n"<<": x\n'
    assert parse(text).root is not None
