"""From an edited span tree to text edits: what changed becomes (start, end, replacement), nothing else is touched.

The tree is walked once. A container whose children are as the text has them is only walked through. In an edited one
children that stay keep their lines, removed ones take their lines and comments along, new ones are put behind the
sibling before them, and children that changed their order move with their comments.
"""

from __future__ import annotations

from krmkit.yaml import compose
from krmkit.yaml.layout import (
    Unit,
    alone_on_line,
    body_end,
    colon,
    column,
    current_children,
    dash_of,
    end_of,
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
from krmkit.yaml.tree import Alias, Entry, Map, Node, Scalar, Seq, detached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.yaml.document import Document

    Splice = tuple[int, int, str]


def is_changed(node: Node) -> bool:
    """Whether an edit was recorded at or below the node."""
    if isinstance(node, Map):
        return node.original is not None or any(is_changed(entry.value) for entry in node.entries)
    if isinstance(node, Seq):
        return node.original is not None or any(is_changed(item) for item in node.items)
    return False


def splices(document: Document) -> list[Splice]:
    """All edits of a document, sorted and free of overlap."""
    root = document.root
    if root is None:
        return []
    if document.aliases:
        _keep_aliases_whole(document, root)
    writer = _Writer(document)
    if root.source is document:
        writer.node(root)
    # At one place an insertion comes before what is cut there; insertions keep the order of their making.
    writer.edits.sort(key=lambda edit: (edit[0], edit[1]))
    if document.newline == "\r\n":
        return [(start, end, new.replace("\n", "\r\n")) for start, end, new in writer.edits]
    return writer.edits


def _keep_aliases_whole(document: Document, root: Node) -> None:
    """An alias whose anchor was removed gets the value itself, so that what it means does not change."""
    anchored: set[int] = set()
    holders: list[tuple[Map | Seq, int, Alias]] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.anchor is not None and node.source is document:
            anchored.add(id(node))
        if isinstance(node, (Map, Seq)):
            for index, unit in enumerate(current_children(node)):
                value = unit.value if isinstance(unit, Entry) else unit
                if isinstance(unit, Entry):
                    stack.append(unit.key)
                stack.append(value)
                if isinstance(value, Alias):
                    holders.append((node, index, value))
    known = {id(alias) for alias in document.aliases}
    for container, index, alias in holders:
        if id(alias) not in known or id(alias.target) in anchored or alias.target.source is not document:
            continue
        if isinstance(container, Map):
            container.replace(container.entries[index], detached(alias))
        else:
            container.replace(index, detached(alias))


class _Writer:
    """Collects the edits of one document."""

    __slots__ = ("document", "edits", "text")

    def __init__(self, document: Document) -> None:
        self.document = document
        self.text = document.text
        self.edits: list[Splice] = []

    def cut(self, start: int, end: int, replacement: str = "") -> None:
        if start != end or replacement:
            self.edits.append((start, end, replacement))

    def node(self, node: Node, key: Node | None = None, key_column: int = 0) -> None:
        """Write the edits at and below `node`; `key` is the key it stands under, if any."""
        if not isinstance(node, (Map, Seq)) or node.source is not self.document:
            return
        edited = node.original is not None
        if node.flow:
            self.flow(node, edited)
        elif edited:
            self.block(node, key, key_column)
        else:
            self.inside(node)

    def inside(self, node: Map | Seq) -> None:
        """Walk through a container whose own children are unedited."""
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
        wide = self.document.wide
        if isinstance(unit, Entry):
            return compose.entry(unit, indent, wide)
        index = places.get(id(unit))
        if index is not None and compose.is_clean(unit):
            assert isinstance(node, Seq)
            return compose.item(node, index, indent)
        return " " * indent + "-" + compose.after_dash(unit, indent, wide)

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
            self.cut(start, start, block + "\n")

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
        self.cut(start, next_line(text, end))

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
            begin = line_start(text, start)
            self.cut(begin, begin, " " * indent + mark + "\n")

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
        new = compose.in_place_of(entry.value, old, indent, self.document.wide)
        head, newline, rest = new.partition("\n")
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

    # Flow collections

    def flow(self, node: Map | Seq, edited: bool) -> None:
        if not edited:
            self.inside(node)
            return
        text = self.text
        before = first_children(node)
        now = current_children(node)
        opening = text.index("{" if isinstance(node, Map) else "[", self.after_flow_properties(node))
        if not before and now and not self.in_flow(node):
            # An empty `{}` in block context opens up into a block; its parent's key or dash is in front of it.
            self.open_up(node, opening)
            return
        pieces = self.flow_pieces(node, before, now, opening)
        self.cut(opening + 1, node.end - 1, pieces)

    def flow_pieces(self, node: Map | Seq, before: list[Unit], now: list[Unit], opening: int) -> str:
        text = self.text
        json = text.startswith('"', start_of(before[0])) if before and isinstance(node, Map) else _is_json(text)
        leads: list[str] = []
        position = opening + 1
        for unit in before:
            leads.append(text[position : start_of(unit)])
            position = text.find(",", end_of(unit)) + 1 or node.end
        tail = text[end_of(before[-1]) : node.end - 1] if before else ""
        tail = tail.replace(",", "", 1)
        places = {id(unit): index for index, unit in enumerate(before)}
        written = []
        for position, unit in enumerate(now):
            index = places.get(id(unit))
            if position == 0:
                lead = leads[0] if leads else ""
            elif index:
                lead = leads[index]
            else:
                lead = leads[1] if len(leads) > 1 else (leads[0] if leads and "\n" in leads[0] else " ")
            written.append(lead + self.flow_unit(unit, index is not None, json))
        return ",".join(written) + (tail if now else "")

    def flow_unit(self, unit: Unit, known: bool, json: bool) -> str:
        value = unit.value if isinstance(unit, Entry) else unit
        if known and (not isinstance(unit, Entry) or unit.value is unit.first_value):
            inner = _Writer(self.document)
            inner.node(value)
            return _apply(self.text, start_of(unit), end_of(unit), inner.edits)
        if isinstance(unit, Entry):
            return compose.flow(unit.key, json) + ": " + compose.flow(value, json)
        return compose.flow(value, json)

    def after_flow_properties(self, node: Node) -> int:
        if node.anchor is None and node.tag is None:
            return node.start
        position = node.start
        while self.text[position] in "&! \t\r\n":
            if self.text[position] in "&!":
                while self.text[position] not in " \t\r\n":
                    position += 1
            else:
                position += 1
        return position

    def in_flow(self, node: Node) -> bool:
        """Whether an (empty) flow collection stands inside another one."""
        root = self.document.root
        stack = [root] if root is not None else []
        while stack:
            parent = stack.pop()
            if isinstance(parent, (Map, Seq)):
                for unit in first_children(parent):
                    value = unit.first_value if isinstance(unit, Entry) else unit
                    if value is node:
                        return parent.flow
                    stack.append(value)
        return _is_json(self.text)

    def open_up(self, node: Map | Seq, opening: int) -> None:
        text = self.text
        wide = self.document.wide
        begin = line_start(text, opening)
        indent = len(text[begin:opening]) - len(text[begin:opening].lstrip(" "))
        lead = text[begin + indent : opening]
        while lead.startswith("- "):
            blanks = len(lead) - len(lead[1:].lstrip(" "))
            indent += blanks
            lead = lead[blanks:]
        stop = line_end(text, node.end)
        if not lead:
            # Directly behind a dash, or the whole document.
            self.cut(opening, node.end, compose.block(node, column(text, opening), wide))
            return
        fresh = compose.after_key(node, indent, wide)
        start = opening
        while text[start - 1] == " ":
            start -= 1
        self.cut(start, node.end)
        self.cut(stop, stop, fresh)


def _comment_of(value: Node) -> str:
    """The comment behind a scalar that comes from another text."""
    if value.source is None or not isinstance(value, Scalar) or is_block_scalar(value):
        return ""
    text = value.source.text
    rest = text[value.end : line_end(text, value.end)]
    return rest.rstrip() if rest.lstrip(" \t").startswith("#") else ""


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _apply(text: str, start: int, end: int, edits: list[tuple[int, int, str]]) -> str:
    parts = []
    for begin, stop, new in sorted(edits, key=lambda edit: edit[0]):
        parts.append(text[start:begin])
        parts.append(new)
        start = stop
    parts.append(text[start:end])
    return "".join(parts)


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
    longest = set(max((run for _, run in best), key=len, default=[]))
    return [place if position in longest else -1 for position, place in enumerate(places)]
