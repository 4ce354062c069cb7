"""Items of a list's text: they know the anchors before them, and drop their lines to save memory."""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.yaml.data import walk
from krmkit.libraries.yaml.document import AnyAnchor, parse_all
from krmkit.libraries.yaml.errors import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krmkit.krm.itemlines import ItemLines
    from krmkit.libraries.yaml.limits import Limits
    from krmkit.libraries.yaml.tree import Document, Node

_MOST_LINES = 50_000
"""Lines that the items of a list hold: they take several times the memory of the text."""

_FEW_LINES = 5_000
"""The same for a list that has more: it is read from end to end, so the lines of the current items do."""


class ListAnchors:
    """The anchors of a list's items. Items are read once, in order, when an alias first needs them."""

    __slots__ = ("_found", "_items", "_next")

    def __init__(self, items: list[Resource]) -> None:
        self._items = items
        self._next = 0
        # By name: the items that have it, and the node.
        self._found: dict[str, list[tuple[int, Node]]] = {}

    def last_before(self, number: int, name: str) -> Node | None:
        """Return the anchored node for an alias in item `number`; None if no earlier item has it."""
        from bisect import bisect_left  # few lists have an alias

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
    """The anchors that an alias in an item may refer to: those of earlier items."""

    __slots__ = ("_anchors", "_number")

    def __init__(self, anchors: ListAnchors, number: int) -> None:
        self._anchors = anchors
        self._number = number

    def get(self, name: str) -> Node | None:
        return self._anchors.last_before(self._number, name)


class Companions:
    """State that the items of a list share: the list's `anchors`, and the number of lines in memory."""

    __slots__ = ("_count", "_items", "_most", "anchors")

    def __init__(self) -> None:
        self.anchors = ListAnchors([])  # the list sets them once it has its items
        self._items: list[ListItem] = []
        self._count = 0
        self._most = _MOST_LINES

    def note_lines(self, item: ListItem, count: int) -> None:
        """Count an item's lines; above the limit, earlier items drop theirs and keep their text."""
        self._count += count
        if self._count > self._most:
            for other in self._items:
                if other is not item:
                    other._forget_lines()
            self._items, self._count = [], count
            self._most = min(_MOST_LINES, _FEW_LINES)
        self._items.append(item)


class ListItem(Resource):
    """The item at the position `number` of a list."""

    __slots__ = ("_companions", "number")

    def __init__(
        self, companions: Companions, number: int, text: str, column: int, is_safe: bool, limits: Limits
    ) -> None:
        super().__init__(text, column, limits=limits)
        self._is_safe = is_safe
        self._companions = companions
        self.number = number

    @property
    def label(self) -> str:
        return f"item {self.number + 1}"

    def _split(self) -> ItemLines:
        lines = super()._split()
        self._companions.note_lines(self, len(lines.lines))
        return lines

    def _parse(self) -> None:
        self._anchors = AnchorsBefore(self._companions.anchors, self.number)
        super()._parse()


def refuse_lost(items: list[Resource], edits: Iterable[tuple[str, str]], envelope: Document) -> None:
    """Raise Refused if an edit removed an anchor that an alias elsewhere in the list may need.

    items: in the order of writing; edits: each original item's text before and after; envelope: the text
    around the items.
    """
    lost = set[str]().union(*(_words(before, "&") - _words(after, "&") for before, after in edits))
    if not lost:
        return
    users = [
        (alias.name, "the text around the items")
        for alias in envelope.aliases
        if alias.target.source is not envelope
    ]
    for item in items:
        if not lost.isdisjoint(_words(item.text, "*")):
            users += [(name, item.label) for name in _wanted(" " * item.column + item.text)]
    for name, label in users:
        if name in lost:
            raise Refused(
                f"the edit removes the anchor &{name}, which {label} refers to; write the value out there"
            )


def _words(text: str, sign: str) -> set[str]:
    """Return the words after a sign: for `&` all anchors, perhaps more. `a: &b 1 && c` gives {"b"}."""
    if sign not in text:
        return set()
    words = (piece.split(None, 1)[0] for piece in text.split(sign)[1:] if piece[:1].strip())
    return {word.partition(",")[0].rstrip("]}") for word in words}


def _wanted(text: str) -> list[str]:
    """Return the names of aliases in a text that has no anchor for them."""
    try:
        documents = parse_all(text, anchors=AnyAnchor())
    except YamlError:
        return []  # an unused item is passed on unchanged, even if it is broken
    return [alias.name for document in documents for alias in document.aliases if alias.target.source is None]
