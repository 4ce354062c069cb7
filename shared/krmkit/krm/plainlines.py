"""Fields that are found by a word in their line, and their paths by the lines above, without a parse.

For line-safe items only (`krmkit.krm.identity`). Every line from the field up to the top of the resource must be a plain key, or the
dash of a list; else the parser has to look.
"""

from __future__ import annotations

from krmkit.krm.identity import span_in_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    PlainField = tuple[tuple[str | int, ...], tuple[int, int], str]
    """Path, start and end of the scalar, and the line comment from its `#` on."""

_CLIMB = 20  # lines above that are looked at for each line of a text; with many hits far down the parser costs less
_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./")


def fields_with(text: str, column: int, word: str, in_comments: bool = True) -> list[PlainField] | None:
    """The fields whose line comments hold a word, or else the whole line; None where that is not plain to see.

    Example: `fields_with("a:\n- b: c # x\n", 0, "x") == [(("a", 0, "b"), (8, 9), "# x")]`.
    """
    found: list[PlainField] = []
    left = _CLIMB * (text.count("\n") + 1)
    position = text.find(word)
    while position >= 0:
        start = text.rfind("\n", 0, position) + 1
        stop = text.find("\n", position)
        stop = stop if stop >= 0 else len(text)
        line = _Line(text, start, stop, column)
        if not line.key:
            return None
        span = span_in_line(text, line.colon + 1, stop, line.column)
        if span is None or (in_comments and span[1] > position):
            return None
        above, climbed = _path_above(text, line, column, left)
        left -= climbed
        if above is None:
            return None
        comment = text[span[1] : stop].strip(" ")
        found.append(((*above, line.key), span, comment))
        position = text.find(word, stop)
    return found


class _Line:
    """One line: where its dash is (-1 for none), its key ("" for none), the key's column and where its colon is."""

    __slots__ = ("colon", "column", "dash", "indent", "key", "start")

    def __init__(self, text: str, start: int, stop: int, column: int) -> None:
        content = text[start:stop].lstrip(" ")
        self.start = start
        self.indent = stop - start - len(content) if start else column
        self.dash = -1
        at = stop - len(content)
        if content.startswith("- "):
            self.dash = self.indent
            inner = content[2:].lstrip(" ")
            at, content = stop - len(inner), inner
        self.column = self.indent + (at - (stop - len(text[start:stop].lstrip(" "))))
        key = content.partition(":")[0]
        self.colon = at + len(key)
        follows = text[self.colon + 1 : self.colon + 2]
        plain = bool(key) and key[0].isalpha() and _SIGNS.issuperset(key) and follows in ("", " ", "\n")
        self.key = key if plain and self.colon < stop else ""

    def holds_more(self, text: str) -> bool:
        """Whether nothing but a comment follows the key: its value is below."""
        stop = text.find("\n", self.colon)
        rest = text[self.colon + 1 : stop if stop >= 0 else len(text)].lstrip(" ")
        return not rest or rest[0] == "#"


def _path_above(text: str, line: _Line, top: int, most: int) -> tuple[tuple[str | int, ...] | None, int]:
    """The path of the map that a line's key is in, and how many lines it took.

    The path is None where a line above is not plain, and where it takes more than `most` lines.
    """
    steps: list[str | int] = []
    column, dash = line.column, line.dash
    index = climbed = 0
    start = line.start
    while column > top or dash >= 0:
        climbed += 1
        if start == 0 or climbed > most:
            return None, climbed
        stop = start - 1
        start = text.rfind("\n", 0, stop) + 1
        content = text[start:stop].lstrip(" ")
        if not content or content[0] == "#":
            continue
        indent = stop - start - len(content) if start else top
        if dash >= 0:
            if indent > dash:
                continue
            if indent == dash and content.startswith("- "):
                index += 1
                continue
            steps.append(index)
        elif indent >= column:
            continue
        above = _Line(text, start, stop, top)
        if dash < 0 and above.dash >= 0 and above.column == column and above.key:
            dash, index = above.dash, 0
            continue
        if not above.key or not above.holds_more(text) or above.column > (dash if dash >= 0 else column - 1):
            return None, climbed
        steps.append(above.key)
        column, dash, index = above.column, above.dash, 0
    return tuple(reversed(steps)), climbed
