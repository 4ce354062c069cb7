"""The text of new values: Python data as `emit` writes it, and pieces of texts with their comments.

An unedited node from a text (a preset's `add`, an item that moves) keeps its text: its lines are cut out with
their comments and shifted to their new column.
"""

from __future__ import annotations

from krmkit.libraries.yaml import emit, tree
from krmkit.libraries.yaml.editing.linecomments import line_comment
from krmkit.libraries.yaml.editing.movedlines import depth_of, join_lines, moved_block_scalar
from krmkit.libraries.yaml.editing.places import Places, Spot, Units
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.lines import shift
from krmkit.libraries.yaml.tree import Alias, Collection, Document, Entry, Map, Node, Scalar, Seq, deref


def is_empty(node: Node) -> bool:
    """Return True for a value without text, as in `key:`."""
    return isinstance(node, Scalar) and node.source is not None and not node.style and not node.text


def is_block_scalar(node: Node) -> bool:
    """Return True for a literal or folded block."""
    return isinstance(node, Scalar) and node.style in ("|", ">") and node.source is not None


def is_block(node: Node) -> bool:
    """Return True for a block collection of a text."""
    return isinstance(node, Collection) and not node.flow and node.source is not None


def is_bare(node: Node) -> bool:
    """Return True for a scalar from a text that ends at its mark: no block, anchor or tag."""
    plain = node.anchor is None and node.tag is None
    return type(node) is Scalar and plain and node.text != "" and node.style not in ("|", ">")


def is_clean(node: Node) -> bool:
    """Return True if a node's text can be kept: no edits, anchors or aliases."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.source is None or each.anchor is not None or isinstance(each, Alias):
            return False
        if isinstance(each, Collection):
            if each.original is not None:
                return False
            for child in each.children():
                if isinstance(child, Entry):
                    waiting += (child.key, child.value)
                else:
                    assert isinstance(child, Node)
                    waiting.append(child)
    return True


class Composer:
    """Write nodes into one document, in its style of lists. `literals`: block scalars are allowed."""

    __slots__ = ("_known", "_own", "_wide", "literals")

    def __init__(self, own: Places, literals: bool) -> None:
        self.literals = literals
        self._own = own
        self._known = {id(own.document): own}
        self._wide: bool | None = None

    @property
    def wide(self) -> bool:
        """Return True if the text's first list under a key is indented deeper than the key."""
        if self._wide is None:
            entry = _first_list(self._own.root.node)
            self._wide = False
            if entry is not None:
                start = entry.first_key.start
                units = self._own.units(self._own.of(entry.first_value))
                self._wide = units[0].column > start - self._own.line(start)
        return self._wide

    def places(self, source: Document) -> Places:
        """Return the places of a document, found when one of its nodes is first written."""
        if id(source) not in self._known:
            self._known[id(source)] = Places(source)
        return self._known[id(source)]

    def _slice(self, node: Node) -> str:
        """Return a scalar or flow collection as written, with its tag, without its anchor."""
        assert node.source is not None
        places = self.places(node.source)
        if is_bare(node):
            return places.view[node.start : node.end]
        spot = places.of(node)
        tags = [places.view[slice(*place)] for place in spot.properties if places.view[place[0]] == "!"]
        text = places.view[spot.start : places.end(spot)]
        return " ".join([*tags, "{" + text + "}" if spot.is_pair else text])

    def _can_stay(self, node: Node) -> bool:
        """Return True if a node's lines can be reused: unedited, and no unfit block scalar at the end.

        A block scalar is unfit if `literals` is False, or if it would get a final line break that it lacks.
        """
        if not is_clean(node):
            return False
        last = node
        while isinstance(last, Collection) and not last.flow and last.children():
            child = last.children()[-1]
            last = child.value if isinstance(child, Entry) else child
        return not is_block_scalar(last) or (self.literals and not self._lacks_break(last))

    def _lacks_break(self, node: Node) -> bool:
        """Return True if the text ends in a block scalar without the final line break of its style."""
        assert node.source is not None
        if node.source.text.endswith("\n"):
            return False
        places = self.places(node.source)
        spot = places.of(node)
        header = places.view[spot.start : places.line_end(spot.start)].partition(" #")[0]
        return not places.view[spot.end :].strip(" \n") and "-" not in header

    # The text after a key or a dash

    def after_key(self, node: Node, column: int) -> str:
        """Return the text after `key:` for a key at `column`: ` x`, or a line break and a block."""
        node = deref(node)
        if isinstance(node, Collection) and node.children():
            if node.flow and is_clean(node):
                return " " + self._slice(node)
            step = 2 if isinstance(node, Map) or self.wide else 0
            return self._tag(node) + "\n" + " " * (column + step) + self.block(node, column + step)
        return " " + self.scalar(node, column)

    def after_dash(self, node: Node, column: int) -> str:
        """Return the text after `-` for a dash at `column`."""
        node = deref(node)
        if isinstance(node, Collection) and node.children():
            if node.flow and is_clean(node):
                return " " + self._slice(node)
            if self._tag(node):
                return self._tag(node) + "\n" + " " * (column + 2) + self.block(node, column + 2)
            return " " + self.block(node, column + 2)
        return " " + self.scalar(node, column)

    def in_place_of(self, node: Node, old: Spot, column: int, places: Places) -> str:
        """Return the text after `key:` for `node` in place of `old`; a string keeps its style."""
        before = old.node
        if isinstance(node, Scalar) and isinstance(before, Scalar) and isinstance(node.value, str):
            styled = self._restyled(
                node.value, node.style or before.style, column, _step(old, column, places)
            )
            if styled is not None:
                return " " + styled
        return self.after_key(node, column)

    def _restyled(self, text: str, style: str, column: int, step: int) -> str | None:
        """Return a text in a style, literal lines `step` deeper than the key; None if impossible."""
        if style == '"':
            return emit.double_quoted(text)
        if not style or not emit.is_printable(text):
            return None
        if style == "'":
            return None if "\n" in text else "'" + text.replace("'", "''") + "'"
        if not self.literals or not text.strip("\n"):
            return None
        return emit.literal(text, column, step)

    def _tag(self, node: Node) -> str:
        return f" {node.tag}" if node.tag is not None else ""

    def scalar(self, node: Node, column: int) -> str:
        """Return a scalar, or an empty collection, below a key or dash at `column`."""
        if not isinstance(node, Scalar):
            return f"{self._tag(node)} {'{}' if isinstance(node, Map) else '[]'}".lstrip()
        if node.source is None:
            styled = (
                self._restyled(node.value, node.style, column, 2) if isinstance(node.value, str) else None
            )
            return styled if styled is not None else self._fresh(node, column, flow=not self.literals)
        if is_empty(node):
            return "null" if node.tag is None else node.tag
        if is_block_scalar(node):
            moved = None
            if self.literals and not self._lacks_break(node):
                moved = moved_block_scalar(self._slice(node), column)
            return moved if moved is not None else emit.scalar(node.text, column, flow=not self.literals)
        return join_lines(self._slice(node), column + 2)

    def _fresh(self, node: Scalar, column: int, flow: bool) -> str:
        """Return a scalar without a text: made from Python data, or a detached copy."""
        if node.value is not tree.UNSET:
            return emit.scalar(node.value, column, flow)
        if node.style or (flow and any(sign in node.text for sign in ",[]{}\n")):
            return emit.scalar(node.text, column, flow)
        text = node.text or "null"
        return f"{node.tag} {text}" if node.tag is not None else text

    # Blocks

    def block(self, node: Node, column: int) -> str:
        """Return a block collection with its children at `column`, the first line without its indentation."""
        if is_block(node) and self._can_stay(node):
            assert node.source is not None
            places = self.places(node.source)
            spot = places.of(node)
            units = places.units(spot)
            start = units[0].start
            if places.begins_line(start):
                start = places.head_start(units, 0, is_root=False)
            end = places.body_end(units, len(units) - 1)
            return self._lines(places, start, end, units[0].column, column)[column:]
        node = deref(node)
        assert isinstance(node, Collection)
        units_now = node.children()
        # The text after the last child is unknown; after every other one comes its sibling.
        inner = self if self.literals else Composer(self._own, literals=True)
        written = []
        for number, unit in enumerate(units_now, 1):
            composer = self if number == len(units_now) else inner
            written.append(composer.unit(unit, column))
        return "\n".join(written)[column:]

    def unit(self, child: Entry | Node, column: int) -> str:
        """Return a whole entry or item at `column`, every line indented, without the final line break."""
        if isinstance(child, Entry):
            return self.entry(child, column)
        head = ""
        if child.source is not None:
            places = self.places(child.source)
            holder, index = places.holder(child)
            if isinstance(holder.node, Seq) and not holder.node.flow:
                head = self._head(places, places.units(holder), index, column)
        return f"{head}{' ' * column}-{self.after_dash(child, column)}"

    def entry(self, entry: Entry, column: int) -> str:
        """Return a whole `key: value` at `column`, with its comments if it comes from a text."""
        # An entry that has got another name is still where its first one is.
        key = entry.key if entry.key.source is not None else entry.first_key
        head = tail = ""
        if key.source is not None:
            places = self.places(key.source)
            holder, index = places.holder(key)
            if not (isinstance(holder.node, Map) and holder.node.flow):
                units = places.units(holder)
                unit = units[index]
                head = self._head(places, units, index, column)
                if unit.value.node is entry.value and is_clean(key) and self._can_stay(entry.value):
                    above = places.line(unit.start) if places.begins_line(unit.start) else unit.start
                    body = self._lines(places, above, places.body_end(units, index), unit.column, column)
                    if key is not entry.key and unit.key is not None:
                        rest = body[column + unit.key.end - unit.key.start :]
                        body = " " * column + emit.key(_key_text(entry.key)) + rest
                    return head + body
                # The value was edited; the comments above the key stay, and the one on its line.
                if type(entry.value) is type(entry.first_value):
                    comment = line_comment(key.source, key, entry.first_value)
                    tail = f" {comment}" if comment else ""
        name = (
            self._slice(entry.key)
            if isinstance(entry.key, Scalar) and entry.key.source is not None
            else emit.key(_key_text(entry.key))
        )
        value = self.after_key(entry.value, column)
        if value.startswith("\n"):
            return f"{head}{' ' * column}{name}:{tail}{value}"
        return f"{head}{' ' * column}{name}:{value}" + ("" if "\n" in value else tail)

    def _head(self, places: Places, units: Units, index: int, column: int) -> str:
        unit = units[index]
        if not places.begins_line(unit.start):
            return ""
        start, above = places.head_start(units, index, is_root=False), places.line(unit.start)
        return self._lines(places, start, above, unit.column, column) + "\n" if start < above else ""

    def _lines(self, places: Places, start: int, end: int, old: int, new: int) -> str:
        """Move whole lines from column `old` to `new`; the first may begin after a dash."""
        text = places.view[start:end]
        pad = "" if places.line(start) == start else " " * old
        return shift(pad + text.removesuffix("\n"), old, new)

    # Flow

    def flow(self, node: Node, json: bool) -> str:
        """Return a node inside a flow collection; `json`: the surrounding text is JSON."""
        node = deref(node)
        if json:
            return _json(node)
        if isinstance(node, Map):
            pairs = [
                f"{self.flow(entry.key, False)}: {self.flow(entry.value, False)}" for entry in node.entries
            ]
            return "{" + ", ".join(pairs) + "}"
        if isinstance(node, Seq):
            return "[" + ", ".join(self.flow(item, False) for item in node.items) + "]"
        assert isinstance(node, Scalar)
        if node.source is None:
            return self._fresh(node, 0, flow=True)
        if is_empty(node):
            return "null"
        piece = self._slice(node)
        if is_block_scalar(node) or "\n" in piece or (not node.style and any(c in piece for c in ",[]{}")):
            return emit.scalar(node.text, 0, flow=True)
        return piece


def _step(old: Spot, column: int, places: Places) -> int:
    """Return how much deeper the lines of a literal are than its key at `column`."""
    node = old.node
    if not isinstance(node, Scalar) or not is_block_scalar(node):
        return 2
    depth = depth_of(places.view[old.start : old.end].partition("\n")[2])
    own = depth_of(node.text) if node.style == "|" else 0  # blanks of the text itself
    return max(depth - own, column + 1) - column if depth else 2


def _first_list(node: Node) -> Entry | None:
    for child in node.in_text() if isinstance(node, Collection) else ():
        value = child.first_value if isinstance(child, Entry) else child
        if isinstance(child, Entry) and isinstance(value, Seq) and not value.flow:
            return child
        found = _first_list(value)
        if found is not None:
            return found
    return None


def _key_text(key: Node) -> str:
    key = deref(key)
    if isinstance(key, Scalar):
        return key.text
    raise YamlError("a mapping with a collection as its key cannot be edited; write the key as a plain text")


def _json(node: Node) -> str:
    import json

    from krmkit.libraries.yaml.data import go_data

    return json.dumps(go_data(node), ensure_ascii=False)
