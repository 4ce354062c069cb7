"""Lists of twice the size cost twice the work, whatever their items refer to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.errors import LimitError
from tests.costs import check_shape

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
ITEMS = {
    "anchors and aliases": "- a: &b{n} x\n  kind: A\n- c: *b{n}\n  kind: B\n",
    "one anchor name": "- a: &b x\n  kind: A\n- c: *b\n  kind: B\n",
    "signs that are no anchors": "- command: a && b\n  kind: A\n- verbs: ['*']\n  kind: B\n",
    "plain": "- kind: ConfigMap\n  metadata:\n    name: m{n}\n  data:\n    a: 1 # one\n",
    "doubtful lines": '- kind: ConfigMap\n  metadata: {{name: m{n}, labels: {{a: \'b\'}}}}\n  data:\n    a: "x\\"y"\n',
}


def listed(item: str, size: int) -> str:
    return HEAD + "".join(item.format(n=n) for n in range(size))


@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS)
def test_reading_every_item(item: str) -> None:
    """The cost of reading all items grows with their number."""

    def make(size: int) -> Callable[[], object]:
        rl = ResourceList.parse(listed(item, size))
        return lambda: [resource.get("kind") for resource in rl.items]

    check_shape(make)


@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS)
def test_editing_every_item(item: str) -> None:
    """The cost of an edit in all items, written out, grows with their number."""

    def make(size: int) -> Callable[[], object]:
        rl = ResourceList.parse(listed(item, size))

        def work() -> None:
            for resource in rl.items:
                resource.set(("metadata", "namespace"), "shop")
            rl.render()

        return work

    check_shape(make)


def test_anchors_that_go() -> None:
    """Whether somebody needs an anchor that an edit takes out is not asked of every pair of items."""

    def make(size: int) -> Callable[[], object]:
        rl = ResourceList.parse(listed("- kind: A\n  a: &b{n} x\n  glob: '*.b{n}'\n", size))
        for resource in rl.items:
            resource.set(("a",), ["y"])
            assert "&" not in resource.text
        return rl.render

    check_shape(make)


def test_the_last_anchor_before_the_alias_counts() -> None:
    """An anchor that comes again in a later item is another one for the items behind it."""
    rl = ResourceList.parse(HEAD + "- a: &x 1\n- b: *x\n- c: &x 2\n- d: *x\n- e: [*x, &x 3, *x]\n")

    assert [item.get() for item in reversed(rl.items)][::-1] == [
        {"a": 1},
        {"b": 1},
        {"c": 2},
        {"d": 2},
        {"e": [2, 3, 3]},
    ]


BOMBS = {
    "merge keys": "<<: [*{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}]",
    "lists": "l: [*{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}]",
}


def bomb(kind: str) -> str:
    lines = ["- b0: &b0 {x: 1}"]
    for level in range(1, 9):
        lines.append(f"  b{level}: &b{level}\n    {BOMBS[kind].format(a=f'b{level - 1}')}")
    return HEAD + "\n".join([*lines, "  kind: C", "  metadata: *b8"]) + "\n"


@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_of_aliases_ends_in_an_error(kind: str) -> None:
    """An edit below an alias that stands for 9**8 nodes is refused by the limit on aliases."""
    rl = ResourceList.parse(bomb(kind))

    with pytest.raises(LimitError, match="aliases"):
        rl.items[0].set(("metadata", "namespace"), "shop")


def test_merge_keys_are_searched_once() -> None:
    """A key that is absent is not looked for in the same merged mapping again and again."""

    def make(size: int) -> Callable[[], object]:
        lines = ["- b0: &b0 {x: 1}"]
        lines += [f"  b{n}: &b{n}\n    <<: [*b{n - 1}, *b{n - 1}]" for n in range(1, size)]
        rl = ResourceList.parse(HEAD + "\n".join([*lines, f"  metadata: *b{size - 1}"]) + "\n")
        rl.items[0].node("metadata")
        return lambda: rl.items[0].string("metadata", "name")

    check_shape(make, 16)


def test_an_item_nested_too_deeply_is_an_error() -> None:
    """The limit on depth holds for items that nobody asks for."""
    with pytest.raises(LimitError, match="depth"):
        ResourceList.parse(HEAD + "- kind: A\n  d: " + "[" * 20_000 + "]" * 20_000 + "\n- kind: B\n")
