"""Split the text of a ResourceList exactly: by libyaml's events over the whole text, whatever its form.

For what the fast way (`krmkit.yaml.split`) does not prove: flow style and JSON, CRLF, byte order marks, tabs, quoted text
that looks like a boundary, lists that are absent or null.
"""

from __future__ import annotations

from krmkit.yaml.chunks import Chunks
from krmkit.yaml.errors import YamlError
from krmkit.yaml.limits import DEFAULT_LIMITS
from krmkit.yaml.spans import BREAKS, find_items, line_start, skip_white

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.yaml.limits import Limits
    from krmkit.yaml.spans import Spans


def split_exact(text: str, limits: Limits = DEFAULT_LIMITS) -> Chunks:
    """The parts of any list, by events over the whole text. Raises YamlError, LimitError."""
    spans = find_items(text, limits)
    if spans.state == "missing":
        return Chunks(text, [], "", absent="missing", joints=[] if spans.root_flow else None)
    if spans.state == "null":
        end = spans.end if spans.root_flow else _next_line(text, spans.end)
        return Chunks(text[:end], [], text[end:], absent="null", joints=[] if spans.root_flow else None)
    return _flow_chunks(text, spans) if spans.flow else _block_chunks(text, spans)


def _flow_chunks(text: str, spans: Spans) -> Chunks:
    starts, ends = spans.starts, spans.ends
    if not starts:
        border = spans.start + 1
        return Chunks(text[:border], [], text[border:], joints=[])
    joints = [text[end:start] for end, start in zip(ends, starts[1:], strict=False)]
    border = ends[-1]
    comma = skip_white(text, border)
    if text[comma] == ",":
        joints.append(text[border : comma + 1])
        border = comma + 1
    items = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    return Chunks(text[: starts[0]], items, text[border:], unverified=set(range(len(items))), joints=joints)


def _block_chunks(text: str, spans: Spans) -> Chunks:
    first = spans.start
    lines = [line_start(text, first)]
    pad = first - lines[0]
    if text[lines[0] : first].strip(" "):
        from krmkit.yaml.errors import line_column

        place = line_column(text, first)
        raise YamlError("the first item must stand on a line of its own, below a plain `items:`", *place)
    for end in spans.ends[:-1]:
        lines.append(skip_white(text, end) - pad)
    lines.append(_tail_start(text, spans))
    dash = " " * pad + "- "
    if any(text[start + pad + 1 : start + pad + 2] != " " for start in lines[:-1]):
        dash = " " * pad + "-"
    width = len(dash)
    items = [text[start + width : end] for start, end in zip(lines, lines[1:], strict=False)]
    return Chunks(text[: lines[0]], items, text[lines[-1] :], dash, unverified=set(range(len(items))))


def _tail_start(text: str, spans: Spans) -> int:
    """Start of the line below the items, or of the comments right above it at the root's column."""
    following = skip_white(text, spans.end)
    if following == len(text):
        return following
    start = line_start(text, following)
    while start > spans.solid:
        above = line_start(text, start - 1)
        column = above + spans.root_column
        if above < spans.solid or text[column : column + 1] != "#" or text[above:column].strip(" "):
            break
        start = above
    return start


def _next_line(text: str, position: int) -> int:
    """Start of the line after the one that holds `position`."""
    while position < len(text) and text[position] not in BREAKS:
        position += 1
    return position + (2 if text.startswith("\r\n", position) else 1) if position < len(text) else position
