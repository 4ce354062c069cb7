"""Write texts and line comments into fields, and print paths and values, for setters and search-replace."""

from __future__ import annotations

from krmkit.krm.fields import CommentedField, fields
from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.editing.linecomments import ends_line, with_line_comments
from krmkit.libraries.yaml.scalars import go_resolve
from krmkit.libraries.yaml.tree import Map, Scalar, Seq, deref, to_node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.krm.fieldpath import Path
    from krmkit.krm.resource import Resource
    from krmkit.libraries.yaml.tree import Node

# Maps whose values must be strings to the API server, and single fields that must be.
_TEXT_MAPS = frozenset(("labels", "annotations", "matchLabels", "nodeSelector"))
_TEXT_FIELDS = (("metadata", "name"), ("metadata", "namespace"))


def put_text(field: CommentedField, text: str) -> None:
    """Set a scalar's text.

    It keeps its quotes; a plain scalar's type follows the text, as in `replicas: 3`. A field that must be
    a string to the API server (labels, annotations, names, env) gets quotes if the text has another type.
    """
    node = field.node
    assert isinstance(node, Scalar)
    if text != node.text or (not node.style and node.tag is not None):
        field.put(scalar_like(node, text, wants_text(field.path)))


def wants_text(path: Path) -> bool:
    """Return True if the API server needs a string: in a label, annotation, name or environment variable."""
    return (
        (len(path) > 1 and path[-2] in _TEXT_MAPS)
        or path in _TEXT_FIELDS
        or (len(path) > 2 and path[-3] == "env" and path[-1] == "value")
    )


def scalar_like(old: Scalar, text: str, is_text: bool = False) -> Scalar:
    """Return a scalar with a new text in an old one's style; without quotes, the text decides the type."""
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


def printed(path: Path) -> str:
    """Print a path as kpt's functions do: `spec.containers[0].image`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def put_comments(item: Resource, comments: dict[Path, str]) -> list[str]:
    """Put line comments behind the values at paths: `{("spec", "replicas"): "kpt-set: ${replicas}"}`.

    A list in brackets becomes one with a line for each entry; the comment on the list itself follows its key.
    Return the printed paths of values that get no comment because others follow on their line.
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
                skipped.append(printed(field.path))
    new = with_line_comments(item.document, found)[item.column :]
    if new != text:
        item.rewrite(new)
    return skipped


def flow_text(node: Node) -> str:
    """Print a node on one line, for messages: `[a, b]`."""
    node = deref(node)
    if isinstance(node, Seq):
        return "[" + ", ".join(flow_text(entry) for entry in node.items) + "]"
    if isinstance(node, Map):
        return "{" + ", ".join(f"{entry.name}: {flow_text(entry.value)}" for entry in node.entries) + "}"
    assert isinstance(node, Scalar)
    return emit.scalar(node.text, 0, flow=True) if node.style else node.text
