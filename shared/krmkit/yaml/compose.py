"""Text for nodes that an edit put into a document: fresh values, and pieces of other documents with their comments.

Values made from Python data are written by `krmkit.yaml.emit`. A node that came from another text (a preset's `add`)
keeps its own text: it is cut out with its comments and shifted to its new column.
"""

from __future__ import annotations

from krmkit.yaml import emit
from krmkit.yaml.layout import (
    alone_on_line,
    body_end,
    column,
    current_children,
    dash_of,
    end_of,
    first_children,
    head_start,
    is_block,
    is_block_scalar,
    is_empty,
    last_node,
    line_end,
    line_start,
)
from krmkit.yaml.tree import UNSET, Alias, Entry, Map, Node, Scalar, Seq, deref


class Style:
    """How new nodes are written: `wide` lists under a key, and whether block scalars may come last."""

    __slots__ = ("literals", "wide")

    def __init__(self, wide: bool = False, literals: bool = True) -> None:
        self.wide = wide
        self.literals = literals


def is_clean(node: Node) -> bool:
    """Whether the node stands in its text just as it is: no edit in it, no anchors or aliases that may dangle."""
    if node.source is not None and node.source.plain and not node.source.changed:
        return True
    stack = [node]
    while stack:
        node = stack.pop()
        if node.source is None or node.anchor is not None or isinstance(node, Alias):
            return False
        if isinstance(node, Map):
            if node.original is not None:
                return False
            for entry in node.entries:
                if entry.value is not entry.first_value:
                    return False
                stack.append(entry.key)
                stack.append(entry.value)
        elif isinstance(node, Seq):
            if node.original is not None:
                return False
            stack += node.items
    return True


def _can_stay(node: Node, style: Style) -> bool:
    """Whether the node's own text can be taken over: it is clean, and does not end in a block scalar where none may be, or
    in one whose last line has no line break, which it would get."""
    if not is_clean(node):
        return False
    last = last_node(node)
    return not is_block_scalar(last) or (style.literals and not _lacks_break(last))


def _lacks_break(node: Node) -> bool:
    """Whether a block scalar ends with its text, without the final line break that it would have elsewhere."""
    assert node.source is not None
    text = node.source.text
    if text.endswith("\n") or text[node.end :].strip(" "):
        return False
    return "-" not in text[node.start : line_end(text, node.start)].partition(" #")[0]


def is_tied(node: Node) -> bool:
    """Whether there is an anchor or an alias at or below the node."""
    if node.anchor is not None or isinstance(node, Alias):
        return True
    if node.unread:
        return False
    if isinstance(node, Map):
        return any(is_tied(entry.key) or is_tied(entry.value) for entry in node.entries)
    return isinstance(node, Seq) and any(is_tied(item) for item in node.items)


def is_pair(node: Node) -> bool:
    """Whether the node is a mapping without braces: `a: b` in `[a: b]`."""
    if not isinstance(node, Map) or not node.flow or node.source is None:
        return False
    return node.tag is None and node.anchor is None and node.source.text[node.start] != "{"


def key_text(key: Node) -> str:
    """The text of a key; complex keys cannot be written afresh."""
    key = deref(key)
    if isinstance(key, Scalar):
        return key.text
    raise ValueError("a mapping with a collection as its key cannot be edited; write the key as a plain text")


def after_key(node: Node, indent: int, style: Style) -> str:
    """What follows `key:`, where `indent` is the key's column: ` x`, or a line break and a block."""
    node = deref(node)
    if isinstance(node, (Map, Seq)) and current_children(node):
        if node.flow and is_clean(node):
            return " " + _slice(node)
        step = 2 if isinstance(node, Map) or style.wide else 0
        return "\n" + " " * (indent + step) + block(node, indent + step, style)
    return " " + scalar(node, indent, style)


def in_place_of(node: Node, old: Node, indent: int, style: Style) -> str:
    """What follows `key:` where `node` takes the place of `old`: a string keeps quotes or literal style, as in kyaml."""
    if isinstance(node, Scalar) and isinstance(old, Scalar) and old.style and isinstance(node.value, str):
        styled = _restyled(node.value, old, indent) if style.literals or old.style in "\"'" else None
        if styled is not None:
            return " " + styled
    return after_key(node, indent, style)


def _restyled(text: str, old: Scalar, indent: int) -> str | None:
    if old.style == '"':
        return emit.double_quoted(text)
    if not emit.is_printable(text):
        return None
    if old.style == "'":
        return None if "\n" in text else "'" + text.replace("'", "''") + "'"
    if not text.strip("\n"):
        return None
    assert old.source is not None
    depths = [
        len(line) - len(line.lstrip(" "))
        for line in old.source.text[old.start : old.end].splitlines()[1:]
        if line.strip()
    ]
    return emit.literal(text, indent, max(min(depths, default=0), indent + 1) - indent if depths else 2)


def after_dash(node: Node, indent: int, style: Style) -> str:
    """What follows `-`, where `indent` is the dash's column."""
    node = deref(node)
    if isinstance(node, (Map, Seq)) and current_children(node):
        if node.flow and is_clean(node):
            return " " + _slice(node)
        return " " + block(node, indent + 2, style)
    return " " + scalar(node, indent, style)


def scalar(node: Node, indent: int, style: Style) -> str:
    """A scalar, or an empty collection, below a key or dash at column `indent`."""
    if not isinstance(node, Scalar):
        return "{}" if isinstance(node, Map) else "[]"
    if node.source is None:
        return _fresh(node, indent, flow=not style.literals)
    if is_empty(node):
        return "null"
    if is_block_scalar(node):
        shifted = _block_scalar(node, indent) if style.literals and not _lacks_break(node) else None
        return shifted if shifted is not None else emit.scalar(node.text, indent, flow=not style.literals)
    return _join_lines(_slice(node), indent + 2)


def _fresh(node: Scalar, indent: int, flow: bool = False) -> str:
    """A scalar without a place in any text: made from Python data, or the detached copy of another one."""
    if node.value is not UNSET:
        return emit.scalar(node.value, indent, flow)
    if node.style or (flow and any(character in node.text for character in ",[]{}\n")):
        return emit.scalar(node.text, indent, flow)
    text = node.text or "null"
    return f"{node.tag} {text}" if node.tag is not None else text


def _slice(node: Node) -> str:
    assert node.source is not None
    text = node.source.text[node.start : node.end]
    if node.anchor is not None:
        text = text.split(None, 1)[1] if text.startswith("&") and " " in text else text
    return "{" + text + "}" if is_pair(node) else text


def _join_lines(text: str, indent: int) -> str:
    """A quoted or plain scalar of several lines: continuation lines are indented for their new place."""
    if "\n" not in text:
        return text
    lines = text.splitlines()
    return "\n".join(
        [lines[0], *(" " * indent + line.strip(" ") if line.strip() else "" for line in lines[1:])]
    )


def _block_scalar(node: Scalar, indent: int) -> str | None:
    """A literal or folded scalar moved below another key; None where an explicit indicator forbids a plain shift."""
    lines = _with_line_feeds(_slice(node)).split("\n")
    header = lines[0]
    if any(character.isdigit() for character in header.split("#", 1)[0]):
        return None
    depths = [len(line) - len(line.lstrip(" ")) for line in lines[1:] if line.strip()]
    body = shift("\n".join(lines[1:]), min(depths, default=0), indent + 2)
    return header + "\n" + body if body else header


def block(node: Node, indent: int, style: Style) -> str:
    """A block collection whose children stand at column `indent`; the first line comes without its indentation."""
    if is_block(node) and _can_stay(node, style):
        assert isinstance(node, (Map, Seq))
        return _block_slice(node, indent)
    return _units(node, indent, style).lstrip(" ")


def _units(node: Node, indent: int, style: Style) -> str:
    pad = " " * indent
    node = deref(node)
    assert isinstance(node, (Map, Seq))
    lines = []
    units = current_children(node)
    # What comes behind the last child is not known here; behind every other one comes its sibling.
    inner = style if style.literals else Style(style.wide)
    for number, unit in enumerate(units, 1):
        chosen = style if number == len(units) else inner
        if isinstance(unit, Entry):
            lines.append(entry(unit, indent, chosen))
        else:
            lines.append(pad + "-" + after_dash(unit, indent, chosen))
    return "\n".join(lines)


def entry(unit: Entry, indent: int, style: Style) -> str:
    """A whole `key: value` at column `indent`, with its comments where it comes from a text unedited."""
    key = unit.key
    if (
        key.source is not None
        and unit.value is unit.first_value
        and is_clean(key)
        and _can_stay(unit.value, style)
    ):
        text = key.source.text
        if alone_on_line(text, key.start) and not _in_flow(text, unit):
            return _cut(text, unit, indent)
    pad = " " * indent
    name = _slice(key) if isinstance(key, Scalar) and key.source is not None else emit.key(key_text(key))
    head = ""
    if key.source is not None and alone_on_line(key.source.text, key.start):
        # The value was edited, the comments above the key still stand.
        text = key.source.text
        first = line_start(text, key.start)
        at = key.start - first
        start = head_start(text, first, at, 0, deeper=False)
        if start < first:
            head = shift(text[start : first - 1], at, indent) + "\n"
    return head + pad + name + ":" + after_key(unit.value, indent, style)


def _in_flow(text: str, unit: Entry) -> bool:
    """Whether an entry with a line of its own is one of a flow mapping, by what stands behind it there."""
    if is_empty(unit.value) and text[unit.key.end : unit.key.end + 1] != ":":
        return True
    end = end_of(unit)
    return text[end : line_end(text, end)].lstrip(" ")[:1] in (",", "}")


def item_span(sequence: Seq, index: int) -> tuple[int, int, int]:
    """(start, end, column of the dash) of item `index` of a block sequence in its text, its comments included.

    The span of an item on its parent's dash line starts at its own dash.
    """
    assert sequence.source is not None
    text = sequence.source.text
    units = first_children(sequence)
    dash = dash_of(text, sequence, index, units)
    first = line_start(text, dash)
    at = dash - first
    end = body_end(text, units[index], at, index == len(units) - 1)
    if not alone_on_line(text, dash):
        return dash, end, at
    floor = line_end(text, end_of(units[index - 1])) if index else 0
    return head_start(text, first, at, floor, deeper=False), end, at


def _cut(text: str, unit: Entry, indent: int) -> str:
    first = line_start(text, unit.key.start)
    at = unit.key.start - first
    start = head_start(text, first, at, 0, deeper=False)
    end = body_end(text, unit, at, last=_is_last(text, unit))
    return shift(_with_line_feeds(text[start:end]), at, indent)


def _is_last(text: str, unit: Entry) -> bool:
    position = line_end(text, end_of(unit))
    return not text[position:].strip()


def _block_slice(node: Map | Seq, indent: int) -> str:
    assert node.source is not None
    text = node.source.text
    units = first_children(node)
    start = dash_of(text, node, 0, units) if isinstance(node, Seq) else units[0].key.start  # type: ignore[union-attr]
    at = column(text, start)
    first = line_start(text, start)
    end = body_end(text, units[-1], at, last=True)
    if alone_on_line(text, start):
        begin = head_start(text, first, at, 0, deeper=False)
        piece = text[begin:end]
    else:
        piece = " " * at + text[start:end]
    return shift(_with_line_feeds(piece), at, indent)[indent:]


def _with_line_feeds(text: str) -> str:
    # To look for one sign is much faster.
    return text.replace("\r\n", "\n") if "\r" in text else text


def shift(text: str, old: int, new: int) -> str:
    """Move lines from column `old` to column `new`; a line with less indentation moves as far as it can."""
    if old == new or not text:
        return text
    if new > old:
        pad = " " * (new - old)
        # Where no line is empty, one replacement moves them all, and is much faster.
        if "\n\n" in text or text[0] == "\n":
            return "\n".join(pad + line if line else line for line in text.split("\n"))
        moved = pad + text.replace("\n", "\n" + pad)
        return moved if text[-1] != "\n" else moved[: old - new]
    count = old - new
    shifted = []
    for line in text.split("\n"):
        blanks = len(line) - len(line.lstrip(" "))
        shifted.append(line[min(count, blanks) :])
    return "\n".join(shifted)


def flow(node: Node, json: bool) -> str:
    """A node inside a flow collection; `json` when the surrounding text is JSON."""
    node = deref(node)
    if json:
        return _json(node)
    if isinstance(node, Map):
        pairs = (f"{flow(entry.key, False)}: {flow(entry.value, False)}" for entry in node.entries)
        return "{" + ", ".join(pairs) + "}"
    if isinstance(node, Seq):
        return "[" + ", ".join(flow(item, False) for item in node.items) + "]"
    assert isinstance(node, Scalar)
    if node.source is None:
        return _fresh(node, 0, flow=True)
    if is_empty(node):
        return "null"
    piece = _slice(node)
    if is_block_scalar(node) or "\n" in piece or (not node.style and any(c in piece for c in ",[]{}")):
        return emit.scalar(node.text, 0, flow=True)
    return piece


def _json(node: Node) -> str:
    import json

    from krmkit.yaml.data import go_data

    return json.dumps(go_data(node), ensure_ascii=False)
