"""Copies of nodes, for edits through an alias and for aliases whose anchor is removed."""

from __future__ import annotations

from krmkit.libraries.yaml.data import walk
from krmkit.libraries.yaml.effort import charge
from krmkit.libraries.yaml.errors import HOLDS_ITSELF, LimitError, YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS, Limits
from krmkit.libraries.yaml.lines import shift
from krmkit.libraries.yaml.tree import Alias, Document, Entry, Map, Node, Scalar, Seq, deref


def is_tied(node: Node) -> bool:
    """Return True if a node or one below it has an anchor or is an alias."""
    return any(each.anchor is not None or isinstance(each, Alias) for each in walk(node))


def detached(node: Node) -> Node:
    """Copy a node without its text: aliases are followed, anchors dropped, scalars keep style and tag.

    An edit through an alias edits such a copy, not the anchored node. Raises YamlError if the node contains
    itself, LimitError if aliases copy more nodes than the limit allows.
    """
    source = node.source
    return _Copy(source.limits if source is not None else DEFAULT_LIMITS).of(node)


def lines_of(node: Map) -> str:
    r"""Return a block mapping's lines with comments, moved to column 0; "" if it has none.

    Example: for the value of `a` in "a:\n  # c\n  b: 1\n" it is "# c\nb: 1\n".
    """
    source = node.source
    if source is None or source.changed or node.flow or is_tied(node):
        return ""
    text = source.text
    above = text[: node.start].split("\n")
    column = len(above.pop())
    first = len(above)
    while first and _is_comment(above[first - 1], column):
        first -= 1
    end = _end(node)
    below = text[end:].split("\n")
    last = 1
    while last < len(below) and _is_comment(below[last], column):
        last += 1
    own = " " * column + text[node.start : end] + "\n".join(below[:last])
    return shift("\n".join([*above[first:], own.rstrip("\n")]), column, 0) + "\n"


def _end(node: Node) -> int:
    """Return the end of a node: a block ends with its last child."""
    while isinstance(node, Map | Seq) and not node.flow:
        node = node.entries[-1].value if isinstance(node, Map) else node.items[-1]
    return node.end


def _is_comment(line: str, column: int) -> bool:
    """Return True if a line is blank, or a comment of a block at this column."""
    content = line.lstrip(" ")
    return not content or (content[0] == "#" and len(line) - len(content) >= column)


_COPY = 6  # steps of effort that a copied node costs
_COUNTED = 64  # so many of them are charged at once


class _Copy:
    """The copy of one node and all below it. `within`: the anchored ancestors that are being copied."""

    __slots__ = ("aliases", "left", "limits", "within")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.left = limits.aliases
        self.aliases = 0
        self.within: set[int] = set()

    def of(self, node: Node) -> Node:
        if isinstance(node, Alias):
            self.aliases += 1
            copy = self.of(deref(node))
            self.aliases -= 1
            return copy
        if self.aliases:
            self.left -= 1
            if not self.left % _COUNTED:
                charge(_COUNTED * _COPY)
            if self.left < 0:
                raise LimitError.of("aliases", self.limits.aliases, "the expansion of aliases")
        if node.anchor is None:
            return self.inside(node)
        if id(node) in self.within:
            raise YamlError(HOLDS_ITSELF)
        self.within.add(id(node))
        copy = self.inside(node)
        self.within.discard(id(node))
        return copy

    def inside(self, node: Node) -> Node:
        if isinstance(node, Map):
            mapping = Map(tag=node.tag, flow=node.flow)
            mapping.entries = [Entry(self.of(entry.key), self.of(entry.value)) for entry in node.entries]
            return mapping
        if isinstance(node, Seq):
            sequence = Seq(tag=node.tag, flow=node.flow)
            sequence.items = [self.of(item) for item in node.items]
            return sequence
        assert isinstance(node, Scalar)
        scalar = Scalar(node.text, node.style, tag=node.tag)
        scalar.value = node.value
        return scalar


def take_anchor(new: Node, old: Node) -> None:
    """Move the anchor of a replaced node to its replacement, so that aliases still find it."""
    if old.anchor is None or old.source is None:
        return
    new.anchor = old.anchor
    for alias in old.source.aliases:
        if alias.target is old:
            alias.target = new


def detach_aliases(document: Document) -> None:
    """Replace every alias whose anchor was removed by its value, so that the data stay."""
    nodes = list(walk(document.root))
    anchored = {id(node) for node in nodes if node.anchor is not None and node.source in (document, None)}
    copy = _Copy(document.limits)

    def dangles(node: Node) -> bool:
        if not isinstance(node, Alias) or node.source is not document or node.target.source is not document:
            return False
        return id(node.target) not in anchored

    for node in nodes:
        if isinstance(node, Map):
            for entry in node.entries:
                if dangles(entry.value):
                    node.replace(entry, copy.of(entry.value))
                if dangles(entry.key):
                    node.touch()
                    entry.key = copy.of(entry.key)
        elif isinstance(node, Seq):
            for index, item in enumerate(node.items):
                if dangles(item):
                    node.replace(index, copy.of(item))
