"""The values of a text by their paths, with lines and columns, in one pass over libyaml's events.

    fields_of("a:\\n- b: 1\\n").values   # {("a", 0, "b"): 1}
    fields_of("a:\\n- b: 1\\n").marks    # {("a",): (1, 1), ("a", 0): (2, 3), ("a", 0, "b"): (2, 3)}

Reports ask for every value of many texts. A tree of nodes, which edits need, would cost several times as much.
"""

from __future__ import annotations

from krmkit.yaml import _libyaml
from krmkit.yaml.lines import line_fed
from krmkit.yaml.scalars import go_resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Path = tuple[str | int, ...]

_MOST_KNOWN = 4096  # plain scalars whose values are remembered
_known: dict[str, object] = {}


class _NotPlainError(Exception):
    """The text has anchors, aliases, tags, merge keys, keys that are no scalars or stand twice: a tree reads it."""


class Fields:
    """`values`: every scalar and empty collection by its path, by Go's rules. `marks`: line and column, from 1, of every key
    and list element by its path."""

    __slots__ = ("marks", "values")

    def __init__(self) -> None:
        self.values: dict[Path, object] = {}
        self.marks: dict[Path, tuple[int, int]] = {}


def fields_of(text: str) -> Fields | None:
    """Return the fields of one document; None where it is not plain block or flow YAML without anchors and tags, or is broken."""
    try:
        return _libyaml.read(line_fed(text), _read)
    except (_libyaml.backend().YAMLError, UnicodeEncodeError, _NotPlainError):
        return None


def _read(get_event: Callable[[], Any]) -> Fields:
    yaml = _libyaml.backend()
    scalar, map_start, seq_start, map_end, seq_end, alias = (
        yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent, yaml.MappingEndEvent,
        yaml.SequenceEndEvent, yaml.AliasEvent,
    )  # fmt: skip
    found = Fields()
    values, marks = found.values, found.marks
    documents = 0
    # The path of the collection that is being filled, whether it is a list, its number of children, and those around it.
    path: Path = ()
    is_list, count = False, 0
    inside = False
    around: list[tuple[Path, bool, int]] = []
    key: str | None = None
    while True:
        event = get_event()
        kind = type(event)
        if kind is scalar:
            if event.anchor is not None or event.tag is not None:
                raise _NotPlainError
            if inside and not is_list and key is None:
                key = event.value
                if key == "<<" or (*path, key) in marks:
                    raise _NotPlainError
                mark = event.start_mark
                marks[(*path, key)] = mark.line + 1, mark.column + 1
                continue
            child = path
            if is_list:
                child = (*path, count)
                mark = event.start_mark
                marks[child] = mark.line + 1, mark.column + 1
            elif key is not None:
                child = (*path, key)
                key = None
            value = event.value
            if not event.style:
                value = _known[value] if value in _known else _resolved(value)
            values[child] = value
            count += 1
        elif kind is map_start or kind is seq_start:
            if event.anchor is not None or event.tag is not None or (inside and not is_list and key is None):
                raise _NotPlainError
            child = path
            if is_list:
                child = (*path, count)
                mark = event.start_mark
                marks[child] = mark.line + 1, mark.column + 1
            elif key is not None:
                child = (*path, key)
                key = None
            around.append((path, is_list, count + 1))
            path, is_list, count, inside = child, kind is seq_start, 0, True
        elif kind is map_end or kind is seq_end:
            if not count:
                values[path] = [] if kind is seq_end else {}
            path, is_list, count = around.pop()
            inside = bool(around)
        elif kind is alias:
            raise _NotPlainError
        elif kind is yaml.DocumentStartEvent:
            documents += 1
            if documents > 1:
                raise _NotPlainError
        elif kind is yaml.StreamEndEvent:
            return found


def _resolved(text: str) -> object:
    """Return the value of a plain scalar, and remember it."""
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    value = _known[text] = go_resolve(text)[1]
    return value
