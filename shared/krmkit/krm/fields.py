"""Fields of a resource with their line comments, in the order of the text.

Aliases are not followed: the anchored value is visited at its own place.
"""

from __future__ import annotations

from krmkit.libraries.yaml.copies import take_anchor
from krmkit.libraries.yaml.editing.linecomments import line_comment
from krmkit.libraries.yaml.tree import Alias, Entry, Map, Scalar, Seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krmkit.krm.fieldpath import Path
    from krmkit.krm.resource import Resource
    from krmkit.libraries.yaml.tree import Node


class CommentedField:
    """A field: `path` (keys and positions), value `node`, and `entry`, which is None for a list's item."""

    __slots__ = ("_comment", "entry", "item", "node", "path")

    def __init__(
        self, item: Resource, path: Path, node: Node, entry: Entry | None = None, comment: str | None = None
    ) -> None:
        self.item = item
        self.path = path
        self.node = node
        self.entry = entry
        self._comment = comment

    @property
    def comment(self) -> str:
        """Return the line comment, from its `#` on; "" if there is none."""
        if self._comment is not None:
            return self._comment
        return line_comment(self.item.document, self.entry.key if self.entry is not None else None, self.node)

    @property
    def is_written(self) -> bool:
        """Return True unless the field is `key:` alone; `~` and `""` count as written."""
        node = self.node
        return not (isinstance(node, Scalar) and not node.style and not node.text and node.source is not None)

    def put(self, value: Node) -> None:
        """Set another value; anchor and comment stay."""
        take_anchor(value, self.node)
        self.item.set(self.path, value)
        self.node = value


def fields(item: Resource, word: str = "") -> Iterator[CommentedField]:
    """Yield every field below the root of a resource, collections before their entries.

    `word`: fields without this word on their lines may be skipped.
    """
    _ = item.text  # written first: a map that an earlier function has put is visited as one of the text
    found = item._scalars_with(word) if word else None
    if found is not None:
        for path, scalar, comment in found:
            yield CommentedField(item, path, scalar, None, comment)
        item.refuse_unreadable()
        return
    waiting = list(reversed(_children(item, (), item.root)))
    while waiting:
        field = waiting.pop()
        yield field
        # A value that the caller has put is visited as well; it has no comment.
        if field.node.source is not None:
            waiting += reversed(_children(item, field.path, field.node))


def _children(item: Resource, path: Path, node: Node) -> list[CommentedField]:
    found: list[tuple[str | int | None, Node, Entry | None]] = []
    if isinstance(node, Map):
        found = [(entry.name, entry.value, entry) for entry in node.entries]
    elif isinstance(node, Seq):
        found = [(index, value, None) for index, value in enumerate(node.items)]
    return [
        CommentedField(item, (*path, step), value, entry)
        for step, value, entry in found
        if step is not None and not isinstance(value, Alias)
    ]
