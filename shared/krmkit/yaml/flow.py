"""Text edits for flow collections: `{a: 1}`, `[x, y]`, and JSON."""

from __future__ import annotations

from krmkit.yaml import compose
from krmkit.yaml.layout import (
    Unit,
    column,
    current_children,
    end_of,
    first_children,
    line_end,
    line_start,
    start_of,
)
from krmkit.yaml.tree import Entry, Map, Node, Seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.yaml.writer import Writer


def flow_edits(writer: Writer, node: Map | Seq, edited: bool) -> None:
    """Write the edits at and below a flow collection."""
    if not edited:
        writer.inside(node)
        return
    text = writer.text
    if compose.is_pair(node):
        writer.cut(node.start, node.end, compose.flow(node, json=False))
        return
    before = first_children(node)
    now = current_children(node)
    opening = text.index("{" if isinstance(node, Map) else "[", _after_flow_properties(writer, node))
    if not before and now and not _in_flow(writer, node):
        # An empty `{}` in block context opens up into a block; its parent's key or dash is in front of it.
        _open_up(writer, node, opening)
        return
    pieces = _flow_pieces(writer, node, before, now, opening)
    writer.cut(opening + 1, node.end - 1, pieces)


def _flow_pieces(writer: Writer, node: Map | Seq, before: list[Unit], now: list[Unit], opening: int) -> str:
    text = writer.text
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
        written.append(lead + _flow_unit(writer, unit, index is not None, json))
    return ",".join(written) + (tail if now else "")


def _flow_unit(writer: Writer, unit: Unit, known: bool, json: bool) -> str:
    value = unit.value if isinstance(unit, Entry) else unit
    if known and (not isinstance(unit, Entry) or unit.value is unit.first_value):
        inner = type(writer)(writer.document, writer.style)
        inner.node(value)
        return apply(writer.text, start_of(unit), end_of(unit), inner.edits)
    if isinstance(unit, Entry):
        return compose.flow(unit.key, json) + ": " + compose.flow(value, json)
    return compose.flow(value, json)


def _after_flow_properties(writer: Writer, node: Node) -> int:
    if node.anchor is None and node.tag is None:
        return node.start
    position = node.start
    while writer.text[position] in "&! \t\r\n":
        if writer.text[position] in "&!":
            while writer.text[position] not in " \t\r\n":
                position += 1
        else:
            position += 1
    return position


def _in_flow(writer: Writer, node: Node) -> bool:
    """Whether an (empty) flow collection stands inside another one."""
    root = writer.document.root
    stack = [root] if root is not None else []
    while stack:
        parent = stack.pop()
        if isinstance(parent, (Map, Seq)):
            for unit in first_children(parent):
                value = unit.first_value if isinstance(unit, Entry) else unit
                if value is node:
                    return parent.flow
                stack.append(value)
    # The whole document: an empty text that is to be filled, more often than JSON.
    return False


def _open_up(writer: Writer, node: Map | Seq, opening: int) -> None:
    text = writer.text
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
        writer.cut(opening, node.end, compose.block(node, column(text, opening), writer.style))
        return
    fresh = compose.after_key(node, indent, writer.style)
    start = opening
    while text[start - 1] == " ":
        start -= 1
    writer.cut(start, node.end)
    writer.cut(stop, stop, fresh)


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def apply(text: str, start: int, end: int, edits: list[tuple[int, int, str]]) -> str:
    """The text from `start` to `end` with edits applied."""
    parts = []
    for begin, stop, new in sorted(edits, key=lambda edit: edit[0]):
        parts.append(text[start:begin])
        parts.append(new)
        start = stop
    parts.append(text[start:end])
    return "".join(parts)
