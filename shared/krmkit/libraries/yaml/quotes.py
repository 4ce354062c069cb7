"""The quotes of a text that replaces the text of an earlier edit: those in which the earlier one is written."""

from __future__ import annotations

from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.tree import UNSET, Node, Scalar


def keep_style(node: Node, before: Node, first: Node) -> None:
    """Give the text of an edit the style of an edit that it replaces. before: that edit's value; first: what the YAML has.

    Two texts for a field, one behind the other, write what the second would write if the first was in the YAML already.
    Example: `"7"` takes the place of a plain `x` in double quotes, and so does `y` that of `7`.
    """
    if isinstance(node, Scalar) and isinstance(node.value, str):
        node.style = _written_style(before, first)


def _written_style(before: Node, first: Node) -> str:
    """The style in which an edit's scalar is written in the place of what the YAML has; "" for a plain one."""
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
