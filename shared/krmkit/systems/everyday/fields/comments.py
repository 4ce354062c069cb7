"""Fields of a resource with their line comments, for setters and search-replace.

Every value is visited in the order of the text. Aliases are not followed: their anchor's value is visited in its own
place.
"""

from __future__ import annotations

from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.copies import take_anchor
from krmkit.libraries.yaml.editing.linecomments import ends_line, line_comment, with_line_comments
from krmkit.libraries.yaml.scalars import go_resolve
from krmkit.libraries.yaml.tree import Alias, Entry, Map, Scalar, Seq, deref, to_node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krmkit.krm.resource import Resource
    from krmkit.libraries.yaml.tree import Node

# Maps whose values must be strings to the API server, and single fields that must be.
_TEXT_MAPS = frozenset(("labels", "annotations", "matchLabels", "nodeSelector"))
_TEXT_FIELDS = (("metadata", "name"), ("metadata", "namespace"))


class CommentedField:
    """A field: its `path` (keys and positions), its value `node`, and its parent."""

    __slots__ = ("_holder", "_index", "entry", "item", "node", "path")

    def __init__(
        self,
        item: Resource,
        path: tuple[str | int, ...],
        node: Node,
        holder: Map | Seq,
        entry: Entry | None,
        index: int,
    ) -> None:
        self.item = item
        self.path = path
        self.node = node
        self.entry = entry
        self._holder = holder
        self._index = index

    @property
    def dotted(self) -> str:
        """The path as kpt's functions print it: `spec.ports[0].port`, dots in keys are not escaped."""
        return printed(self.path)

    @property
    def comment(self) -> str:
        """The line comment, from its `#` on; "" if there is none."""
        return line_comment(self.item.document, self.entry.key if self.entry is not None else None, self.node)

    @property
    def is_written(self) -> bool:
        """Whether the text has a value (`~` and `""` count); `key:` alone has none."""
        node = self.node
        return not (isinstance(node, Scalar) and not node.style and not node.text and node.source is not None)

    def put(self, value: Node) -> None:
        """Set another value; the anchor and the comment stay."""
        take_anchor(value, self.node)
        if self.entry is not None and isinstance(self._holder, Map):
            self._holder.replace(self.entry, value)
        elif isinstance(self._holder, Seq):
            self._holder.replace(self._index, value)
        self.node = value
        self.item.changed = True

    def put_text(self, text: str) -> None:
        """Set a scalar's text.

        It keeps its quotes; a plain scalar's type follows the text, as in `replicas: 3`. A field that must be a string
        to the API server (labels, annotations, names, env) gets quotes if the text would have another type.
        """
        node = self.node
        assert isinstance(node, Scalar)
        if text == node.text and (node.style or node.tag is None):
            return
        self.put(scalar_like(node, text, wants_text(self.path)))


def wants_text(path: tuple[str | int, ...]) -> bool:
    """Whether a field must be a string to the API server: a label, an annotation, a name, an environment variable."""
    return (
        (len(path) > 1 and path[-2] in _TEXT_MAPS)
        or path in _TEXT_FIELDS
        or (len(path) > 2 and path[-3] == "env" and path[-1] == "value")
    )


def scalar_like(old: Scalar, text: str, is_text: bool = False) -> Scalar:
    """A scalar with another text in the style of an old one; without quotes, the text decides the type."""
    if (
        not old.style
        and not is_text
        and text
        and "\n" not in text
        and go_resolve(text)[0] not in ("str", "merge")
    ):
        return Scalar(text)
    made = to_node(text)
    assert isinstance(made, Scalar)
    return made


def printed(path: tuple[str | int, ...]) -> str:
    """A path as kpt's functions print it."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def fields(item: Resource) -> Iterator[CommentedField]:
    """Every field of a resource below its root, collections before their entries."""
    _ = item.text  # written first: a map that an earlier function has put is visited as one of the text
    waiting = list(reversed(_children(item, (), item.root)))
    while waiting:
        field = waiting.pop()
        yield field
        # A value that the caller has put is visited as well; it has no comment.
        if field.node.source is not None:
            waiting += reversed(_children(item, field.path, field.node))


def _children(item: Resource, path: tuple[str | int, ...], node: Node) -> list[CommentedField]:
    if isinstance(node, Map):
        return [
            CommentedField(item, (*path, entry.name), entry.value, node, entry, 0)
            for entry in node.entries
            if entry.name is not None and not isinstance(entry.value, Alias)
        ]
    if isinstance(node, Seq):
        return [
            CommentedField(item, (*path, index), value, node, None, index)
            for index, value in enumerate(node.items)
            if not isinstance(value, Alias)
        ]
    return []


def put_comments(item: Resource, comments: dict[tuple[str | int, ...], str]) -> list[str]:
    """Put line comments behind the values at paths: `{("spec", "replicas"): "kpt-set: ${replicas}"}`.

    A list in brackets becomes one with a line for each entry; the comment on the list itself follows its key. Returns
    the printed paths of values that cannot have a comment because others follow on their line.
    """
    wanted = set(comments) | {path[:-1] for path in comments if isinstance(path[-1], int)}
    for field in list(fields(item)):
        node = field.node
        if (
            field.path in wanted
            and isinstance(node, Seq)
            and node.flow
            and node.items
            and field.entry is not None
        ):
            block = Seq()
            block.items = list(node.items)
            field.put(block)
    text = item.text  # rewritten if a list changed its style
    found, skipped = [], []
    for field in fields(item):
        if field.path in comments:
            key = field.entry.key if field.entry is not None else None
            if ends_line(item.document, key, field.node):
                found.append((key, field.node, comments[field.path]))
            else:
                skipped.append(field.dotted)
    new = with_line_comments(item.document, found)[item.column :]
    if new != text:
        item.rewrite(new)
    return skipped


def flow_text(node: Node) -> str:
    """A node on one line, for messages: `[a, b]`."""
    node = deref(node)
    if isinstance(node, Seq):
        return "[" + ", ".join(flow_text(entry) for entry in node.items) + "]"
    if isinstance(node, Map):
        return "{" + ", ".join(f"{entry.name}: {flow_text(entry.value)}" for entry in node.entries) + "}"
    assert isinstance(node, Scalar)
    return emit.scalar(node.text, 0, flow=True) if node.style else node.text
