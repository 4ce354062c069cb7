"""The quotes of a text that replaces the text of an earlier edit: it keeps those of the earlier one."""

from __future__ import annotations

from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml.tree import UNSET, Node, Scalar


def keep_style(node: Node, before: Node, first: Node) -> None:
    """Give an edit's text the style of the edit that it replaces.

    before: the value of that edit; first: that of the text. Two texts for a field, one after the other, write
    what the second one would write if the first was in the YAML already. Example: `"7"` takes the place of a
    plain `x` in double quotes, and so does `y` that of `7`.
    """
    if isinstance(node, Scalar) and isinstance(node.value, str):
        node.style = _written_style(before, first)


def _written_style(before: Node, first: Node) -> str:
    """Return the style of an edit's scalar in the place of what the YAML has; "" for a plain one."""
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
