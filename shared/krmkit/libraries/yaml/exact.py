"""Split the text of a ResourceList exactly: by libyaml's events over the whole text, in any form.

This covers what the fast way (`krmkit.libraries.yaml.split`) does not prove: flow style and JSON, any line
breaks, a byte order mark, tabs, quoted text that looks like a boundary, lists that are absent or null. Nodes
inside items are not kept.
"""

from __future__ import annotations

from krmkit.libraries.yaml.chunks import Chunks
from krmkit.libraries.yaml.data import is_core_null, line_of
from krmkit.libraries.yaml.document import AnyAnchor, parse_all
from krmkit.libraries.yaml.errors import LimitError, YamlError, line_column
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS, Limits
from krmkit.libraries.yaml.lines import ODD_BREAKS
from krmkit.libraries.yaml.tree import Document, Map, Node, Scalar, Seq

BREAKS = "\n" + ODD_BREAKS
_WHITE = " \t" + BREAKS


def split_exact(text: str, limits: Limits = DEFAULT_LIMITS) -> Chunks:
    """Split any list by events over the whole text. Raises YamlError, LimitError."""
    documents = parse_all(text, limits, "keep", AnyAnchor(), shallow=True)
    roots = [document.root for document in documents if document.root is not None]
    if not roots:
        raise YamlError("the text is empty; a mapping with `items` is expected")
    root = roots[0]
    if not isinstance(root, Map):
        found = "a list" if isinstance(root, Seq) else _written(root)
        raise _error(root, f"a mapping with `items` is expected, not {found}")
    if len(roots) > 1:
        raise _error(roots[1], "a second document starts here, where only one is expected")
    numbers = [
        number
        for number, entry in enumerate(root.entries)
        if isinstance(entry.key, Scalar) and entry.key.text == "items"
    ]
    if len(numbers) > 1:
        raise _error(root.entries[numbers[1]].key, "the key `items` occurs twice")
    value = root.entries[numbers[0]].value if numbers else Scalar("")
    if isinstance(value, Map) or not (isinstance(value, Seq) or is_core_null(value)):
        found = "a mapping" if isinstance(value, Map) else _written(value)
        raise _error(value, f"`items` must be a list, not {found}")
    if not isinstance(value, Seq) or not value.items:
        return Chunks(text, [], "", joints=[] if root.flow else None)
    if len(value.items) > limits.items:
        place = line_of(value.items[limits.items])
        raise LimitError.of("items", limits.items, "the number of items", *place)
    return _flow_chunks(text, value) if value.flow else _block_chunks(text, root, numbers[0], value)


def _flow_chunks(text: str, listed: Seq) -> Chunks:
    document = _document(listed)
    starts = document.given_offsets([item.start for item in listed.items])
    ends = document.given_offsets([item.end for item in listed.items])
    joints = [text[end:start] for end, start in zip(ends, starts[1:], strict=False)]
    border = ends[-1]
    comma = _skip_white(text, border)
    if text[comma] == ",":
        joints.append(text[border : comma + 1])
        border = comma + 1
    items = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    return Chunks(text[: starts[0]], items, text[border:], unverified=set(range(len(items))), joints=joints)


def _block_chunks(text: str, root: Map, number: int, listed: Seq) -> Chunks:
    document = _document(listed)
    first = _behind_properties(text, document.given_offsets([listed.start])[0], listed)
    lines = [_line_start(text, first)]
    pad = first - lines[0]
    if text[lines[0] : first].strip(" "):
        place = line_column(text, first)
        raise YamlError("the first item must be on a line of its own, below a plain `items:`", *place)
    for start in document.given_offsets([item.start for item in listed.items])[1:]:
        line = _line_start(text, start)
        # Comments may come between a dash and its value.
        while line > lines[-1] and text[line : line + pad + 1] != " " * pad + "-":
            line = _line_start(text, line - 1)
        lines.append(line)
    lines.append(_tail_start(text, root, number, listed))
    dash = " " * pad + "- "
    if any(text[start + pad + 1 : start + pad + 2] != " " for start in lines[:-1]):
        dash = " " * pad + "-"
    width = len(dash)
    items = [text[start + width : end] for start, end in zip(lines, lines[1:], strict=False)]
    return Chunks(text[: lines[0]], items, text[lines[-1] :], dash, unverified=set(range(len(items))))


def _tail_start(text: str, root: Map, number: int, listed: Seq) -> int:
    """Return the start of the line below the items, or of comments above it at the root's column."""
    offsets = _document(root).given_offsets([root.start, listed.items[-1].end])
    column = offsets[0] - _line_start(text, offsets[0])
    last = offsets[1]
    following = _skip_white(text, last)
    if following == len(text):
        return following
    start = _line_start(text, following)
    if start == last:
        last = 0  # `- ? a` ends for libyaml where the next token begins: comments may come in between
    while start > last:
        above = _line_start(text, start - 1)
        if above < last or text[above : above + column + 1].lstrip(" ") != "#":
            break
        start = above
    return start


def _skip_white(text: str, position: int) -> int:
    """Return the first token from `position` on, past blanks, line breaks and comments."""
    size = len(text)
    while position < size:
        character = text[position]
        if character == "#":
            while position < size and text[position] not in BREAKS:
                position += 1
        elif character in _WHITE:
            position += 1
        else:
            break
    return position


def _line_start(text: str, position: int) -> int:
    """Return the start of the line that holds `position`, by YAML 1.1's line breaks."""
    while position and text[position - 1] not in BREAKS:
        position -= 1
    return 1 if position == 0 and text[:1] == "\ufeff" else position


def _behind_properties(text: str, start: int, node: Node) -> int:
    """Return the first dash or bracket of a list, after its anchor and tag."""
    for given in (node.anchor, node.tag):
        if given is not None:
            while text[start] not in _WHITE:
                start += 1
            start = _skip_white(text, start)
    return start


def _document(node: Node) -> Document:
    assert node.source is not None
    return node.source


def _written(node: Node) -> str:
    text = _document(node).text[node.start : node.end]
    return repr(text) if len(text) <= 40 else f"{text[:40]!r}..."


def _error(node: Node, message: str) -> YamlError:
    return YamlError(message, *line_of(node))
