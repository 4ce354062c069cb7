"""Edits that need no proof, and those that are read again."""

from __future__ import annotations

import pytest

from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.editing import edit
from krmkit.libraries.yaml.editing.edit import render
from krmkit.libraries.yaml.tree import Map, Scalar

TEXT = "# head\na: one # why\nb:\n  c: 'two'\n  d: |\n    three\ne: &x four\nf: {g: five}\nh: six\n  seven\n"


def edited(text: str, path: tuple[str, ...], value: object) -> tuple[str, object]:
    """The text after an edit, and what it must say."""
    document = parse(text)
    node = document.root
    for step in path[:-1]:
        assert isinstance(node, Map)
        node = node.get(step)
    assert isinstance(node, Map)
    node.set(path[-1], value)
    return render(document), go_data(document.root)


def _id(value: object) -> str:
    return value.text if isinstance(value, Scalar) else repr(value)


@pytest.mark.parametrize("value", ["new", "v1.2", "a-b/c:d@e", 7, True, None, Scalar("1e3")], ids=_id)
def test_a_word_for_a_plain_scalar_is_not_read_again(value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what was wanted all the same."""
    monkeypatch.setattr(edit, "_difference", None)

    text, wanted = edited(TEXT, ("a",), value)

    assert go_data(parse(text).root) == wanted
    assert text.count("\n") == TEXT.count("\n")
    assert " # why\n" in text


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("a",), "x: y"),
        (("a",), "two words"),
        (("a",), "ends:"),
        (("a",), "yes"),
        (("a",), "1"),
        (("a",), "two\nlines"),
        (("a",), ""),
        (("a",), {"k": "v"}),
        (("a",), Scalar("<<: {}")),
        (("b", "c"), "new"),
        (("b", "d"), "new"),
        (("e",), "new"),
        (("f", "g"), "new"),
        (("h",), "new"),
        (("i",), "two words"),
        (("i",), "1"),
        (("i",), ["new"]),
        (("i j",), "new"),
        (("i:j",), "new"),
        (("f", "i"), "two words"),
        (("f", "i"), {"k": "v"}),
    ],
    ids=_id,
)
def test_everything_else_is_read_again(
    path: tuple[str, ...], value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other texts, and places that are no plain scalars of one line."""
    proven: list[str] = []

    def noted(text: str, *_: object) -> None:
        proven.append(text)

    monkeypatch.setattr(edit, "_difference", noted)

    text, _ = edited(TEXT, path, value)

    assert proven == [text]


@pytest.mark.parametrize(
    ("text", "path", "written"),
    [
        ("a: one # why\n# tail\n", ("z",), "a: one # why\nz: new\n# tail\n"),
        ("a: |+\n  lines\n\n", ("z",), "a: |+\n  lines\n\nz: new\n"),
        ("a: >-\n  lines\n  # text\n\n# tail\n", ("z",), "a: >-\n  lines\n  # text\nz: new\n\n# tail\n"),
        ("a: six\n  seven\n", ("z",), "a: six\n  seven\nz: new\n"),
        ("a:\n- b: 1\n", ("z",), "a:\n- b: 1\nz: new\n"),
        (
            "m:\n  a: 'x\n\n    y' # end\n  # tail\nn: 1\n",
            ("m", "z"),
            "m:\n  a: 'x\n\n    y' # end\n  # tail\n  z: new\nn: 1\n",
        ),
        ("m: {a: one}\n", ("m", "z"), "m: {a: one, z: new}\n"),
        (
            "m: { a: 'one', b: [x] } # end\nn: 1\n",
            ("m", "z"),
            "m: { a: 'one', b: [x], z: new } # end\nn: 1\n",
        ),
        ("m: {a, b: c , d}\n", ("m", "z"), "m: {a, b: c , d, z: new}\n"),
    ],
)
def test_words_added_to_a_mapping_are_not_read_again(
    text: str, path: tuple[str, ...], written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A word as the value of a new word says what was wanted, whatever stands before it."""
    monkeypatch.setattr(edit, "_difference", None)

    new, wanted = edited(text, path, "new")

    assert new == written
    assert go_data(parse(new).root) == wanted


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("m: {a: one,\n  b: two}\n", ("m", "z")),
        ("m: { # why\n  a: one }\n", ("m", "z")),
        ("m: {a: one, }\n", ("m", "z")),
        ('{"m": {"a": 1}}\n', ("m", "z")),
        ("m: {}\n", ("m", "z")),
        ("m: {a, b: }\n", ("m", "z")),
        ("a: one", ("z",)),
        ("a: &x one\nb: *x\n", ("z",)),
    ],
)
def test_words_in_other_mappings_are_read_again(
    text: str, path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mappings in brackets over several lines, in JSON or without entries, and texts that are not plain."""
    proven: list[str] = []
    monkeypatch.setattr(edit, "_difference", lambda text, *_: proven.append(text))

    new, _ = edited(text, path, "new")

    assert proven[-1] == new


def test_two_edits_of_which_one_is_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """One edit that needs a proof is enough."""
    document = parse("a: one\nb: two\n")
    assert isinstance(document.root, Map)
    document.root.set("a", "x")
    document.root.set("c", "y z")
    proven: list[str] = []
    monkeypatch.setattr(edit, "_difference", lambda text, *_: proven.append(text))

    assert render(document) == "a: x\nb: two\nc: y z\n" == proven[0]
