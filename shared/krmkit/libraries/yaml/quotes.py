"""The quotes of an edit's text that replaces an earlier edit's text."""

from __future__ import annotations

from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.tree import UNSET, Node, Scalar


def keep_style(node: Node, before: Node, first: Node) -> None:
    """Give an edit's text the style of the edit that it replaces.

    before: the value of that edit; first: that of the text. Two edits of a field give the same text as the
    second one alone on YAML that has the first. Example: `"7"` replaces a plain `x` in double quotes, and `y`
    replaces `"7"` in double quotes.
    """
    if isinstance(node, Scalar) and isinstance(node.value, str):
        node.style = _written_style(before, first)


def _written_style(before: Node, first: Node) -> str:
    """Return the style of a scalar that replaces the YAML's; "" for plain."""
    if not isinstance(before, Scalar) or before.source is not None:
        return ""
    text = before.text
    if before.value is UNSET:  # a number, or a copy, which is written without needless quotes
        return _style(emit.scalar(text, 0)) if before.style else ""
    if not isinstance(before.value, str):
        return ""
    style = before.style
    if not style and isinstance(first, Scalar) and first.source is not None:
        style = first.style
    if style == '"' or not emit.is_printable(text):
        return '"'
    if style == "'" and "\n" not in text:
        return style
    if style in ("|", ">") and text.strip("\n"):
        return "|"
    return _style(emit.scalar(text, 0))


def _style(written: str) -> str:
    return written[0] if written[0] in "\"'|" else ""
