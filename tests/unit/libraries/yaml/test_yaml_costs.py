"""Twice the size costs twice the work: reading, splitting and editing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.editing.edit import render
from krmkit.libraries.yaml.split import split
from krmkit.libraries.yaml.tree import Map, Seq
from tests.costs import check_shape

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
TEXTS: dict[str, Callable[[int], str]] = {
    "keys": lambda size: "".join(f"k{n}: v{n}\n" for n in range(size)),
    "items": lambda size: "l:\n" + "".join(f"- v{n}\n" for n in range(size)),
    "comments": lambda size: "a: 1\n" + "".join(f"# c{n}\n" for n in range(size)) + "b: 2\n",
    "comments and keys": lambda size: "".join(f"# c{n}\nk{n}: 1 # d\n" for n in range(size)),
    "blank lines": lambda size: "a: 1\n" + "\n" * size + "b: 2\n",
    "a long line": lambda size: "a: " + "x" * 40 * size + "\nb: 2\n",
    "a flow list": lambda size: "a: [" + ", ".join(["x"] * size) + "]\n",
    "a flow list over lines": lambda size: "a: [\n" + "  x, # c\n" * size + "  y]\n",
    "anchors": lambda size: "".join(f"a{n}: &x{n} 1\nb{n}: *x{n}\n" for n in range(size)),
    "merge keys": lambda size: "a: &a {x: 1}\n" + "".join(f"b{n}:\n  <<: *a\n  y: {n}\n" for n in range(size)),
    "depth": lambda size: "".join("  " * n + f"k{n}:\n" for n in range(size // 2)) + "  " * (size // 2) + "x: 1\n",
    "a block scalar": lambda size: "a: |\n" + "  line\n" * size + "b: 1\n",
    "CRLF": lambda size: "".join(f"k{n}: v{n}\r\n" for n in range(size)),
}  # fmt: skip


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_reading(text: Callable[[int], str]) -> None:
    """From text to data."""

    def make(size: int) -> Callable[[], object]:
        written = text(size)
        return lambda: go_data(parse(written).root)

    check_shape(make)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_one_edit(text: Callable[[int], str]) -> None:
    """A key set at the end, and the text written."""

    def make(size: int) -> Callable[[], object]:
        document = parse(text(size))
        assert isinstance(document.root, Map)
        document.root.set("new", "value")
        return lambda: render(document)

    check_shape(make)


def _replace_all(root: Map) -> None:
    for entry in list(root.entries):
        root.replace(entry, "other")


def _remove_half(root: Map) -> None:
    for name in root.names()[::2]:
        root.remove(name)


def _insert_in_front(root: Map) -> None:
    for number, _ in enumerate(list(root.entries)):
        root.insert(0, f"new{number}", {"a": number})


EDITS = {"replace": _replace_all, "insert": _insert_in_front}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_many_edits(edit: Callable[[Map], None]) -> None:
    """Twice the edits in one document."""

    def make(size: int) -> Callable[[], object]:
        document = parse(TEXTS["comments and keys"](size))
        assert isinstance(document.root, Map)
        edit(document.root)
        return lambda: render(document)

    check_shape(make)


def test_removing_many_keys() -> None:
    """Writing a document that lost half of its keys."""

    def make(size: int) -> Callable[[], object]:
        document = parse(TEXTS["comments and keys"](size))
        assert isinstance(document.root, Map)
        _remove_half(document.root)
        return lambda: render(document)

    check_shape(make)


def test_reordering_a_list() -> None:
    """All items of a list in another order."""

    def make(size: int) -> Callable[[], object]:
        document = parse("l:\n" + "".join(f"# c{n}\n- a: {n}\n" for n in range(size)))
        assert isinstance(document.root, Map)
        items = document.root.get("l")
        assert isinstance(items, Seq)
        items.reorder([*range(1, size, 2), *range(0, size, 2)])
        return lambda: render(document)

    check_shape(make)


LISTS: dict[str, Callable[[int], str]] = {
    "items": lambda size: "- kind: A\n  a: 'x'\n" * size,
    "unverified items": lambda size: '- kind: A\n  a: "x\\"y"\n' * size,
    "lines of an item": lambda size: "- kind: A\n" + "  a: 'x y'\n" * size,
    "comments": lambda size: "- kind: A\n" + "# c\n" * size + "- kind: B\n",
    "flow items": lambda size: "- {kind: A}\n" * size,
    "bare dashes": lambda size: "-\n  kind: A\n" * size,
    "tails": lambda size: "- kind: A\n" * size + "functionConfig:\n  kind: B\n" + "  # c\n" * size,
}


@pytest.mark.parametrize("items", LISTS.values(), ids=LISTS)
def test_splitting(items: Callable[[int], str]) -> None:
    """From a list to its items."""

    def make(size: int) -> Callable[[], object]:
        text = HEAD + items(size)
        return lambda: split(text)

    check_shape(make)
