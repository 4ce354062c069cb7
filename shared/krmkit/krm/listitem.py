"""An item that came in the text of a list: it knows the anchors before it, and lets go of its lines where they are too many."""

from __future__ import annotations

from krmkit.krm.anchors import AnchorsBefore, ListAnchors
from krmkit.krm.resource import Resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.krm.itemlines import ItemLines
    from krmkit.yaml.limits import Limits

_MOST_LINES = 50_000
"""Lines that the items of a list hold: they take several times the memory of the text."""

_FEW_LINES = 5_000
"""The same for a list that has more: it is gone through from one end to the other, so those of the items at hand are enough."""


class Companions:
    """What the items of a list have in common: `anchors` of the list, and the lines that they hold."""

    __slots__ = ("_count", "_items", "_most", "anchors")

    def __init__(self) -> None:
        self.anchors = ListAnchors([])  # the list sets them once it has its items
        self._items: list[ListItem] = []
        self._count = 0
        self._most = _MOST_LINES

    def note_lines(self, item: ListItem, count: int) -> None:
        """Note that an item holds so many lines; where they are too many, those before it keep their texts only."""
        self._count += count
        if self._count > self._most:
            for other in self._items:
                if other is not item:
                    other.forget_lines()
            self._items, self._count = [], count
            self._most = min(_MOST_LINES, _FEW_LINES)
        self._items.append(item)


class ListItem(Resource):
    """The item at the position `number` of a list."""

    __slots__ = ("_companions", "number")

    def __init__(
        self,
        companions: Companions,
        number: int,
        text: str,
        column: int,
        line_safe: bool,
        limits: Limits,
    ) -> None:
        # Written out: this runs once per item of lists with many thousands.
        self._given = text
        self._lines = None
        self._known = {}
        self._document = None
        self._root = None
        self._anchors = None
        self.column = column
        self.line_safe = line_safe
        self.limits = limits
        self.location = None
        self.changed = False
        self._companions = companions
        self.number = number

    @property
    def label(self) -> str:  # type: ignore[override]  # computed, because most items never need it
        return f"item {self.number + 1}"

    def forget_lines(self) -> None:
        """Keep the text only, and who the item is."""
        self._forget_lines()

    def _split(self) -> ItemLines:
        lines = super()._split()
        self._companions.note_lines(self, len(lines.lines))
        return lines

    def _parse(self) -> None:
        self._anchors = AnchorsBefore(self._companions.anchors, self.number)
        super()._parse()
