"""Lists without items, or that lose all of them: added items keep their text, and comments stay."""

from __future__ import annotations

from krmkit.libraries.yaml.chunks import Chunks
from krmkit.libraries.yaml.document import parse_all
from krmkit.libraries.yaml.lines import ODD_BREAKS
from krmkit.libraries.yaml.tree import Map, Seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.libraries.yaml.limits import Limits


def opened(text: str, limits: Limits) -> Chunks | None:
    """Return the text around items that replace `items: []`; None if block items do not fit there.

    Example: of the lines `items: [] # none` and `results: []` the first becomes the head `items: # none`, the
    second the tail.
    """
    if any(sign in text for sign in (*ODD_BREAKS, "\ufeff")):
        return None  # places of nodes count them otherwise
    root = parse_all(text, limits, shallow=True)[0].root
    listed = root.get("items") if isinstance(root, Map) else None
    if not isinstance(root, Map) or root.flow or not isinstance(listed, Seq):
        return None
    start, line_end = listed.start, text.find("\n", listed.end) + 1 or len(text)
    comment = text[listed.end : line_end].rstrip()
    if text[start] != "[" or comment[:1].strip():
        return None  # an anchor or a tag
    column = root.start - (text.rfind("\n", 0, root.start) + 1)
    end = _behind_deeper(text, line_end, column)
    above = text[line_end:end]
    return Chunks(text[:start].rstrip(" ") + comment + "\n" + above, [], text[end:], " " * column + "- ")


def _behind_deeper(text: str, position: int, column: int) -> int:
    """Return the end of blank lines and deeper comments at `position`: a block scalar would absorb them."""
    while position < len(text):
        end = text.find("\n", position) + 1 or len(text)
        content = text[position:end].lstrip(" ")
        is_deeper = content[:1] == "#" and end - position - len(content) > column
        if content.strip() and not is_deeper:
            break
        position = end
    return position


def emptied(head: str) -> str:
    """Return the head with `[]` after its last key, before the comments that follow it."""
    lines = head.rstrip().split("\n")
    at = next(index for index in reversed(range(len(lines))) if lines[index].lstrip()[:1] not in ("", "#"))
    key = lines[at].partition(" #")[0].rstrip()
    lines[at] = f"{key} []{lines[at][len(key) :]}"
    return "\n".join(lines) + "\n"
