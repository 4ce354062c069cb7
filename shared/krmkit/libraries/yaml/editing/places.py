"""The places of a text's nodes: libyaml's marks tell where scalars and flow collections begin and end.

All offsets count in `Places.view`: the document's text, with a final line break. Between nodes are only
dashes, colons, commas, anchors, tags and comments. A place is found on demand.
"""

from __future__ import annotations

from bisect import bisect_right

from krmkit.libraries.yaml.editing.view import plain_breaks, skip, token
from krmkit.libraries.yaml.errors import YamlError, line_column
from krmkit.libraries.yaml.tree import Alias, Collection, Document, Entry, Map, Node, Scalar, Seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# No dataclasses here and in the modules of the editor: importing them takes as long as a small run.


class Spot:
    """The place of a node.

    - `mark`: after the dash or colon before it (for the root, 0 or after `---`).
    - `properties`: the ranges of its anchor and tag.
    - `start`: of its own text, after the properties.
    - `end`: after its last character; -1 for a block collection, which ends with its last child.
    - `is_pair`: the node is `a: b` in `[a: b]`.
    """

    __slots__ = ("end", "in_flow", "is_pair", "mark", "node", "properties", "start", "units")

    def __init__(
        self, node: Node, mark: int, start: int, end: int, properties: list[tuple[int, int]], in_flow: bool
    ) -> None:
        self.node = node
        self.mark = mark
        self.start = start
        self.end = end
        self.properties = properties
        self.in_flow = in_flow
        self.is_pair = isinstance(node, Map) and node.flow and end < 0
        self.units: Units | None = None


class Unit:
    """A child of a collection, an entry or an item, in the text.

    - `start`: of the dash, of `? `, or of the key with its properties. `column`: of `start`.
    - `colon`: after the entry's colon or the item's dash, -1 for an entry without one.
    - `end`: after its last character, before any comment.
    """

    __slots__ = ("child", "colon", "column", "end", "key", "start", "value")

    def __init__(
        self,
        child: Entry | Node,
        start: int,
        column: int,
        colon: int,
        key: Spot | None,
        value: Spot,
        end: int,
    ) -> None:
        self.child = child
        self.start = start
        self.column = column
        self.colon = colon
        self.key = key
        self.value = value
        self.end = end

    def part(self, node: Node) -> Spot:
        """Return the key or value that is a node, or contains it."""
        return self.value if self.key is None or node.start >= self.value.node.start else self.key


class Units:
    """The children of a collection, in the order of the text, found on demand."""

    __slots__ = ("_found", "_places", "_spot")

    def __init__(self, places: Places, spot: Spot, found: list[Unit] | list[None]) -> None:
        self._places = places
        self._spot = spot
        self._found: list[Unit | None] = [*found]

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, index: int) -> Unit:
        unit = self._found[index]
        if unit is None:
            index %= len(self._found)
            unit = self._found[index] = self._places.block_unit(self._spot, index)
        return unit

    def __iter__(self) -> Iterator[Unit]:
        return (self[index] for index in range(len(self._found)))


class Places:
    """The places of one document's nodes, in its text with a final line break."""

    __slots__ = ("document", "root", "view")

    def __init__(self, document: Document) -> None:
        self.document = document
        node = document.root
        assert node is not None
        self.view = plain_breaks(document.text)
        self.root = self._spot(node, _document_start(self.view), False)

    # Lines

    def line(self, position: int) -> int:
        """Return the start of the line that holds a position."""
        return self.view.rfind("\n", 0, position) + 1

    def line_end(self, position: int) -> int:
        """Return the end of a position's line, before its line break."""
        end = self.view.find("\n", position)
        return end if end >= 0 else len(self.view)

    def below(self, position: int) -> int:
        """Return the start of the line after the one that holds a position."""
        end = self.view.find("\n", position)
        return end + 1 if end >= 0 else len(self.view)

    def begins_line(self, position: int) -> bool:
        """Return True if only blanks precede a position on its line."""
        return not self.view[self.line(position) : position].strip(" ")

    def comment_column(self, line: int) -> int:
        """Return the column of the comment on the line that starts at `line`; -1 without one."""
        text = self.view[line : self.line_end(line)]
        content = text.lstrip(" ")
        return len(text) - len(content) if content[:1] == "#" else -1

    # Spots

    def of(self, node: Node) -> Spot:
        spot = self.root
        while spot.node is not node:
            spot = self._around(spot, node)[1].part(node)
        return spot

    def holder(self, node: Node) -> tuple[Spot, int]:
        """Return the collection that directly contains a node of the text, and the node's index."""
        spot = self.root
        while True:
            index, unit = self._around(spot, node)
            held = unit.value if unit.key is None else unit.key
            if held.node is node:
                return spot, index
            spot = unit.part(node)

    def _around(self, spot: Spot, node: Node) -> tuple[int, Unit]:
        """Return the child that contains a node: the last one that begins at or before it."""
        units = self.units(spot)
        children = spot.node.in_text() if isinstance(spot.node, Collection) else []
        index = bisect_right(children, node.start, key=_start_of) - 1
        if index < 0:
            raise self._disagreement(spot.start)
        return index, units[index]

    def units(self, spot: Spot) -> Units:
        """Return the children of a collection, in the order of the text."""
        if spot.units is None:
            node = spot.node
            assert isinstance(node, Collection)
            spot.units = Units(
                self, spot, self._flow_units(spot, node) if node.flow else [None] * len(node.in_text())
            )
        return spot.units

    def end(self, spot: Spot) -> int:
        """Return the end of a node's text."""
        if spot.end < 0:
            spot.end = self.units(spot)[-1].end
        return spot.end

    def _spot(self, node: Node, mark: int, in_flow: bool) -> Spot:
        properties: list[tuple[int, int]] = []
        wanted = (node.anchor is not None) + (node.tag is not None)
        start = node.start
        while len(properties) < wanted:
            sign, begin, end = token(self.view, start)
            if not sign or sign not in "&!#":
                raise self._disagreement(begin)
            if sign != "#":
                properties.append((begin, end))
            start = end
        if isinstance(node, Scalar) and not node.style and not node.text:
            start = end = start if properties else mark
        else:
            if properties:
                start = skip(self.view, start, "#")[1]
            end = node.end
            if isinstance(node, Scalar) and node.style in ("|", ">"):
                end = block_scalar_end(self.view, start, end, node.text)
        return Spot(node, mark, start, end, properties, in_flow)

    def block_unit(self, spot: Spot, index: int) -> Unit:
        node = spot.node
        assert isinstance(node, Collection)
        child = node.in_text()[index]
        column = spot.start - self.line(spot.start)
        if not isinstance(child, Entry):
            start = self._sign_above(spot, child.start, column, "-") if index else spot.start
            return self._unit(child, start, column, start + 1, None)
        key = child.first_key
        start = begin = key.start
        if index == 0:
            start = spot.start
        elif begin - self.line(begin) != column or (isinstance(key, Seq) and not key.flow):
            start = self._sign_above(spot, begin, column, "?")
        mark = start + (start != begin)
        return self._unit(child, start, column, mark, self._spot(key, mark, False))

    def _sign_above(self, spot: Spot, position: int, column: int, sign: str) -> int:
        """Return the dash or question mark at a column, at or above a position, past comments."""
        line = self.line(position)
        while line > spot.start:
            found = line + column
            if self.view.startswith(sign, found) and self.begins_line(found):
                return found
            line = self.line(line - 1)
        raise self._disagreement(position)

    def _flow_units(self, spot: Spot, node: Collection) -> list[Unit]:
        position = spot.start + (not spot.is_pair)
        units: list[Unit] = []
        for child in node.in_text():
            sign, start, end = skip(self.view, position, ",#")
            mark = (
                end if sign == "?" and isinstance(child, Entry) and child.first_key.start > start else start
            )
            key = self._spot(child.first_key, mark, True) if isinstance(child, Entry) else None
            units.append(self._unit(child, start, start - self.line(start), mark, key, in_flow=True))
            position = units[-1].end
        return units

    def _unit(
        self, child: Entry | Node, start: int, column: int, mark: int, key: Spot | None, in_flow: bool = False
    ) -> Unit:
        if not isinstance(child, Entry) or key is None:
            assert not isinstance(child, Entry)
            value = self._spot(child, mark, in_flow)
            return Unit(child, start, column, mark, None, value, self.end(value))
        position = self.end(key)
        sign, _, end = skip(self.view, position, "#")
        colon = end if sign == ":" else -1
        value = self._spot(child.first_value, position if colon < 0 else colon, in_flow)
        return Unit(child, start, column, colon, key, value, max(self.end(value), colon, position))

    def _disagreement(self, at: int) -> YamlError:
        place = line_column(self.view, at)
        return YamlError("the text around here can be read in two ways; write it more plainly", *place)

    # The lines of a child of a block collection, with the comments that belong to it

    def body_end(self, units: Units, index: int) -> int:
        """Return the start of the line after a child and its trailing comments.

        Trailing comments are deeper than the child. After a closed value, such as `x` or `[x]`, they belong
        to the next child if it follows directly.
        """
        unit = units[index]
        stop = position = self.below(unit.end)
        while position < len(self.view) and self.comment_column(position) > unit.column:
            position = self.below(position)
        if position == stop or _is_open(unit) or index == len(units) - 1:
            return position
        return stop if self.view[position : self.line_end(position)].strip(" ") else position

    def head_start(self, units: Units, index: int, is_root: bool) -> int:
        """Return the start of the comments directly above a child, without a blank line; else its own.

        Comments above the first child of the document belong to the document: a licence, or a note.
        """
        unit = units[index]
        start = self.line(unit.start)
        floor = self.body_end(units, index - 1) if index else start if is_root else 0
        owns_deeper = index == 0 or not _is_open(units[index - 1])
        while start > floor:
            above = self.line(start - 1)
            column = self.comment_column(above)
            if above < floor or column < unit.column or (column > unit.column and not owns_deeper):
                break
            start = above
        return start

    def tail_end(self, units: Units, least: int) -> int:
        """Return the position for a new last child: after comments at column `least` or deeper."""
        end = self.body_end(units, len(units) - 1)
        while end < len(self.view) and self.comment_column(end) >= least:
            end = self.below(end)
        return end


def _start_of(child: Entry | Node) -> int:
    return (child.first_key if isinstance(child, Entry) else child).start


def _is_open(unit: Unit) -> bool:
    """Return True if deeper comments after a child belong to its value: a block or an absent value."""
    node = unit.value.node
    if isinstance(node, Scalar):
        return node.style in ("|", ">") or (not node.style and not node.text)
    if isinstance(node, Alias):
        return False
    assert isinstance(node, Collection)
    return not node.flow or not node.in_text() and unit.value.end == unit.value.start + 2


def _document_start(view: str) -> int:
    """Return the end of the document's `---`, 0 if it has none."""
    position = 0
    while True:
        sign, start, end = token(view, position)
        if sign == "%":
            end = view.find("\n", start)
        elif sign != "#":
            is_marker = view.startswith("---", start) and view[start + 3 : start + 4].strip() == ""
            return start + 3 if is_marker else 0
        position = end


def block_scalar_end(view: str, start: int, end: int, value: str) -> int:
    """Return the end of a block scalar's content, without its final line break.

    libyaml's end includes the blank lines that follow, which are content only after `|+`.
    """
    content = view[start:end]
    header = content.partition("\n")[0].partition("#")[0]
    if "+" in header:
        return end - content.endswith("\n")
    if value.rstrip("\n") != value.rstrip():
        # The last line ends in blanks that are content.
        return start + len(content.rstrip("\n"))
    stop = start + len(content.rstrip(" \t\n"))
    below = view.find("\n", stop, end)
    return below if below >= 0 else end
