"""What a process remembers of proven items: which ones, for how long, and that nothing else changes."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from krmkit.yaml import split as module
from krmkit.yaml.proven import Proven, memory
from krmkit.yaml.split import split, split_fast

HEAD = "kind: ResourceList\nitems:\n"


@pytest.fixture
def proven(monkeypatch: pytest.MonkeyPatch) -> Proven:
    remembered = Proven()
    monkeypatch.setattr(module, "memory", remembered)
    return remembered


def unknown(proven: Proven, items: list[str], pad: int = 0) -> list[int]:
    return list(proven.sort(items, pad)[0])


def test_items_of_a_list(proven: Proven) -> None:
    """They are known from then on, where their dashes stand at the same column, with what was found out about them."""
    items = ["a: 'b'\n", 'a: "b\n    c"\n', "a: {b: c}\n"]

    chunks = split_fast(HEAD + "".join("- " + item for item in items))

    assert chunks is not None
    assert chunks.items == items
    assert chunks.doubtful == {1}
    assert proven.sort(items, 0) == ({}, [1])
    assert unknown(proven, items, pad=2) == [0, 1, 2]
    assert unknown(proven, ["a: 'c'\n", "a: {b: c}\n"]) == [0]


def test_known_items_are_not_looked_at(proven: Proven, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the item that is new is."""
    split_fast(HEAD + "- a: 'b'\n- a: 'c'\n")
    seen: list[str] = []

    def opening(text: str, lines: list[str]) -> list[int]:
        seen.append(text)
        return []

    monkeypatch.setattr(module, "opening", opening)

    split_fast(HEAD + "- a: 'c'\n- a: 'd'\n- a: 'b'\n")

    assert seen == ["  a: 'd'\n"]


def test_list_with_a_line_that_is_not_deep(proven: Proven) -> None:
    """Its items are looked at in another way, which says less of each."""
    text = HEAD + "- a: 1\n# c\n  b: 2\n- a: 1\n"

    for _ in range(2):
        chunks = split_fast(text)
        assert chunks is not None
        assert chunks.doubtful == {0}
    assert unknown(proven, ["a: 1\n# c\n  b: 2\n", "a: 1\n"]) == [0, 1]


def test_other_text_of_the_same_bytes(proven: Proven) -> None:
    """What is proven of one says nothing about the other, though Python holds, and hashes, both alike."""
    open_quote = "a: 'b\n"
    plain = open_quote.encode().decode("utf-16-le")

    split_fast(f"items:\n- {plain}")

    assert unknown(proven, [plain]) == []
    assert unknown(proven, [open_quote]) == [0]
    assert split(f"items:\n- {open_quote}- c: d'\n").items == [f"{open_quote}- c: d'\n"]


@pytest.mark.parametrize(
    ("field", "value"), [("width", 32), ("algorithm", "fnv")], ids=["short hashes", "hashes without a key"]
)
def test_no_memory_without_good_hashes(field: str, value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they could be the same by chance, or by intent, every item is looked at each time."""
    assert memory() is not None

    good = {"width": sys.hash_info.width, "algorithm": sys.hash_info.algorithm}
    monkeypatch.setattr(sys, "hash_info", SimpleNamespace(**(good | {field: value})))

    assert memory() is None


@pytest.mark.parametrize("together", [1, 5])
def test_there_is_an_end_to_it(together: int) -> None:
    """When it has as many as it may have, it begins anew, also in the middle of a list."""
    proven = Proven(most=2)
    items = ["a", "b", "c", "d", "e"]
    for place in range(0, len(items), together):
        proven.add(proven.sort(items[place : place + together], 0)[0], set())

    assert unknown(proven, items) == [0, 1, 2, 3]
