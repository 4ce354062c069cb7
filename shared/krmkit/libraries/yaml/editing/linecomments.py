"""Line comments: those after a value on its line, as in `image: nginx # kpt-set: ${image}`.

A block scalar's comment follows its `|`, a block list's or map's its key, a flow collection's its bracket. An
absent value (`key: # note`) has none: the comment is the key's.
"""

from __future__ import annotations

from krmkit.libraries.yaml.editing.view import Splice, apply
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.tree import Collection, Document, Node, Scalar


def line_comment(document: Document, key: Node | None, value: Node) -> str:
    """Return a value's comment from its `#` on, stripped, or "". `key`: None in a list.

    Example: for `a: 1 # one` it is `# one`.
    """
    start, end = _place(document, key, value)
    return document.text[start:end].strip()


def ends_line(document: Document, key: Node | None, value: Node) -> bool:
    """Return True if a value can have a line comment: at most a comment follows on its line."""
    text = document.text
    _, end = _place(document, key, value)
    return not text[end : _line_end(text, end)].strip(" \t\r")


def with_line_comments(document: Document, comments: list[tuple[Node | None, Node, str]]) -> str:
    """Return an unedited document's text with these comments, which replace old ones.

    comments: (key, value, text without `# `). Raises YamlError for a value that does not end its line.
    """
    text, given = document.text, document.given
    splices: list[Splice] = []
    for start, end, comment in sorted((*_place(document, key, value), new) for key, value, new in comments):
        if text[end : _line_end(text, end)].strip(" \t\r"):
            raise YamlError(
                "a comment can come only at the end of a line; write each value on a line of its own"
            )
        if not is_one_line(comment):
            raise YamlError("a comment must be of one line")
        splices.append((start, end, f" # {comment}"))
    if given is not text:  # with other line breaks, or a byte order mark
        places = sorted({place for splice in splices for place in splice[:2]})
        moved = dict(zip(places, document.given_offsets(places), strict=True))
        splices = [(moved[start], moved[end], new) for start, end, new in splices]
    return apply(given, 0, len(given), splices)


def is_one_line(text: str) -> bool:
    """Return True if no reader finds a line break in a text: for some, U+2028 ends a comment."""
    return text.splitlines() in ([], [text])


def _place(document: Document, key: Node | None, value: Node) -> tuple[int, int]:
    """Return start and end of a value's comment with the blanks before it; equal if it has none."""
    text = document.text
    at = -1  # the header or key of a block, whose line has the comment
    if isinstance(value, Scalar) and value.style in ("|", ">"):
        at = value.start
    elif isinstance(value, Collection) and not value.flow:
        if key is None or key.end < 0:
            return value.start, value.start
        at = key.end
    if at >= 0:
        stop = _line_end(text, at)
        sign = text.find(" #", at, stop)
        return _from(text, sign if sign >= 0 else at + len(text[at:stop].rstrip(" \t")), stop)
    end = value.end
    if end < 0 or (isinstance(value, Scalar) and not value.style and not value.text and key is not None):
        return value.start, value.start
    stop = _line_end(text, end)
    rest = text[end:stop]
    blank = rest.lstrip(" \t")
    if blank.startswith(","):
        end += len(rest) - len(blank) + 1
    return _from(text, end, stop)


def _from(text: str, start: int, stop: int) -> tuple[int, int]:
    return (start, stop) if text[start:stop].lstrip(" \t").startswith("#") else (start, start)


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return end if end >= 0 else len(text)
