"""Prove that a text has the data of a tree: its libyaml events equal the tree's.

Differences in form (aliases, merge keys, tags, other quotes) count as not proven;
`krmkit.libraries.yaml.editing.edit` then compares the data.
"""

from __future__ import annotations

from krmkit.libraries.yaml import _libyaml
from krmkit.libraries.yaml.data import go_value, same_data
from krmkit.libraries.yaml.lines import line_fed
from krmkit.libraries.yaml.tree import UNSET, Map, Node, Scalar, Seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from krmkit.libraries.yaml.limits import Limits


def plainly_says(text: str, root: Node, limits: Limits) -> bool:
    r"""Return True if a text is the tree below `root`, False if only its data can tell.

    Example: `plainly_says("a: 1\n", parse("a:   1").root, limits)` is True.
    """

    def compare(get_event: Callable[[], Any]) -> bool:
        return _same_events(get_event, root, limits)

    try:
        return _libyaml.read(line_fed(text), compare)
    except (_libyaml.backend().YAMLError, UnicodeEncodeError):
        return False


def _same_events(get_event: Callable[[], Any], root: Node, limits: Limits) -> bool:
    yaml = _libyaml.backend()
    scalar, map_start, seq_start = yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent
    # Nodes, and the ends between them; the next one is the last.
    waiting: list[Any] = [yaml.StreamEndEvent, yaml.DocumentEndEvent]
    waiting += (root, yaml.DocumentStartEvent, yaml.StreamStartEvent)
    depth = 0
    while waiting:
        wanted: Any = waiting.pop()
        event = get_event()
        kind, node = type(event), type(wanted)
        if node is Scalar:
            if kind is not scalar or event.tag is not None or wanted.tag is not None:
                return False
            is_same = event.value == wanted.text and (not event.style) is (not wanted.style)
            if (not is_same or wanted.value is not UNSET) and not _same_value(event, wanted):
                return False
        elif node is Map or node is Seq:
            if kind is not (map_start if node is Map else seq_start):
                return False
            if event.tag is not None or wanted.tag is not None or depth == limits.depth:
                return False
            depth += 1
            if node is Seq:
                waiting.append(yaml.SequenceEndEvent)
                waiting += reversed(wanted.items)
            elif _has_plain_keys(wanted):
                waiting.append(yaml.MappingEndEvent)
                for entry in reversed(wanted.entries):
                    waiting += (entry.value, entry.key)
            else:
                return False
        elif kind is not wanted:
            return False  # also where an alias is wanted
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            depth -= 1
    return True


def _same_value(event: Any, node: Scalar) -> bool:
    return same_data(go_value(Scalar(event.value, event.style)), go_value(node))


def _has_plain_keys(node: Map) -> bool:
    names = {entry.name for entry in node.entries}
    return "<<" not in names and len(names) == len(node.entries)
