"""The anchors of a list's items, which aliases in later items may refer to."""

from __future__ import annotations

from bisect import bisect_left

from krmkit.yaml.tree import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.krm.resource import Resource
    from krmkit.yaml.tree import Node


class ListAnchors:
    """The anchors of a list's items, each item looked into once, in order, when an alias asks for the first time."""

    __slots__ = ("_found", "_items", "_next")

    def __init__(self, items: list[Resource]) -> None:
        self._items = items
        self._next = 0
        # By name: the items that have it, and the node.
        self._found: dict[str, list[tuple[int, Node]]] = {}

    def last_before(self, number: int, name: str) -> Node | None:
        """The anchored node that an alias in item `number` stands for; None where no item before has the anchor."""
        while self._next < number:
            item = self._items[self._next]
            if "&" in item._text:
                own = {node.anchor: node for node in walk(item.document.root) if node.anchor is not None}
                for anchor, node in own.items():
                    self._found.setdefault(anchor, []).append((self._next, node))
            self._next += 1
        found = self._found.get(name, [])
        place = bisect_left(found, number, key=lambda holder: holder[0])
        return found[place - 1][1] if place else None


class AnchorsBefore:
    """The anchors that an alias in one item may refer to: those of the items before it."""

    __slots__ = ("_anchors", "_number")

    def __init__(self, anchors: ListAnchors, number: int) -> None:
        self._anchors = anchors
        self._number = number

    def get(self, name: str) -> Node | None:
        return self._anchors.last_before(self._number, name)
