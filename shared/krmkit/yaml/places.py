"""Where the nodes of a text stand, told by yaml-edit's lossless tree, which is read side by side with ours.

All offsets count in `Places.view`: the text's UTF-8 bytes as one character each, because yaml-edit counts bytes, with
line feeds only and without a byte order mark. yaml-edit's tree gives the ranges of scalars and flow collections. Dashes,
colons, commas, anchors, tags and comments stand in the gaps between these, where nothing else can stand.
"""

from __future__ import annotations

from krmkit.yaml.errors import line_column
from krmkit.yaml.tree import Alias, Document, Entry, Map, Node, Scalar, Seq
from krmkit.yaml.view import EditError, from_view, plain_breaks, skip, to_view, token

# No dataclasses here and in the modules of the editor: importing them takes as long as a small run.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DEEPEST = "too deeply"


class Spot:
    """Where a node stands.

    mark: behind the dash or colon before it (0 or behind `---` for the root). properties: ranges of its anchor and tag.
    start: of its own text, behind the properties. end: behind its last character, or -1 for a block collection, which
    ends with its last child. in_flow: whether it stands inside of a flow collection. is_pair: whether it is `a: b` in `[a: b]`.
    """

    __slots__ = ("end", "in_flow", "is_pair", "mark", "node", "properties", "start", "tree", "units")

    def __init__(
        self,
        node: Node,
        mark: int,
        start: int,
        end: int,
        properties: list[tuple[int, int]],
        tree: Any,
        in_flow: bool = False,
        is_pair: bool = False,
    ) -> None:
        self.node = node
        self.mark = mark
        self.start = start
        self.end = end
        self.properties = properties
        self.tree = tree
        self.in_flow = in_flow
        self.is_pair = is_pair
        self.units: list[Unit] | None = None


class Unit:
    """A child of a collection: an entry or an item, as the text has it.

    start: of the dash, of `? `, or of the key and its properties. column: of `start`. colon: behind the entry's colon or
    the item's dash, -1 where an entry has none. end: behind its last character, before any comment.
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
        end: int = -1,
    ) -> None:
        self.child = child
        self.start = start
        self.column = column
        self.colon = colon
        self.key = key
        self.value = value
        self.end = end


class Places:
    """The places of one document's nodes, found on demand, in its text or in `text`, which has the same nodes."""

    __slots__ = ("_holders", "_spots", "root", "view")

    def __init__(self, document: Document, text: str | None = None) -> None:
        self._spots: dict[int, Spot] = {}
        self._holders: dict[int, tuple[Spot, int]] = {}
        text = plain_breaks(document.text if text is None else text)
        node = document.origin
        assert node is not None
        self.view = to_view(text)
        self.root = self._spot(node, _tree(text), _document_start(self.view))

    def slice(self, start: int, end: int) -> str:
        """The text of a range of the view."""
        return from_view(self.view[start:end])

    # Spots

    def of(self, node: Node) -> Spot:
        """Where a node of this document stands."""
        spot = self._spots.get(id(node))
        if spot is None:
            self._complete()
            spot = self._spots[id(node)]
        return spot

    def holder(self, node: Node) -> tuple[Spot, int]:
        """The collection that holds a key or item in the text, and its position there."""
        found = self._holders.get(id(node))
        if found is None:
            self._complete()
            found = self._holders[id(node)]
        return found

    def units(self, spot: Spot) -> list[Unit]:
        """The children of a collection, in the order of the text."""
        if spot.units is None:
            node = spot.node
            spot.units = self._entries(spot, node) if isinstance(node, Map) else self._items(spot, node)
            for index, unit in enumerate(spot.units):
                self._holders[id(unit.value.node if unit.key is None else unit.key.node)] = spot, index
        return spot.units

    def end(self, spot: Spot) -> int:
        """Behind the last character of a node's text."""
        if spot.end < 0:
            units = self.units(spot)
            spot.end = units[-1].end
        return spot.end

    def _complete(self) -> None:
        stack = [self.root]
        while stack:
            spot = stack.pop()
            if isinstance(spot.node, (Map, Seq)):
                for unit in self.units(spot):
                    stack += [unit.value] if unit.key is None else [unit.key, unit.value]

    def _spot(self, node: Node, tree: Any, mark: int, in_flow: bool = False) -> Spot:
        view = self.view
        properties: list[tuple[int, int]] = []
        wanted = (node.anchor is not None) + (node.tag is not None)
        start = mark
        while True:
            sign, begin, end = token(view, start)
            if sign == "#":
                start = end
            elif sign in ("&", "!") and sign and len(properties) < wanted:
                properties.append((begin, end))
                start = end
            else:
                break
        if len(properties) < wanted:
            raise EditError("the place of an anchor or tag cannot be told; write it on the line of its value")
        is_written = not isinstance(node, Scalar) or node.style != "" or node.text != ""
        spot = Spot(node, mark, begin, -1, properties, tree, in_flow)
        if not is_written:
            spot.start = spot.end = properties[-1][1] if properties else mark
        elif tree is None:
            raise self._disagreement(begin)
        elif isinstance(node, Scalar) and node.style in ("|", ">"):
            spot.end = _block_scalar_end(view, begin, tree.byte_range()[1], node.text)
        elif not isinstance(node, (Map, Seq)) or node.flow:
            first, spot.end = tree.byte_range()
            if (first != begin and tree.kind != "tagged") or spot.end <= begin:
                raise self._disagreement(begin)
        self._spots[id(node)] = spot
        return spot

    def _entries(self, spot: Spot, node: Map) -> list[Unit]:
        view = self.view
        entries = node.entries if node.original is None else node.original
        tree = spot.tree.as_tagged().as_mapping() if spot.tree.kind == "tagged" else spot.tree.as_mapping()
        found = tree.entries() if tree is not None else []
        if len(found) != len(entries):
            raise self._disagreement(spot.start)
        position = spot.start
        if node.flow and found:
            first = found[0].key()
            nested = first is not None and first.byte_range()[0] == spot.start
            spot.is_pair = nested or view[position] != "{"
            position += not spot.is_pair
        units = []
        for entry, other in zip(entries, found, strict=True):
            sign, start, end = skip(view, position, ",#" if node.flow else "#")
            key = self._spot(entry.first_key, other.key(), end if sign == "?" else start, node.flow)
            position = self.end(key)
            sign, _, end = skip(view, position, "#")
            colon = end if sign == ":" else -1
            value = self._spot(entry.first_value, other.value(), position if colon < 0 else colon, node.flow)
            position = max(self.end(value), colon, position)
            units.append(Unit(entry, start, start - self.line(start), colon, key, value, position))
        return units

    def _items(self, spot: Spot, node: Node) -> list[Unit]:
        assert isinstance(node, Seq)
        view = self.view
        items = node.items if node.original is None else node.original
        tree = spot.tree.as_tagged().as_sequence() if spot.tree.kind == "tagged" else spot.tree.as_sequence()
        found = tree.values() if tree is not None else []
        if len(found) != len(items):
            raise self._disagreement(spot.start)
        position = spot.start + node.flow
        units = []
        for item, other in zip(items, found, strict=True):
            sign, start, end = skip(view, position, ",#" if node.flow else "#")
            if not node.flow and sign != "-":
                raise self._disagreement(start)
            mark = start if node.flow else end
            value = self._spot(item, other, mark, node.flow)
            position = self.end(value)
            units.append(Unit(item, start, start - self.line(start), mark, None, value, position))
        return units

    def _disagreement(self, at: int) -> EditError:
        place = line_column(self.view, at)
        return EditError("the text around here can be read in two ways; write it more plainly", *place)

    # Lines

    def line(self, position: int) -> int:
        """Start of the line that holds a position."""
        return self.view.rfind("\n", 0, position) + 1

    def line_end(self, position: int) -> int:
        """Where the line that holds a position ends, before its line break."""
        end = self.view.find("\n", position)
        return end if end >= 0 else len(self.view)

    def below(self, position: int) -> int:
        """Start of the line below the one that holds a position."""
        end = self.view.find("\n", position)
        return end + 1 if end >= 0 else len(self.view)

    def begins_line(self, position: int) -> bool:
        """Whether only blanks stand before a position on its line."""
        return not self.view[self.line(position) : position].strip(" ")

    def comment_column(self, line: int) -> int:
        """Column of the comment on the line that starts at `line`; -1 where the line holds anything else."""
        view = self.view
        position = line
        while view[position : position + 1] == " ":
            position += 1
        return position - line if view[position : position + 1] == "#" else -1

    # The lines of a child of a block collection, with the comments that belong to it

    def body_end(self, units: list[Unit], index: int) -> int:
        """Start of the line below a child and the comments that belong to its end.

        These are deeper than the child. Behind a value that is closed, such as `x` or `[x]`, they belong to the next
        child where one follows directly.
        """
        unit = units[index]
        stop = position = self.below(unit.end)
        while position < len(self.view) and self.comment_column(position) > unit.column:
            position = self.below(position)
        if position == stop or _is_open(unit) or index == len(units) - 1:
            return position
        return stop if self.view[position : self.line_end(position)].strip(" ") else position

    def head_start(self, units: list[Unit], index: int, is_root: bool) -> int:
        """Start of the comments directly above a child, without a blank line between; else of its own line.

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

    def tail_end(self, units: list[Unit], least: int) -> int:
        """Where a child goes behind the last one: below the comments under it that stand at column `least` or deeper."""
        end = self.body_end(units, len(units) - 1)
        while end < len(self.view) and self.comment_column(end) >= least:
            end = self.below(end)
        return end


def _is_open(unit: Unit) -> bool:
    """Whether deeper comments below a child belong to its value: a block, or nothing yet."""
    node = unit.value.node
    if isinstance(node, Scalar):
        return node.style in ("|", ">") or (not node.style and not node.text)
    if isinstance(node, Alias):
        return False
    assert isinstance(node, (Map, Seq))
    return not node.flow or not unit.value.units and unit.value.end == unit.value.start + 2


def _tree(text: str) -> Any:
    from yaml_edit import YamlFile

    try:
        return YamlFile.parse(text).documents()[0].root()
    except (ValueError, IndexError) as error:
        if _DEEPEST in str(error):
            raise EditError("the text is nested more than 256 deep, which cannot be edited") from None
        raise EditError(f"the text cannot be edited: {error}") from None
    except BaseException as error:
        # A panic of the extension is no Exception; what ends the process is none of its classes.
        if type(error).__module__ != "pyo3_runtime":
            raise
        raise EditError("the text cannot be edited: the editor's parser failed on it") from None


def _document_start(view: str) -> int:
    """Behind the `---` of the document, 0 where it has none."""
    position = 0
    while True:
        sign, start, end = token(view, position)
        if sign == "%":
            end = view.find("\n", start)
        elif sign != "#":
            is_marker = view.startswith("---", start) and view[start + 3 : start + 4].strip() == ""
            return start + 3 if is_marker else 0
        position = end


def _block_scalar_end(view: str, start: int, end: int, value: str) -> int:
    """Where the content of a block scalar ends, without its final line break.

    yaml-edit's end runs over the blank lines that follow, which are content behind `|+` only.
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
