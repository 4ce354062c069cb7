"""Where things stand in a YAML text: lines, columns, and which comments belong to which node.

A comment belongs to a node when it stands on the node's last line, inside the node's body, or directly above it
without a blank line between. Comments deeper than a key that follow an "open" value (a collection, a block scalar,
nothing, `{}` or `[]`) are that value's body; after a plain value they are the next node's head.
"""

from __future__ import annotations

from krmkit.yaml.plain import UnreadMap
from krmkit.yaml.tree import Alias, Entry, Map, Node, Scalar, Seq

Unit = Entry | Node
"""A child of a container: an entry of a mapping or an item of a sequence."""


def line_start(text: str, position: int) -> int:
    """Offset of the first character of the line that holds `position`; a byte order mark is not part of it."""
    start = text.rfind("\n", 0, position) + 1
    return 1 if start == 0 and text[:1] == "\ufeff" and position > 0 else start


def line_end(text: str, position: int) -> int:
    """Offset of the end of the line that holds `position`, its line break not included."""
    end = text.find("\n", position)
    if end < 0:
        return len(text)
    return end - 1 if end > position and text[end - 1] == "\r" else end


def next_line(text: str, end: int) -> int:
    """Offset of the line after a line end as `line_end` gives it."""
    if text.startswith("\r\n", end):
        return end + 2
    return end + 1 if end < len(text) else end


def column(text: str, position: int) -> int:
    """Column of `position`, from 0."""
    return position - line_start(text, position)


def alone_on_line(text: str, position: int) -> bool:
    """Whether only blanks precede `position` on its line."""
    return not text[line_start(text, position) : position].strip(" ")


def comment_column(text: str, start: int) -> int:
    """Column of the comment on the line that starts at `start`; -1 where the line is not a pure comment."""
    position = start
    length = len(text)
    while position < length and text[position] == " ":
        position += 1
    return position - start if position < length and text[position] == "#" else -1


def colon(text: str, key: Node) -> int:
    """Offset of the colon after a key."""
    return text.index(":", key.end)


def is_empty(node: Node) -> bool:
    """Whether the node is a value that is not written at all (`key:`)."""
    return isinstance(node, Scalar) and node.start == node.end and node.source is not None


def is_block(node: Node) -> bool:
    """Whether the node is a block collection with children."""
    return isinstance(node, (Map, Seq)) and not node.flow and node.source is not None


def is_block_scalar(node: Node) -> bool:
    """Whether the node is written as a literal or folded block."""
    return isinstance(node, Scalar) and node.style in ("|", ">") and node.source is not None


def first_children(node: Map | Seq) -> list[Unit]:
    """The children that the text has, whatever has been edited since."""
    children: list[Unit] = []
    if isinstance(node, Map):
        children.extend(node.entries if node.original is None else node.original)
    else:
        children.extend(node.items if node.original is None else node.original)
    return children


def current_children(node: Map | Seq) -> list[Unit]:
    """The children as they are now."""
    children: list[Unit] = []
    children.extend(node.entries if isinstance(node, Map) else node.items)
    return children


def start_of(unit: Unit) -> int:
    """Where the unit's own text begins: at its key, or at the item's value (not at its dash)."""
    return unit.key.start if isinstance(unit, Entry) else unit.start


def end_of(unit: Unit) -> int:
    """Where the unit's own text ends, before any comment."""
    return max(unit.first_value.end, unit.key.end) if isinstance(unit, Entry) else unit.end


def value_of(unit: Unit) -> Node:
    """The value that the text has for the unit."""
    return unit.first_value if isinstance(unit, Entry) else unit


def _is_open(unit: Unit) -> bool:
    value = value_of(unit)
    if isinstance(value, Alias):
        return False
    if isinstance(value, Scalar):
        return is_empty(value) or is_block_scalar(value)
    assert isinstance(value, (Map, Seq))
    return not value.flow or not first_children(value)


def body_end(text: str, unit: Unit, indent: int, last: bool) -> int:
    """End (without line break) of the unit's last line, its body comments included.

    `indent` is the column of the unit's key or dash. `last` says that no sibling follows.
    """
    end = line_end(text, end_of(unit))
    position = next_line(text, end)
    open_value = _is_open(unit)
    stop = end
    while position < len(text) and position > end:
        if comment_column(text, position) <= indent:
            break
        end = line_end(text, position)
        stop = end
        position = next_line(text, end)
    if stop != line_end(text, end_of(unit)) and not open_value and not last and position < len(text):
        # Directly above the next sibling, after a closed value: the sibling's head.
        following = text[position : line_end(text, position)]
        if following.strip():
            return line_end(text, end_of(unit))
    return stop


def head_start(text: str, first: int, indent: int, floor: int, deeper: bool) -> int:
    """Start of the comment block directly above the line that starts at `first` (`first` itself without one).

    `floor` is where the previous sibling's last line ends or the container begins; nothing above is looked at.
    `deeper` says whether comments deeper than `indent` are the node's own (see `owns_deeper`).
    """
    start = first
    while start > floor:
        above = line_start(text, start - 1)
        if above < floor:
            break
        at = comment_column(text, above)
        if at < indent or (at > indent and not deeper):
            break
        start = above
    return start


def owns_deeper(previous: Unit | None) -> bool:
    """Whether deeper comments between `previous` and the next sibling are the next sibling's head."""
    return previous is None or not _is_open(previous)


def tail_end(text: str, unit: Unit, indent: int, least: int) -> int:
    """End of the lines that follow the last child and still belong to its container: where an append goes.

    Comments directly below the last child, at column `least` or deeper, stay with it.
    """
    end = body_end(text, unit, indent, last=True)
    position = next_line(text, end)
    while end < position < len(text) and comment_column(text, position) >= least:
        end = line_end(text, position)
        position = next_line(text, end)
    return end


def dash_of(text: str, sequence: Seq, index: int, items: list[Unit]) -> int:
    """Offset of the dash of item `index` of a block sequence."""
    start = _first_dash(text, sequence)
    if index == 0:
        return start
    indent = column(text, start)
    item_start = start_of(items[index])
    position = next_line(text, line_end(text, end_of(items[index - 1])))
    while position <= item_start:
        if text.startswith("-", position + indent) and not text[position : position + indent].strip(" "):
            return position + indent
        position = next_line(text, line_end(text, position))
    raise AssertionError("an item of a block sequence has a dash")


def _first_dash(text: str, sequence: Seq) -> int:
    # Properties (&anchor, !tag) stand before the first dash, on the parent's line.
    if sequence.anchor is None and sequence.tag is None:
        return sequence.start
    position = line_end(text, sequence.start)
    while True:
        position = next_line(text, position)
        line = text[position : line_end(text, position)]
        if line.lstrip(" ").startswith("-"):
            return position + len(line) - len(line.lstrip(" "))
        position = line_end(text, position)


def last_node(node: Node) -> Node:
    """The node that stands last in the node's text."""
    while isinstance(node, (Map, Seq)) and not node.flow:
        if isinstance(node, UnreadMap):
            node = node.last()
            continue
        if not first_children(node):
            break
        unit = first_children(node)[-1]
        node = unit.first_value if isinstance(unit, Entry) else unit
    return node
