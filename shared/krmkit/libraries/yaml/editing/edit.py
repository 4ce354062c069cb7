"""Write an edited document: only changed parts become new text.

The tree is walked once, and each difference to the text becomes a splice: (start, end, new text). In an
edited block collection, kept children keep their lines, removed ones take their lines and comments along, new
ones follow the sibling before them, and children that change their order move with their comments. The result
is parsed again and must equal the edited tree, else the edit is refused. No parse is needed if only plain
scalars were replaced by words, and entries of two words added.
"""

from __future__ import annotations

from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.copies import detach_aliases
from krmkit.libraries.yaml.data import comparable_data, same_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.editing.blockedit import Editor
from krmkit.libraries.yaml.editing.places import Places, block_scalar_end
from krmkit.libraries.yaml.editing.proof import plainly_says
from krmkit.libraries.yaml.editing.view import Splice, apply
from krmkit.libraries.yaml.errors import LimitError, YamlError
from krmkit.libraries.yaml.tree import Alias, Collection, Document, Entry, Node, Scalar

_DEEPEST = 256
"""Collections in each other that an edited text may have: writing goes from one into the next."""


def render(document: Document) -> str:
    """Return the document's text with its edits. Raises YamlError if an edit cannot be written safely.

    Example: after `root.set("a", 2)` the text `a: 1 # one` becomes `a: 2 # one`.
    """
    root = document.root
    if not document.changed or root is None:
        return document.given
    if document.aliases:
        detach_aliases(document)
    edited: set[int] = set()
    if _note_edited(root, edited, 1):
        comparable_data(root, document.limits)  # a value that holds itself has no text
    places = Places(document)
    closing = None if document.text.endswith("\n") else _closing(document)
    reason: YamlError | None = None
    # Text next to a block scalar can become a part of it: then new text is quoted, or that scalar closed.
    closings = [None] if closing is None else [None, closing]
    for literals, closed in [(literals, closed) for literals in (True, False) for closed in closings]:
        editor = Editor(places, literals, edited, closed)
        editor.node(places.root)
        written = _applied(document, places.view, editor.all_splices())
        is_plain = document.text.endswith("\n") and not document.aliases
        if is_plain and 0 < editor.words == len(editor.splices):
            return written  # words where words can stand need no proof
        for candidate in _endings(document, written):
            reason = _difference(candidate, document)
            if reason is None:
                return candidate
    assert reason is not None
    raise reason


def with_literal(node: Node | None, value: str) -> str | None:
    """Return the text with another text in a literal block (`|`, `|-`); None if that may be unsafe.

    It needs no proof: the new block's lines are those of `emit.literal` at the depth of the old ones, it
    neither keeps trailing blank lines nor begins with one, and the text below the old block ends the new one
    as well. Example: a new text for `x: |` in a ConfigMap's data, without parsing the ConfigMap again.
    """
    if not isinstance(node, Scalar) or node.style != "|" or node.source is None or node.anchor or node.tag:
        return None
    document = node.source
    text = document.given
    header, _, body = text[node.start : node.end].partition("\n")
    content = body.lstrip(" \n")
    depth = len(body[: len(body) - len(content)].rpartition("\n")[2])
    is_plain = (
        value[:1] not in ("", " ", "\n", "\t") and not value.endswith("\n\n") and emit.is_printable(value)
    )
    if (
        header not in ("|", "|-")
        or not content
        or not is_plain
        or text is not document.text
        or not text.endswith("\n")
    ):
        return None
    if document.changed or document.aliases or value == node.text:
        return None
    end = block_scalar_end(text, node.start, node.end, node.text)
    return text[: node.start] + emit.literal(value, 0, depth) + text[end:]


def _closing(document: Document) -> Splice | None:
    from krmkit.libraries.yaml.editing.finalbreak import closing_splice  # few texts lack a final line break

    return closing_splice(document)


def _endings(document: Document, written: str) -> list[str]:
    """Return the texts to try: first without a final line break if the original has none."""
    if document.text.endswith("\n"):
        return [written]
    return [written.removesuffix("\n").removesuffix("\r"), written]


def _difference(text: str, document: Document) -> YamlError | None:
    """Return the error of an edited text whose data differ from the tree's; None if they are equal."""
    root = document.root
    if root is not None and plainly_says(text, root, document.limits):
        return None
    expected = comparable_data(root, document.limits)
    foreign = {alias.name: alias.target for alias in document.aliases if alias.target.source is not document}
    try:
        written = parse(text, document.limits, anchors=foreign)
    except LimitError:
        raise
    except YamlError as error:
        return YamlError(f"the edit cannot be written here; the text would be no YAML: {error}")
    found = comparable_data(written.root, document.limits)
    if same_data(found, expected, ordered=True):
        return None
    where = _first_difference(found, expected)
    return YamlError(
        f"the edit cannot be written here: the text would say something else at {where}"
        " (a comment next to a block scalar can cause this; move the comment)"
    )


def _first_difference(found: object, expected: object) -> str:
    path = ""
    while True:
        if isinstance(found, dict) and isinstance(expected, dict) and list(found) == list(expected):
            step = next(key for key in found if not same_data(found[key], expected[key], ordered=True))
            path += f".{step}" if path else str(step)
            found, expected = found[step], expected[step]
        elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
            index = next(i for i, item in enumerate(found) if not same_data(item, expected[i], ordered=True))
            path += f"[{index}]"
            found, expected = found[index], expected[index]
        else:
            return path or "the whole document"


def _note_edited(node: Node, edited: set[int], depth: int) -> bool:
    """Collect the ids of collections with edits at or below them; return True if there is an alias."""
    if not isinstance(node, Collection):
        return isinstance(node, Alias)
    if depth > _DEEPEST:
        raise YamlError(f"the text is nested more than {_DEEPEST} deep, which cannot be edited")
    if node.original is not None:
        edited.add(id(node))
    is_aliased = False
    for child in node.children():
        value = child
        if isinstance(child, Entry):
            value = child.value
            is_aliased = is_aliased or isinstance(child.key, Alias)
        if value.__class__ is not Scalar:
            assert isinstance(value, Node)
            is_aliased = _note_edited(value, edited, depth + 1) or is_aliased
            if id(value) in edited:
                edited.add(id(node))
    return is_aliased


def _applied(document: Document, view: str, splices: list[Splice]) -> str:
    """Apply splices of `view` to the document's text, keeping its byte order mark and line breaks."""
    given = document.given
    if given is not document.text:
        places = sorted({place for splice in splices for place in splice[:2]})
        moved = dict(zip(places, document.given_offsets(places), strict=True))
        view = given if given.endswith("\n") else given + document.newline
        moved[len(document.text) + 1] = len(view)  # behind a final line break that was not there
        splices = [
            (moved[start], moved[end], new.replace("\n", document.newline)) for start, end, new in splices
        ]
    return apply(view, 0, len(view), splices)
