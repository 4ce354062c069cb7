r"""The values of a text by path, with lines and columns, in one pass over libyaml's events.

    fields_of("a:\n- b: 1\n").values   # {("a", 0, "b"): 1}
    fields_of("a:\n- b: 1\n").marks    # {("a",): (1, 1), ("a", 0): (2, 3), ("a", 0, "b"): (2, 3)}

Reports read every value of many texts. A tree of nodes, which edits need, would cost several times as much.
"""

from __future__ import annotations

from krmkit.libraries.yaml import _libyaml
from krmkit.libraries.yaml.lines import line_fed
from krmkit.libraries.yaml.scalars import go_resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Path = tuple[str | int, ...]

_MOST_KNOWN = 4096  # plain scalars whose values are remembered
_DEEPEST = 200  # nesting that is read here; the tree reads what is deeper, up to its limit
_known: dict[str, object] = {}


_NOT_PLAIN = "anchors, aliases, tags, merge keys, keys that are not scalars or occur twice, or deep nesting: a tree reads it"


class Fields:
    """`values`: every scalar and empty collection by path, by Go's rules. `marks`: places by path.

    A mark is line and column, from 1, of a key or list element.
    """

    __slots__ = ("marks", "values")

    def __init__(self) -> None:
        self.values: dict[Path, object] = {}
        self.marks: dict[Path, tuple[int, int]] = {}


def fields_of(text: str) -> Fields | None:
    """Return the fields of one document; None if invalid, or with anchors, tags or other odd forms."""
    try:
        return _libyaml.read(line_fed(text), _read)
    except (_libyaml.backend().YAMLError, ValueError):
        return None


def _read(get_event: Callable[[], Any]) -> Fields:
    yaml = _libyaml.backend()
    reader = _Reader(get_event)
    documents = 0
    while True:
        event = get_event()
        kind = type(event)
        if kind is yaml.StreamEndEvent:
            return reader.found
        if kind is yaml.DocumentStartEvent:
            documents += 1
            if documents > 1:
                raise ValueError(_NOT_PLAIN)
        elif kind is not yaml.StreamStartEvent and kind is not yaml.DocumentEndEvent:
            reader.node(event, ())


class _Reader:
    """Add the fields of the node that an event begins, and of all nodes in it, to `found`."""

    __slots__ = (
        "_alias", "_map_end", "_map_start", "_next_event", "_scalar", "_seq_end", "found",
    )  # fmt: skip

    def __init__(self, get_event: Callable[[], Any]) -> None:
        yaml = _libyaml.backend()
        self._scalar, self._alias = yaml.ScalarEvent, yaml.AliasEvent
        self._map_start, self._map_end = yaml.MappingStartEvent, yaml.MappingEndEvent
        self._seq_end = yaml.SequenceEndEvent
        self._next_event = get_event
        self.found = Fields()

    def node(self, event: Any, path: Path) -> None:
        kind = type(event)
        if kind is self._alias or event.anchor is not None or event.tag is not None or len(path) > _DEEPEST:
            raise ValueError(_NOT_PLAIN)
        if kind is self._scalar:
            value = event.value
            if not event.style:
                value = _known[value] if value in _known else _resolved(value)
            self.found.values[path] = value
        elif kind is self._map_start:
            self._mapping(path)
        else:
            self._sequence(path)

    def _mapping(self, path: Path) -> None:
        next_event, marks, is_empty = self._next_event, self.found.marks, True
        while True:
            event = next_event()
            kind = type(event)
            if kind is self._map_end:
                break
            if kind is not self._scalar or event.anchor is not None or event.tag is not None:
                raise ValueError(_NOT_PLAIN)
            child = (*path, event.value)
            if event.value == "<<" or child in marks:
                raise ValueError(_NOT_PLAIN)
            mark = event.start_mark
            marks[child] = mark.line + 1, mark.column + 1
            self.node(next_event(), child)
            is_empty = False
        if is_empty:
            self.found.values[path] = {}

    def _sequence(self, path: Path) -> None:
        next_event, marks, count = self._next_event, self.found.marks, 0
        while True:
            event = next_event()
            if type(event) is self._seq_end:
                break
            child = (*path, count)
            mark = event.start_mark
            marks[child] = mark.line + 1, mark.column + 1
            self.node(event, child)
            count += 1
        if not count:
            self.found.values[path] = []


def _resolved(text: str) -> object:
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    value = _known[text] = go_resolve(text)[1]
    return value
