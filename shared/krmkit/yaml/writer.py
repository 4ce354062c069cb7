"""Text edits for the edited nodes of one span tree: block collections, and values under keys."""

from __future__ import annotations

from krmkit.yaml import compose
from krmkit.yaml.flow import apply, flow_edits
from krmkit.yaml.layout import (
    Unit,
    alone_on_line,
    body_end,
    colon,
    column,
    current_children,
    dash_of,
    first_children,
    head_start,
    is_block,
    is_block_scalar,
    is_empty,
    line_end,
    line_start,
    next_line,
    owns_deeper,
    start_of,
    tail_end,
)
from krmkit.yaml.tree import Entry, Map, Node, Scalar, Seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.yaml.document import Document


class Writer:
    """Collects the edits of one document."""

    __slots__ = ("document", "edits", "style", "text")

    def __init__(self, document: Document, style: compose.Style) -> None:
        self.document = document
        self.style = style
        self.text = document.text
        self.edits: list[tuple[int, int, str]] = []

    def cut(self, start: int, end: int, replacement: str = "") -> None:
        if start != end or replacement:
            self.edits.append((start, end, replacement))

    def node(self, node: Node, key: Node | None = None, key_column: int = 0) -> None:
        """Write the edits at and below `node`; `key` is the key it stands under, if any."""
        if not isinstance(node, (Map, Seq)) or node.source is not self.document:
            return
        edited = node.original is not None
        if node.flow:
            flow_edits(self, node, edited)
        elif edited:
            self.block(node, key, key_column)
        else:
            self.inside(node)

    def inside(self, node: Map | Seq) -> None:
        """Walk through a container whose own children are unedited."""
        if node.unread:
            return
        if isinstance(node, Map):
            for entry in node.entries:
                value = entry.value
                if value.kind == "map" or value.kind == "seq":
                    self.node(value, entry.key, column(self.text, entry.key.start))
        else:
            for item in node.items:
                if item.kind == "map" or item.kind == "seq":
                    self.node(item)

    # Block collections

    def block(self, node: Map | Seq, key: Node | None, key_column: int) -> None:
        text = self.text
        before = first_children(node)
        now = current_children(node)
        places = {id(unit): index for index, unit in enumerate(before)}
        kept = _in_order([places.get(id(unit), -1) for unit in now])
        first = dash_of(text, node, 0, before) if isinstance(node, Seq) else start_of(before[0])
        indent = column(text, first)
        inline = not alone_on_line(text, first)

        # Where a new child goes that has no kept sibling before it.
        survivors = {index for index in kept if index >= 0}
        if isinstance(node, Seq) and key is not None and indent <= key_column:
            least = indent + 1
        else:
            least = max(indent, 1)

        for index in range(len(before)):
            if index not in survivors:
                self.remove(node, before, index, survivors, indent, inline)
        if not now:
            self.empty(node, before, key, inline, indent)
            return
        pending: list[str] = []
        last_kept = -1
        for position, unit in enumerate(now):
            index = kept[position]
            if index < 0:
                pending.append(self.unit_text(node, unit, places, indent))
                continue
            if pending:
                self.put(pending, node, before, last_kept, survivors, key, indent, first, inline, least)
                pending = []
            last_kept = index
            self.kept(node, before, unit, index, indent)
        if pending:
            self.put(pending, node, before, last_kept, survivors, key, indent, first, inline, least)

    def unit_text(self, node: Map | Seq, unit: Unit, places: dict[int, int], indent: int) -> str:
        """The text of a new or moved child, every line indented."""
        if isinstance(unit, Entry):
            return compose.entry(unit, indent, self.style)
        index = places.get(id(unit))
        if index is not None and not compose.is_tied(unit):
            assert isinstance(node, Seq)
            moved = self.moved(node, unit, index, indent)
            if moved is not None:
                return moved
        return " " * indent + "-" + compose.after_dash(unit, indent, self.style)

    def moved(self, node: Seq, item: Node, index: int, indent: int) -> str | None:
        """The lines of an item that moves within its list, with its comments, and with the edits inside of it."""
        start, end, at = compose.item_span(node, index)
        inner = Writer(self.document, self.style)
        inner.node(item)
        if any(begin < start or stop > end for begin, stop, _ in inner.edits):
            return None
        inner.edits.sort(key=lambda edit: (edit[0], edit[1]))
        lines = apply(self.text, start, end, inner.edits).replace("\r\n", "\n")
        if not alone_on_line(self.text, start):
            lines = " " * at + lines
        return compose.shift(lines, at, indent)

    def put(
        self,
        lines: list[str],
        node: Map | Seq,
        before: list[Unit],
        after: int,
        survivors: set[int],
        key: Node | None,
        indent: int,
        first: int,
        inline: bool,
        least: int,
    ) -> None:
        """Insert children behind the kept child `after`, or in front of all (after = -1)."""
        text = self.text
        block = "\n".join(lines)
        if after >= 0:
            unit = before[after]
            if after == len(before) - 1:
                at = tail_end(text, unit, indent, least)
            else:
                at = body_end(text, unit, indent, last=False)
            self.cut(at, at, "\n" + block)
        elif inline:
            # `- first` on a parent's dash line: the new child takes the place behind that dash.
            self.cut(first, first, block[indent:] + ("\n" + " " * indent if survivors else ""))
        elif key is not None:
            at = line_end(text, colon(text, key))
            self.cut(at, at, "\n" + block)
        else:
            start = line_start(text, first)
            if isinstance(node, Seq):
                start = head_start(text, start, indent, 0, deeper=True)
            self.line_at(start, block)

    def remove(
        self,
        node: Map | Seq,
        before: list[Unit],
        index: int,
        survivors: set[int],
        indent: int,
        inline: bool,
    ) -> None:
        text = self.text
        unit = before[index]
        last = index == len(before) - 1
        start = dash_of(text, node, index, before) if isinstance(node, Seq) else start_of(unit)
        end = body_end(text, unit, indent, last)
        if inline and index <= min(survivors, default=len(before)):
            # On the parent's dash line: what follows moves up to the dash.
            if index == 0:
                self.cut(start, self.resume(before, survivors, indent))
            return
        if alone_on_line(text, start):
            previous = before[index - 1] if index else None
            begin = line_start(text, start)
            if previous is not None:
                floor = next_line(text, body_end(text, previous, indent, last=False))
            else:
                floor = self.floor(node, begin)
            start = head_start(text, begin, indent, floor, owns_deeper(previous))
        # With the line break before it, not the one behind: what is put behind this line joins on there.
        self.cut(self.break_before(start) if start > 0 else 0, end)

    def line_at(self, start: int, line: str) -> None:
        """Insert a line in front of the one that starts at `start`."""
        if start > 0:
            at = self.break_before(start)
            self.cut(at, at, "\n" + line)
        else:
            self.cut(0, 0, line + "\n")

    def break_before(self, start: int) -> int:
        """Where the line above the one that starts at `start` ends."""
        return line_end(self.text, line_start(self.text, start - 1))

    def resume(self, before: list[Unit], survivors: set[int], indent: int) -> int:
        """Where the text goes on after the leading children of an inline block were removed."""
        text = self.text
        if not survivors:
            return body_end(text, before[-1], indent, last=True)
        stay = min(survivors)
        position = next_line(text, body_end(text, before[stay - 1], indent, last=False))
        while text[position] in " \r\n":
            position += 1
        return position

    def floor(self, node: Map | Seq, begin: int) -> int:
        """The start of the lines above a first child that may hold its comments.

        Comments at the head of a document belong to the document: a licence, a note, the marker of presets.
        """
        if node is self.document.root:
            return begin
        return 0

    def empty(self, node: Map | Seq, before: list[Unit], key: Node | None, inline: bool, indent: int) -> None:
        """All children are gone: `{}` or `[]` takes their place."""
        text = self.text
        mark = "{}" if isinstance(node, Map) else "[]"
        start = start_of(before[0]) if isinstance(node, Map) else dash_of(text, node, 0, before)
        if key is not None and not inline:
            at = self.after_properties(node, colon(text, key) + 1)
            self.cut(at, at, " " + mark)
        elif inline:
            self.cut(start, start, mark)
        else:
            # Where `remove` has cut: above the comments of the first child.
            begin = line_start(text, start)
            begin = head_start(text, begin, indent, self.floor(node, begin), owns_deeper(None))
            self.line_at(begin, " " * indent + mark)

    def after_properties(self, node: Node, position: int) -> int:
        """Behind the anchor and tag of a block collection, which stand on its key's line."""
        text = self.text
        if node.anchor is None and node.tag is None:
            return position
        end = line_end(text, position)
        position = node.start
        while position < end and text[position] in "&!":
            while position < end and text[position] not in " \t":
                position += 1
            stop = position
            while position < end and text[position] in " \t":
                position += 1
        return stop

    def kept(self, node: Map | Seq, before: list[Unit], unit: Unit, index: int, indent: int) -> None:
        """A child that stays where it is: its value may be another one, or edited inside."""
        if isinstance(unit, Entry):
            if unit.value is not unit.first_value:
                self.replace_under_key(unit)
            else:
                self.node(unit.value, unit.key, column(self.text, unit.key.start))
        else:
            self.node(unit)

    # Values

    def replace_under_key(self, entry: Entry) -> None:
        text = self.text
        old = entry.first_value
        indent = column(text, entry.key.start)
        mark = colon(text, entry.key) + 1
        new = compose.in_place_of(entry.value, old, indent, self.style)
        head, newline, rest = new.partition("\n")
        if newline and isinstance(entry.value, Scalar) and not _is_block_header(head):
            # A text over several lines: a comment has no place inside of it.
            head, newline, rest = new, "", ""
        key_line = line_end(text, mark)
        if is_block(old):
            stop = body_end(text, entry, indent, last=True)
            self.cut(mark, self.after_properties(old, mark), head)
            self.cut(key_line, stop, newline + rest)
        elif is_block_scalar(old):
            header = text[old.start : line_end(text, old.start)]
            comment = header[header.index("#") - 1 :] if "#" in header else ""
            self.cut(mark, old.end, head + comment + newline + rest)
        else:
            self.inline(mark, old, head, newline + rest, entry.value)

    def inline(self, mark: int, old: Node, head: str, rest: str, value: Node) -> None:
        """Replace a value that is written on its key's or dash's line; a comment behind it stays."""
        text = self.text
        same_line = "\n" not in text[mark : old.start]
        end = max(old.end, mark)
        stop = line_end(text, end)
        if not is_empty(old) and same_line and head:
            self.cut(old.start, end, head[1:])
        else:
            self.cut(mark, end, head)
        tail = rest
        if not text[end:stop].strip():
            tail = _comment_of(value) + rest if not rest or not head.strip().startswith(("|", ">")) else rest
        self.cut(stop, stop, tail)


def _is_block_header(head: str) -> bool:
    """Whether the first line of a scalar, behind its key, says that a block (`|`, `>`) follows."""
    words = [word for word in head.split() if word[0] not in "&!"]
    return bool(words) and words[0][0] in "|>"


def _comment_of(value: Node) -> str:
    """The comment behind a scalar that comes from another text."""
    if value.source is None or not isinstance(value, Scalar) or is_block_scalar(value):
        return ""
    text = value.source.text
    rest = text[value.end : line_end(text, value.end)]
    return rest.rstrip() if rest.lstrip(" \t").startswith("#") else ""


def _in_order(places: list[int]) -> list[int]:
    """The places of a longest increasing run; all others become -1 (new or moved)."""
    best: list[tuple[int, list[int]]] = []
    known = [place for place in places if place >= 0]
    if known == sorted(known):
        return places
    for position, place in enumerate(places):
        if place < 0:
            continue
        run: list[int] = []
        for other, candidate in best:
            if other < place and len(candidate) > len(run):
                run = candidate
        best.append((place, [*run, position]))
    longest: list[int] = []
    for _, run in best:
        if len(run) > len(longest):
            longest = run
    stay = set(longest)
    return [place if position in stay else -1 for position, place in enumerate(places)]
