"""Where the items of a list stand in its text, from libyaml's events over the whole text.

The slow and exact way of `krmkit.yaml.split`, good for everything that YAML allows: flow style, JSON, any line breaks,
a byte order mark, quoted text that looks like an item. Works in one pass and keeps no tree.
"""

from __future__ import annotations

from krmkit.yaml import _libyaml
from krmkit.yaml.errors import LimitError, YamlError
from krmkit.yaml.lines import ODD_BREAKS
from krmkit.yaml.scalars import go_resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krmkit.yaml.limits import Limits

BREAKS = "\n" + ODD_BREAKS
_WHITE = " \t" + BREAKS
_SECOND = "a second document starts here, where only one is expected"


class Spans:
    """The root mapping's `items`, as offsets in the text.

    state: "list", "null" (the value is null) or "missing" (no such key). starts: of each item's node, anchors and tags
    included. ends: of the last token in each item. start: of the list's first dash or bracket (of the null). end: of
    the last token of the value. solid: of the last token that is not empty. root_flow, flow: style of the root and of
    the list. root_column: of the root's keys.
    """

    __slots__ = ("end", "ends", "flow", "root_column", "root_flow", "solid", "start", "starts", "state")

    def __init__(self) -> None:
        self.state = "missing"
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.start = 0
        self.end = 0
        self.solid = 0
        self.flow = False
        self.root_flow = False
        self.root_column = 0


def find_items(text: str, limits: Limits) -> Spans:
    """The items of the one document in `text` that is not empty. Raises YamlError, LimitError."""
    yaml = _libyaml.backend()
    try:
        return _find(yaml, text, limits)
    except yaml.error as error:
        from krmkit.yaml.events import translate

        raise translate(error, text) from None
    except UnicodeEncodeError as error:
        from krmkit.yaml.errors import line_column

        place = line_column(text, error.start)
        raise YamlError("the text holds a lone surrogate, which UTF-8 cannot carry", *place) from None


def _find(yaml: _libyaml.Backend, text: str, limits: Limits) -> Spans:
    base = 1 if text[:1] == "\ufeff" else 0  # libyaml does not count a leading byte order mark
    get_event = yaml.events(text)
    starts_map, starts_seq = yaml.mapping_start, yaml.sequence_start
    ends_map, ends_seq = yaml.mapping_end, yaml.sequence_end
    spans: Spans | None = None
    depth = 0
    is_key = True  # the next node at depth 1 is a key of the root
    at_items = False  # the key before was `items`
    in_items = False
    last = 0
    solid = 0
    while True:
        event: Any = get_event()
        kind = type(event)
        if kind is yaml.scalar or kind is yaml.alias:
            start, last = event.start_mark.index + base, event.end_mark.index + base
            if last > start:
                solid = last
            if depth > 2:
                continue
            if depth == 0:
                if kind is yaml.scalar and start == last:
                    continue
                if spans is not None:
                    raise _error(event, _SECOND)
                raise _error(event, f"a mapping with `items` is expected, not {_named(text[start:last])}")
            if depth == 1:
                assert spans is not None
                if is_key:
                    at_items = kind is yaml.scalar and event.value == "items"
                    if at_items and spans.state != "missing":
                        raise _error(event, "the key `items` stands twice")
                elif at_items:
                    null = kind is yaml.scalar and event.tag is None and not event.style
                    if not null or go_resolve(event.value)[0] != "null":
                        raise _error(event, f"`items` must be a list, not {_named(text[start:last])}")
                    spans.state, spans.start, spans.end = "null", start, last
                    at_items = False
                is_key = not is_key
            elif in_items:
                assert spans is not None
                _open_item(spans, start, event, limits)
                spans.ends.append(last)
        elif kind is starts_map or kind is starts_seq:
            depth += 1
            start = event.start_mark.index + base
            if depth == 1:
                if spans is not None:
                    raise _error(event, _SECOND)
                if kind is starts_seq:
                    raise _error(event, "a mapping with `items` is expected, not a list")
                spans = Spans()
                spans.root_flow = event.flow_style
                spans.root_column = event.start_mark.column
            elif depth == 2 and at_items:
                assert spans is not None
                if kind is starts_map:
                    raise _error(event, "`items` must be a list, not a mapping")
                in_items = True
                spans.state, spans.flow = "list", event.flow_style
                spans.start = _behind_properties(text, start, event)
            elif depth == 3 and in_items:
                assert spans is not None
                _open_item(spans, start, event, limits)
            if depth > limits.depth:
                place = event.start_mark.line + 1, event.start_mark.column + 1
                raise LimitError.of("depth", limits.depth, "the nesting", *place)
        elif kind is ends_map or kind is ends_seq:
            start, end = event.start_mark.index + base, event.end_mark.index + base
            if end - start == 1 and text[start] in "]}":
                last = solid = end
            depth -= 1
            if depth == 2 and in_items:
                assert spans is not None
                spans.ends.append(last)
            elif depth == 1:
                assert spans is not None
                if in_items:
                    in_items = at_items = False
                    spans.end, spans.solid = last, solid
                is_key = not is_key
        elif kind is yaml.stream_end:
            break
    if spans is None:
        raise YamlError("the text is empty; a mapping with `items` is expected")
    if spans.state == "missing":
        spans.end = solid
    return spans


def _open_item(spans: Spans, start: int, event: Any, limits: Limits) -> None:
    spans.starts.append(start)
    if len(spans.starts) > limits.items:
        place = event.start_mark.line + 1, event.start_mark.column + 1
        raise LimitError.of("items", limits.items, "the number of items", *place)


def skip_white(text: str, position: int) -> int:
    """Offset of the first token at or after `position`, past blanks, line breaks and comments."""
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


def line_start(text: str, position: int) -> int:
    """Offset of the first character of the line that holds `position`, in YAML 1.1's sense of a line."""
    while position and text[position - 1] not in BREAKS:
        position -= 1
    return 1 if position == 0 and text[:1] == "\ufeff" else position


def _behind_properties(text: str, start: int, event: Any) -> int:
    """The first dash or bracket of a list that may have an anchor and a tag before it."""
    for given in (event.anchor, event.tag):
        if given is not None:
            while text[start] not in _WHITE:
                start += 1
            start = skip_white(text, start)
    return start


def _named(text: str) -> str:
    return repr(text) if len(text) <= 40 else f"{text[:40]!r}..."


def _error(event: Any, message: str) -> YamlError:
    mark = event.start_mark
    return YamlError(message, mark.line + 1, mark.column + 1)
