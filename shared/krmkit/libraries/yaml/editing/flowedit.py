"""Splices for flow collections: `{a: 1}`, `[x, y]`, and JSON."""

from __future__ import annotations

from krmkit.libraries.yaml.editing.places import Places, Spot, Unit, Units
from krmkit.libraries.yaml.editing.view import gap, is_pair, skip
from krmkit.libraries.yaml.tree import Collection, Entry, Map, Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from krmkit.libraries.yaml.editing.compose import Composer

    class Editor(Protocol):
        """The collector of splices (`editing.blockedit.Editor`) that calls this module."""

        composer: Composer
        places: Places
        view: str
        words: int

        def cut(self, start: int, end: int, new: str = "") -> None: ...

        def inner(self, spot: Spot, start: int, end: int) -> str | None: ...


class _Chunk:
    """A child with the text before it, the text up to its comma, and a comment on the comma's line."""

    __slots__ = ("before_comma", "comment", "lead", "unit")

    def __init__(self, unit: Unit, lead: str, before_comma: str, comment: str) -> None:
        self.unit = unit
        self.lead = lead
        self.before_comma = before_comma
        self.comment = comment


def flow_splices(editor: Editor, spot: Spot) -> None:
    """Write the edits at and below a flow collection whose children differ from the text's."""
    node = spot.node
    assert isinstance(node, Collection)
    places = editor.places
    units = places.units(spot)
    if not units and node.children() and not spot.in_flow:
        _open_up(editor, spot)
        return
    inside = spot.start + (not spot.is_pair)
    first = _behind_comment(places, inside)
    chunks, last, has_last_comma = _chunks(places, first, units)
    tail = places.view[last : spot.end - 1]
    start = units[0].start if units else 0
    json = places.view.startswith('"', start) if units and isinstance(node, Map) else _is_json(places.view)
    now = node.children()
    kept = [chunks[origin] if origin >= 0 else None for origin in node.origins()]
    if chunks and kept == chunks:
        for unit, child in zip(units, now, strict=True):
            editor.cut(unit.start, unit.end, _text(editor, unit, child, json))
        return
    if spot.is_pair:
        editor.cut(spot.start, spot.end, editor.composer.flow(node, json=False))
        return
    closing = "," if has_last_comma and chunks else ""
    written = _joined(editor, now, chunks, kept, json, places.view[inside:first], closing)
    if not now and "#" not in tail:
        tail = ""
    if "#" in written.rpartition("\n")[2] and "\n" not in tail:
        tail = "\n" + tail
    old = places.view[inside : units[-1].end] if units else ""
    if old[-1:] not in ("", ":") and written.startswith(old + ","):
        editor.words += all(is_pair(text.strip(" ")) for text in written[len(old) + 1 :].split(","))
    editor.cut(spot.start + 1, spot.end - 1, written + tail)


def _joined(
    editor: Editor,
    now: Sequence[Entry | Node],
    chunks: list[_Chunk],
    kept: list[_Chunk | None],
    json: bool,
    head: str,
    closing: str,
) -> str:
    """Return the children's texts behind `head`, with commas between them and `closing` behind the last."""
    written = head
    for number, (child, chunk) in enumerate(zip(now, kept, strict=True), 1):
        lead = _lead(chunks, chunk, number == 1)
        if "#" in written.rpartition("\n")[2] and "\n" not in lead:
            lead = "\n" + lead
        text = _text(editor, chunk.unit, child, json) if chunk is not None else _fresh(editor, child, json)
        around = (chunk.before_comma, chunk.comment) if chunk is not None else ("", "")
        written += lead + text + around[0] + ("," if number < len(now) else closing) + around[1]
    return written


def _behind_comment(places: Places, position: int) -> int:
    """Return the end of the comment that follows a comma or bracket on its line, or `position`."""
    end = places.line_end(position)
    return end if places.view[position:end].lstrip(" \t").startswith("#") else position


def _chunks(places: Places, position: int, units: Units) -> tuple[list[_Chunk], int, bool]:
    """Return the children with their texts, their end, and True if a comma follows the last one."""
    chunks = []
    has_comma = False
    for unit in units:
        lead = places.view[position : unit.start]
        sign, comma, _ = skip(places.view, unit.end, "#")
        has_comma = sign == ","
        behind = comma + 1 if has_comma else unit.end
        position = _behind_comment(places, behind)
        before = places.view[unit.end : comma] if has_comma else ""
        chunks.append(_Chunk(unit, lead, before, places.view[behind:position]))
    return chunks, position, has_comma


def _lead(chunks: list[_Chunk], chunk: _Chunk | None, is_first: bool) -> str:
    """Return the text before a child in its new place: its comments, and its neighbours' blanks."""
    if chunk is not None and ("#" in chunk.lead or (chunk is chunks[0]) == is_first):
        return chunk.lead
    if not chunks:
        return "" if is_first else " "
    opening = chunks[0].lead
    if is_first:
        lead = opening
    elif len(chunks) > 1:
        lead = chunks[1].lead
    else:
        lead = opening if "\n" in opening else " "
    return "\n" + lead.rpartition("\n")[2] if "#" in lead else lead


def _text(editor: Editor, unit: Unit, child: Entry | Node, json: bool) -> str:
    """Return a child that comes from the text, with another value or with inner edits."""
    places = editor.places
    value = child.value if isinstance(child, Entry) else child
    if isinstance(child, Entry) and child.key is not child.first_key:
        return _fresh(editor, child, json)
    if value is unit.value.node:
        inner = editor.inner(unit.value, unit.start, unit.end)
        assert inner is not None
        return inner
    if not isinstance(child, Entry):
        return editor.composer.flow(value, json)
    if unit.colon < 0:
        return f"{places.view[unit.start : unit.end]}: {editor.composer.flow(value, json)}"
    start = unit.value.properties[0][0] if unit.value.properties else unit.value.start
    between = places.view[unit.colon : start] or ("" if json and unit.value.end > start else " ")
    return places.view[unit.start : unit.colon] + between + editor.composer.flow(value, json)


def _fresh(editor: Editor, child: Entry | Node, json: bool) -> str:
    if isinstance(child, Entry):
        return f"{editor.composer.flow(child.key, json)}: {editor.composer.flow(child.value, json)}"
    return editor.composer.flow(child, json)


def _open_up(editor: Editor, spot: Spot) -> None:
    """Turn an empty `{}` or `[]` into a block below its key, after its dash, or as the document."""
    places, view, node = editor.places, editor.view, spot.node
    start = places.line(spot.mark)
    column = len(view[start:]) - len(view[start:].lstrip(" "))
    while view.startswith("- ", start + column) and start + column + 1 < spot.mark:
        column += 2 + len(view[start + column + 2 :]) - len(view[start + column + 2 :].lstrip(" "))
    if spot is places.root or view[spot.mark - 1] == "-":
        at = spot.start - places.line(spot.start)
        editor.cut(spot.start, spot.end, editor.composer.block(node, at) + gap(view, spot.end))
        return
    head, _, rest = editor.composer.after_key(node, column).partition("\n")
    editor.cut(spot.mark, spot.end, head + gap(view, spot.end))
    below = places.below(spot.end)
    editor.cut(below, below, rest + "\n")


def _is_json(view: str) -> bool:
    start = view.lstrip(" \n")
    return start.startswith("{") and start[1:].lstrip(" \n")[:1] in '"}'
