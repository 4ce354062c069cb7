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
    from collections.abc import Callable
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
        return yaml.read(text, lambda get_event: _find(yaml, get_event, text, limits))
    except yaml.error as error:
        from krmkit.yaml.events import translate

        raise translate(error, text) from None
    except UnicodeEncodeError as error:
        from krmkit.yaml.errors import line_column

        place = line_column(text, error.start)
        raise YamlError("the text holds a lone surrogate, which UTF-8 cannot carry", *place) from None


def _find(yaml: _libyaml.Backend, get_event: Callable[[], Any], text: str, limits: Limits) -> Spans:
    finder = _Finder(text, limits)
    starts_map, starts_seq = yaml.mapping_start, yaml.sequence_start
    ends_map, ends_seq = yaml.mapping_end, yaml.sequence_end
    while True:
        event: Any = get_event()
        kind = type(event)
        if kind is yaml.scalar or kind is yaml.alias:
            finder.single(event, kind is yaml.scalar)
        elif kind is starts_map or kind is starts_seq:
            finder.open(event, kind is starts_map)
        elif kind is ends_map or kind is ends_seq:
            finder.close(event)
        elif kind is yaml.stream_end:
            return finder.result()


class _Finder:
    """What was found so far, and where in the document the events are.

    depth: of open collections. is_key: the next node of the root mapping is a key. at_items: the key before was `items`.
    last: end of the last token. solid: end of the last one that is not empty.
    """

    __slots__ = (
        "at_items",
        "base",
        "depth",
        "in_items",
        "is_key",
        "last",
        "limits",
        "solid",
        "spans",
        "text",
    )

    def __init__(self, text: str, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.base = 1 if text[:1] == "\ufeff" else 0  # libyaml does not count a leading byte order mark
        self.spans: Spans | None = None
        self.depth = self.last = self.solid = 0
        self.is_key = True
        self.at_items = self.in_items = False

    def single(self, event: Any, is_scalar: bool) -> None:
        """A scalar or an alias."""
        start, last = event.start_mark.index + self.base, event.end_mark.index + self.base
        self.last = last
        if last > start:
            self.solid = last
        spans = self.spans
        if self.depth == 0:
            if is_scalar and start == last:
                return
            if spans is not None:
                raise _error(event, _SECOND)
            raise _error(event, f"a mapping with `items` is expected, not {_named(self.text[start:last])}")
        assert spans is not None
        if self.depth == 1:
            self.in_root(event, start, is_scalar, spans)
        elif self.depth == 2 and self.in_items:
            _open_item(spans, start, event, self.limits)
            spans.ends.append(last)

    def in_root(self, event: Any, start: int, is_scalar: bool, spans: Spans) -> None:
        """A key of the root, or a value that is no collection."""
        if self.is_key:
            self.at_items = is_scalar and event.value == "items"
            if self.at_items and spans.state != "missing":
                raise _error(event, "the key `items` stands twice")
        elif self.at_items:
            is_plain = is_scalar and event.tag is None and not event.style
            if not is_plain or go_resolve(event.value)[0] != "null":
                raise _error(event, f"`items` must be a list, not {_named(self.text[start : self.last])}")
            spans.state, spans.start, spans.end = "null", start, self.last
            self.at_items = False
        self.is_key = not self.is_key

    def open(self, event: Any, is_map: bool) -> None:
        """A mapping or a sequence begins."""
        self.depth += 1
        start = event.start_mark.index + self.base
        if self.depth == 1:
            if self.spans is not None:
                raise _error(event, _SECOND)
            if not is_map:
                raise _error(event, "a mapping with `items` is expected, not a list")
            self.spans = Spans()
            self.spans.root_flow = event.flow_style
            self.spans.root_column = event.start_mark.column
        elif self.depth == 2 and self.at_items:
            assert self.spans is not None
            if is_map:
                raise _error(event, "`items` must be a list, not a mapping")
            self.in_items = True
            self.spans.state, self.spans.flow = "list", event.flow_style
            self.spans.start = _behind_properties(self.text, start, event)
        elif self.depth == 3 and self.in_items:
            assert self.spans is not None
            _open_item(self.spans, start, event, self.limits)
        if self.depth > self.limits.depth:
            place = event.start_mark.line + 1, event.start_mark.column + 1
            raise LimitError.of("depth", self.limits.depth, "the nesting", *place)

    def close(self, event: Any) -> None:
        """A mapping or a sequence ends."""
        start, end = event.start_mark.index + self.base, event.end_mark.index + self.base
        if end - start == 1 and self.text[start] in "]}":
            self.last = self.solid = end
        self.depth -= 1
        spans = self.spans
        assert spans is not None
        if self.depth == 2 and self.in_items:
            spans.ends.append(self.last)
        elif self.depth == 1:
            if self.in_items:
                self.in_items = self.at_items = False
                spans.end, spans.solid = self.last, self.solid
            self.is_key = not self.is_key

    def result(self) -> Spans:
        """The place of the items. Raises YamlError on an empty text."""
        if self.spans is None:
            raise YamlError("the text is empty; a mapping with `items` is expected")
        if self.spans.state == "missing":
            self.spans.end = self.solid
        return self.spans


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
