"""Splices for block collections, and for values after keys and dashes."""

from __future__ import annotations

from krmkit.libraries.yaml.copies import is_tied
from krmkit.libraries.yaml.editing.compose import Composer, is_bare, is_block, is_block_scalar, is_empty
from krmkit.libraries.yaml.editing.places import Places, Spot, Unit, Units
from krmkit.libraries.yaml.editing.view import Splice, apply, gap, is_pair, is_word
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.lines import shift
from krmkit.libraries.yaml.tree import Collection, Entry, Map, Node, Scalar, Seq


class Editor:
    """Collect the splices of one document; offsets count in `places.view`."""

    __slots__ = ("closing", "composer", "edited", "places", "splices", "view", "words")

    def __init__(self, places: Places, literals: bool, edited: set[int], closing: Splice | None) -> None:
        self.places = places
        self.edited = edited
        self.closing = closing  # of the block scalar that ends the text
        self.view = places.view
        self.composer = Composer(places, literals)
        self.splices: list[Splice] = []
        self.words = 0  # so many of them put a word in a plain scalar's place, or words as entries into a map

    def cut(self, start: int, end: int, new: str = "") -> None:
        if start != end or new:
            self.splices.append((start, end, new))

    def node(self, spot: Spot) -> None:
        """Write the edits at and below a node."""
        node = spot.node
        if id(node) not in self.edited or not isinstance(node, Collection):
            return
        if node.original is None:
            for index, child in enumerate(node.in_text()):
                if id(child.value if isinstance(child, Entry) else child) in self.edited:
                    self.node(self.places.units(spot)[index].value)
        elif node.flow:
            from krmkit.libraries.yaml.editing.flowedit import flow_splices  # few edits are in one

            flow_splices(self, spot)
        else:
            self.block(spot)

    def inner(self, spot: Spot, start: int, end: int) -> str | None:
        """Return the text of a range with the edits at and below `spot`; None if one exceeds the range."""
        closing = self.closing if self.closing is not None and start <= self.closing[0] < end else None
        editor = Editor(self.places, self.composer.literals, self.edited, closing)
        editor.node(spot)
        splices = editor.all_splices()
        if any(begin < start or stop > end for begin, stop, _ in splices):
            return None
        return apply(self.view, start, end, splices)

    def all_splices(self) -> list[Splice]:
        """Return the splices, with the one that closes the last block scalar."""
        return self.splices if self.closing is None else [*self.splices, self.closing]

    # Block collections

    def block(self, spot: Spot) -> None:
        units = self.places.units(spot)
        node = spot.node
        assert isinstance(node, Collection)
        now = node.children()
        had = node.in_text()
        wanted = node.origins()
        kept = in_order(wanted)
        survivors = {index for index in kept if index >= 0}
        for index in range(len(units)):
            if index not in survivors:
                self.remove(spot, units, index, survivors)
        if not now:
            self.empty(spot, units)
            return
        pending: list[str] = []
        last = -1
        for child, index, place in zip(now, kept, wanted, strict=True):
            if index < 0:
                pending.append(self.moved(units, place, child) or self.composer.unit(child, units[0].column))
                continue
            if pending:
                self.put(pending, spot, units, last, survivors)
                pending = []
            last = index
            self.kept(units, index, had[index], child)
        if pending:
            self.put(pending, spot, units, last, survivors)

    def kept(self, units: Units, index: int, was: Entry | Node, child: Entry | Node) -> None:
        """Write a child that stays: an edited or replaced value, or a text for an alias that was its key."""
        value = child
        if isinstance(child, Entry):
            value = child.value
            if child.key is not child.first_key:
                unit = units[index]
                assert unit.key is not None and isinstance(child.key, Scalar)
                self.cut(unit.key.start, unit.key.end, self.composer.scalar(child.key, unit.column))
        assert isinstance(value, Node)
        if value is not (was.first_value if isinstance(was, Entry) else was):
            self.replace(units[index], value)
        elif id(value) in self.edited:
            self.node(units[index].value)

    def is_inline(self, units: Units) -> bool:
        """Return True if the first child is on its parent's dash line."""
        return not self.places.begins_line(units[0].start)

    def moved(self, units: Units, index: int, child: Entry | Node) -> str | None:
        """Return the lines of an item that moves within its list, with its comments and inner edits."""
        if index < 0 or isinstance(child, Entry) or units[index].child is not child or is_tied(child):
            return None
        unit = units[index]
        places = self.places
        start, end = unit.start, places.body_end(units, index)
        if places.begins_line(start):
            start = places.head_start(units, index, is_root=False)
        text = self.inner(unit.value, start, end)
        if text is None:
            return None
        pad = "" if places.line(start) == start else " " * unit.column
        return shift(pad + text.removesuffix("\n"), unit.column, units[0].column)

    def put(self, lines: list[str], spot: Spot, units: Units, last: int, survivors: set[int]) -> None:
        """Insert children after the one at `last`, or before all (-1)."""
        places = self.places
        column = units[0].column
        text = "\n".join(lines)
        if last >= 0:
            if last < len(units) - 1:
                at = places.body_end(units, last)
            else:
                under_key = (
                    isinstance(spot.node, Seq) and spot is not places.root and not self.is_inline(units)
                )
                at = places.tail_end(units, column + 1 if under_key else max(column, 1))
            # A line at the column of a block's keys ends whatever is above it.
            self.words += isinstance(spot.node, Map) and all(is_pair(line[column:]) for line in lines)
            self.cut(at, at, text + "\n")
        elif self.is_inline(units):
            self.cut(
                units[0].start, units[0].start, text[column:] + "\n" + (" " * column if survivors else "")
            )
        elif spot is not places.root:
            at = places.below(spot.properties[-1][1] if spot.properties else spot.mark)
            self.cut(at, at, text + "\n")
        else:
            at = places.line(units[0].start)
            if isinstance(spot.node, Seq):
                at = places.head_start(units, 0, is_root=False)
            self.cut(at, at, text + "\n")

    def remove(self, spot: Spot, units: Units, index: int, survivors: set[int]) -> None:
        places = self.places
        unit = units[index]
        if self.is_inline(units) and index <= min(survivors, default=len(units)):
            # On the parent's dash line what follows moves up to the dash.
            if index == 0:
                self.cut(unit.start, self.resume(units, survivors))
            return
        start = (
            places.head_start(units, index, spot is places.root)
            if places.begins_line(unit.start)
            else unit.start
        )
        self.cut(start, places.body_end(units, index))

    def resume(self, units: Units, survivors: set[int]) -> int:
        """Return where the text continues if the first children after a parent's dash are removed."""
        if not survivors:
            return self.places.body_end(units, len(units) - 1)
        position = self.places.body_end(units, min(survivors) - 1)
        while self.view[position] in " \n":
            position += 1
        return position

    def empty(self, spot: Spot, units: Units) -> None:
        """Write `{}` or `[]` instead of all children."""
        mark = "{}" if isinstance(spot.node, Map) else "[]"
        if self.is_inline(units):
            self.cut(units[0].start, units[0].start, mark + "\n")
        elif spot is self.places.root or self.view[spot.mark - 1] == "-":
            at = self.places.head_start(units, 0, spot is self.places.root)
            self.cut(at, at, " " * units[0].column + mark + "\n")
        else:
            at = spot.properties[-1][1] if spot.properties else spot.mark
            self.cut(at, at, " " + mark)

    # Values

    def replace(self, unit: Unit, value: Node) -> None:
        """Write another value after a key or dash; the comments on its line stay."""
        places = self.places
        old = unit.value
        column = unit.column
        if unit.colon < 0:
            raise YamlError(
                "an edit does not fit next to a key behind `? `; write the key plainly, as `key: value`"
            )
        if unit.key is not None:
            new = self.composer.in_place_of(value, old, column, places)
        else:
            new = self.composer.after_dash(value, column)
        if value.anchor is not None and value.source is None:
            new = f" &{value.anchor}{new}"
        head, newline, rest = new.partition("\n")
        if newline and isinstance(value, Scalar) and not _is_block_header(head):
            # A text in quotes over several lines: a comment has no place inside of it.
            head, newline, rest = new, "", ""
        start = old.properties[0][0] if old.properties else old.start
        if is_block(old.node):
            self.replace_block(unit, head, rest + newline)
        elif is_block_scalar(old.node):
            header = self.view[old.start : places.line_end(old.start)]
            comment = (
                places.view[old.start + header.index("#") - 1 : old.start + len(header)]
                if "#" in header
                else ""
            )
            self.cut(unit.colon, places.below(old.end), f"{head}{comment}\n{rest}{newline}")
        elif is_empty(old.node):
            self.cut(unit.colon, old.end, head)
            self.lines_below(old.end, rest + newline, value, head)
        elif "\n" in self.view[unit.colon : start] and head:
            self.cut(start, old.end, head[1:] + gap(self.view, old.end))
            self.lines_below(old.end, rest + newline, value, head)
        elif "\n" in self.view[unit.colon : start]:
            at = places.line(start)
            alone = not self.view[old.end : places.line_end(old.end)].strip(" \t")
            self.cut(at if alone else start, places.below(old.end) if alone else old.end)
            at = places.below(old.end)
            self.cut(at, at, rest + newline)
        else:
            if isinstance(value, Scalar) and is_bare(old.node) and "\n" not in self.view[start : old.end]:
                self.words += head[1:] == value.text and not newline and is_word(value.text)
            self.cut(
                start if head else unit.colon,
                old.end,
                head[1:] + gap(self.view, old.end) if head else gap(self.view, old.end),
            )
            self.lines_below(old.end, rest + newline, value, head)

    def lines_below(self, end: int, lines: str, value: Node, head: str) -> None:
        """Put a new value's lines below its key's line, and its comment on that line if it has none."""
        stop = self.places.line_end(end)
        if not self.view[end:stop].strip(" \t") and not (lines and head.strip(" ").startswith(("|", ">"))):
            self.cut(stop, stop, self.comment_of(value))
        if lines:
            self.cut(stop + 1, stop + 1, lines)

    def replace_block(self, unit: Unit, head: str, rest: str) -> None:
        """Replace a block collection, which owns all lines below its key or dash."""
        places = self.places
        old = unit.value
        units = places.units(old)
        stop = places.body_end(Units(places, old, [unit]), 0)
        for start, end in old.properties:
            self.cut(start - 1, end)
        if self.is_inline(units):
            self.cut(unit.colon, stop, f"{head}\n{rest}")
            return
        first = places.head_start(units, 0, is_root=False)
        self.cut(unit.colon, unit.colon, head)
        at = places.below(unit.colon)
        self.cut(at, at, rest)
        self.cut(max(first, at), stop)

    def comment_of(self, value: Node) -> str:
        """Return the comment after a scalar that comes from a text."""
        if value.source is None or not isinstance(value, Scalar) or is_block_scalar(value):
            return ""
        places = self.composer.places(value.source)
        end = value.end if is_bare(value) else places.of(value).end
        rest = places.view[end : places.line_end(end)]
        return rest.rstrip() if rest.lstrip(" \t").startswith("#") else ""


def _is_block_header(head: str) -> bool:
    """Return True if a scalar's first line, after its key, is a block header (`|`, `>`)."""
    words = [word for word in head.split() if word[0] not in "&!"]
    return bool(words) and words[0][0] in "|>"


def in_order(places: list[int]) -> list[int]:
    """Keep the places of a longest increasing run; all others become -1 (new or moved).

    Example: `in_order([2, 0, 1])` is `[-1, 0, 1]`.
    """
    known = [place for place in places if place >= 0]
    if known == sorted(known):
        return places
    from bisect import bisect_left

    tails: list[int] = []  # the smallest place that ends a run of each length
    ends: list[int] = []  # and its position
    before = [-1] * len(places)
    for position, place in enumerate(places):
        if place < 0:
            continue
        length = bisect_left(tails, place)
        before[position] = ends[length - 1] if length else -1
        tails[length : length + 1] = [place]
        ends[length : length + 1] = [position]
    stay = set()
    position = ends[-1] if ends else -1
    while position >= 0:
        stay.add(position)
        position = before[position]
    return [place if position in stay else -1 for position, place in enumerate(places)]
