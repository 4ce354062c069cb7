"""A final line break that does not change a text's value.

A literal block that ends the text without a line break, `x: |\n  one<EOF>`, has the value "one". With a line
break
behind it, it would have "one\n", so its header gets a `-` first.
"""

from __future__ import annotations

from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Collection, Entry, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from krmkit.libraries.yaml.editing.view import Splice
    from krmkit.libraries.yaml.tree import Document


def with_final_break(text: str, read: Callable[[], Document]) -> str:
    """Add a final line break; `read` gives the document, and is called only if a block scalar may end it.

    Example: `with_final_break("x: |\\n  one", ...)` is `"x: |-\\n  one\\n"`.
    """
    if text.endswith("\n"):
        return text
    if "|" not in text and ">" not in text:
        return text + "\n"
    try:
        document = read()
    except YamlError:
        return text + "\n"
    splice = closing_splice(document)
    if splice is None:
        return text + document.newline
    # The document may begin with blanks in front of the text.
    shift = len(document.given) - len(text)
    start, end = document.given_offsets([splice[0], splice[1]])
    return text[: start - shift] + splice[2] + text[end - shift :] + document.newline


def closing_splice(document: Document) -> Splice | None:
    """Return the splice of a `-` into the header of a final block scalar without a line break.

    Text that follows the scalar then adds no line break to its value.
    """
    node = document.root
    while isinstance(node, Collection) and not node.flow:
        children = node.in_text()
        last = children[-1] if children else None
        node = last.first_value if isinstance(last, Entry) else last
    text = document.text
    if not isinstance(node, Scalar) or node.style not in ("|", ">") or node.source is None:
        return None
    if text.endswith("\n") or node.text.endswith("\n"):
        return None  # a comment may be below it
    header = text[node.start :].partition("\n")[0].partition(" #")[0].rstrip()
    at = node.start + len(header)
    return None if header.endswith("-") else (at - header.endswith("+"), at, "-")
