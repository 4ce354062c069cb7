"""Split a ResourceList's text into its items, each still text."""

from __future__ import annotations

from krmkit.yaml.document import parse
from krmkit.yaml.errors import LimitError, YamlError
from krmkit.yaml.layout import (
    column,
    dash_of,
    end_of,
    first_children,
    line_end,
    line_start,
    next_line,
    start_of,
)
from krmkit.yaml.limits import DEFAULT_LIMITS
from krmkit.yaml.tree import Map, Scalar, Seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.yaml.limits import Limits


class Chunks:
    """The pieces of a list: see `split`."""

    __slots__ = ("column", "dash", "doubtful", "exact", "flow", "head", "items", "joints", "tail")

    def __init__(
        self,
        head: str,
        items: list[str],
        tail: str,
        column: int,
        flow: bool,
        joints: list[str] | None,
        exact: bool,
        doubtful: frozenset[int],
    ) -> None:
        self.head = head
        self.items = items
        self.tail = tail
        self.column = column
        self.dash = " " * (column - 2) + "- " if not flow else ""
        self.flow = flow
        self.joints = joints
        self.exact = exact
        self.doubtful = doubtful


def split(text: str, limits: Limits = DEFAULT_LIMITS) -> Chunks:
    """Items of a list by way of libyaml's events."""
    if len(text) > limits.total_size:
        raise LimitError.of("total_size", limits.total_size, "the size of the list in characters")
    root = parse(text, limits).root
    if not isinstance(root, Map):
        raise YamlError("the input is not a ResourceList: a mapping with apiVersion, kind and items is expected")
    items = root.get("items")
    if items is None or (isinstance(items, Scalar) and items.text in ("", "null", "~")):
        return Chunks(text, [], "", 2, False, None, True, frozenset())
    if not isinstance(items, Seq):
        raise YamlError("items is not a list")
    if len(items.items) > limits.items:
        raise LimitError.of("items", limits.items, "the number of items")
    units = first_children(items)
    everything = frozenset(range(len(units)))
    if items.flow:
        if not units:
            return Chunks(text[: items.end - 1], [], text[items.end - 1 :], 0, True, [], True, everything)
        texts = [text[start_of(unit) : end_of(unit)] for unit in units]
        joints = [text[end_of(a) : start_of(b)] for a, b in zip(units, units[1:])]
        return Chunks(
            text[: start_of(units[0])], texts, text[end_of(units[-1]) :], 0, True, joints, True, everything
        )
    dashes = [dash_of(text, items, index, units) for index in range(len(units))]
    starts = [line_start(text, dash) for dash in dashes]
    end = next_line(text, line_end(text, end_of(units[-1])))
    stops = [*starts[1:], end]
    indent = column(text, dashes[0]) + 2
    texts = [text[dash + 2 : stop] for dash, stop in zip(dashes, stops)]
    return Chunks(text[: starts[0]], texts, text[end:], indent, False, None, True, everything)
