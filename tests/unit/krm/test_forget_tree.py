"""Trees of resources: when they go, and when they stay."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from krmkit.krm import listitem
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList

LIST = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
{items}"""
ITEM = """\
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: {name}
  data:
{data}"""


def many(count: int) -> ResourceList:
    """A list of ConfigMaps with forty keys each."""
    data = "".join(f"    key-{number}: value {number}\n" for number in range(40))
    return ResourceList.parse(
        LIST.format(items="".join(ITEM.format(name=f"c{number}", data=data) for number in range(count)))
    )


def test_memory_comes_back() -> None:
    """Without a collector of garbage, as functions run: what is left of fifty trees is less than one tree."""
    resources = many(50)
    items = list(resources)
    _ = items[0].root
    was_on = gc.isenabled()
    gc.disable()
    tracemalloc.start()
    try:
        start = tracemalloc.get_traced_memory()[0]
        for item in items[1:]:
            assert isinstance(item.get(), dict)
        full = tracemalloc.get_traced_memory()[0] - start
        for item in items[1:]:
            item.forget_tree()
        left = tracemalloc.get_traced_memory()[0] - start
    finally:
        tracemalloc.stop()
        if was_on:
            gc.enable()

    assert left < full / 50


def test_the_next_access_reads_again() -> None:
    """Reading and editing go on as before."""
    resources = many(2)
    first = resources.items[0]
    before = first.get()
    first.forget_tree()

    assert first.get() == before
    first.set(("data", "key-3"), "new")
    first.forget_tree()
    assert first.get("data", "key-3") == "new"
    assert "    key-3: new\n" in resources.render()


@pytest.mark.parametrize("text", ["a: &x 1\nb: *x\n", "a: {b: 1}\n"], ids=["anchors", "edited"])
def test_a_tree_that_is_needed_stays(text: str) -> None:
    """Other trees may refer to one with anchors; one that was edited is all there is of the edit."""
    resource = Resource(text)
    root = resource.root
    if "&" not in text:
        resource.set(("a",), {"c": 2})

    resource.forget_tree()

    assert resource.root is root


def test_a_tree_that_was_only_read_stays_beside_an_edited_text() -> None:
    """An edited resource is parsed once more after its text was written, and not again for each look at it."""
    resource = Resource("a: {b: 1}\n")
    resource.set(("a",), {"c": 2})
    assert resource.text == "a:\n  c: 2\n"

    root = resource.root
    assert resource.text == "a:\n  c: 2\n"
    assert not resource.may_hold("b")
    assert resource.root is root

    resource.set(("a", "c"), 3)
    assert resource.may_hold("anything")
    assert resource.text == "a:\n  c: 3\n"


def test_lines_of_a_long_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the limit all items keep their lines; beyond it, only the one that is read, and few more."""
    one = many(1).items[0]._by_lines()
    assert one is not None
    count = len(one.lines)
    monkeypatch.setattr(listitem, "_MOST_LINES", 2 * count)
    monkeypatch.setattr(listitem, "_FEW_LINES", count)
    items = many(4).items

    kept = []
    for item in items:
        item._by_lines()
        kept.append([number for number, other in enumerate(items) if other._lines is not None])

    assert kept == [[0], [0, 1], [2], [3]]
