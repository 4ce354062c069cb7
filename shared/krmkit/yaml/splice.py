"""From an edited span tree to text edits: what changed becomes (start, end, replacement), nothing else is touched.

The tree is walked once. A container whose children are as the text has them is only walked through. In an edited one
children that stay keep their lines, removed ones take their lines and comments along, new ones are put behind the
sibling before them, and children that changed their order move with their comments.
"""

from __future__ import annotations

from krmkit.yaml import compose
from krmkit.yaml.errors import YamlError
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
    """All edits of a document, sorted and free of overlap.

    Edits of whole lines are proven: the new text is parsed and must say what the edited tree says. What can come
    between the two is a block scalar next to the edit that takes in a comment or loses its last line break; then
    new text is quoted instead of written as a block, or the text gets a final line break.
    """
    root = document.root
    if root is None:
        return []
    if document.aliases:
        _keep_aliases_whole(document, root)
    if root.source is not document:
        return [(0, len(document.text), compose.block(root, 0, compose.Style(document.wide)) + "\n")]
    for literals, final_break in ((True, False), (False, False), (False, True)):
        writer = _Writer(document, compose.Style(document.wide, literals))
        writer.node(root)
        edits = _closed(document, writer.edits, root)
        if final_break:
            edits.append((len(document.text), len(document.text), "\n"))
        if document.newline == "\r\n":
            edits = [(start, end, new.replace("\n", "\r\n")) for start, end, new in edits]
        if _within_lines(document.text, edits) or _says_the_same(document, root, edits):
            return edits
    raise YamlError(
        "an edit next to a block scalar (| or >) would change what that scalar says; write the scalar in quotes"
    )


def _within_lines(text: str, edits: list[Splice]) -> bool:
    """Whether no line break comes or goes."""
    return all("\n" not in new and "\n" not in text[start:end] for start, end, new in edits)


def _says_the_same(document: Document, root: Node, edits: list[Splice]) -> bool:
    from krmkit.yaml.data import go_data
    from krmkit.yaml.document import parse

    try:
        written = parse(_apply(document.text, 0, len(document.text), edits), anchors=_foreign_anchors(document))
    except YamlError:
        return False
    return same_data(go_data(written.root), go_data(root))


def _foreign_anchors(document: Document) -> dict[str, Node]:
    """Anchors of other texts that aliases of this one refer to (items of a list)."""
    return {a.name: a.target for a in document.aliases if a.target.source is not document}


def same_data(left: object, right: object) -> bool:
    """Equality that tells 1 from true and 1.0, and finds NaN equal to itself."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        assert isinstance(right, dict)
        return list(left) == list(right) and all(same_data(item, right[key]) for key, item in left.items())
    if isinstance(left, list):
        assert isinstance(right, list)
        return len(left) == len(right) and all(map(same_data, left, right))
    return left == right or (left != left and right != right)


def _closed(document: Document, made: list[Splice], root: Node) -> list[Splice]:
    # At one place an insertion comes before what is cut there; insertions keep the order of their making.
    edits = sorted(made, key=lambda edit: (edit[0], edit[1]))
    _close_start(document.text, edits)
    _close_end(document.text, edits, root)
    return edits


def _close_start(text: str, edits: list[Splice]) -> None:
    """Where the first lines are removed, what comes next must not begin with their line break."""
    if text[:1] in ("\r", "\n"):
        return
    for first, (start, end, new) in enumerate(edits):
        if start > 0:
            return
        if new or end == 0:
            continue
        last = first + 1
        while last < len(edits) and edits[last][0] <= end:
            if edits[last][2]:
                edits[last] = (edits[last][0], edits[last][1], edits[last][2].removeprefix("\n"))
                edits[first] = (0, end, "")
                return
            end = max(end, edits[last][1])
            del edits[last]
        edits[first] = (0, next_line(text, end), "")
        return


def _close_end(text: str, edits: list[Splice], root: Node) -> None:
    """Block scalars at the end of a text without final line break: their own one depends on it."""
    if text[-1:] in ("", "\n") or not edits or edits[-1][1] != len(text):
        return
    start, end, new = edits[-1]
    if any("|" in other or ">" in other for _, _, other in edits):
        edits[-1] = (start, end, new + "\n")
    last = _last_node(root)
    if start == end and new.startswith("\n") and is_block_scalar(last) and last.end == end:
        # The old last line had no line break to keep; now that one follows, `|` has to become `|-`.
        header = text[last.start : line_end(text, last.start)].split("#", 1)[0].rstrip()
        at = last.start + len(header)
        if header[-1] != "-" and not any(begin < at <= stop for begin, stop, _ in edits):
            edits.append((at - (header[-1] == "+"), at, "-"))
            edits.sort(key=lambda edit: (edit[0], edit[1]))


def _last_node(node: Node) -> Node:
    """The node that stands last in the text."""
    while isinstance(node, (Map, Seq)) and not node.flow and first_children(node):
        unit = first_children(node)[-1]
        node = unit.first_value if isinstance(unit, Entry) else unit
    return node


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

    __slots__ = ("document", "edits", "style", "text")

    def __init__(self, document: Document, style: compose.Style) -> None:
        self.document = document
        self.style = style
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
        if isinstance(unit, Entry):
            return compose.entry(unit, indent, self.style)
        index = places.get(id(unit))
        if index is not None and compose.is_clean(unit):
            assert isinstance(node, Seq)
            return compose.item(node, index, indent)
        return " " * indent + "-" + compose.after_dash(unit, indent, self.style)

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
            self.line_at(line_start(text, start), " " * indent + mark)

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
            inner = _Writer(self.document, self.style)
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
            self.cut(opening, node.end, compose.block(node, column(text, opening), self.style))
            return
        fresh = compose.after_key(node, indent, self.style)
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
