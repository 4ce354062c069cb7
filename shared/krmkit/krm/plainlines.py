"""Find fields by a word in their line, and their paths by the lines above, without a parse.

For line-safe items only (`krmkit.krm.itemlines`). Every line from the field up to the top of the resource
must be a plain key or a list's dash; otherwise the parser is needed.
"""

from __future__ import annotations

from krmkit.krm.itemlines import BLANK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krmkit.krm.itemlines import ItemLines, Place

    PlainField = tuple[tuple[str | int, ...], Place, str]
    """Path and place of the scalar, and the line comment from its `#` on."""

_CLIMB = 20  # lines above that are looked at for each line of a text; with many hits far down the parser costs less
_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./")


def fields_with(lines: ItemLines, word: str) -> list[PlainField] | None:
    """Return the scalars whose lines contain a word; None if the parser is needed.

    Example: for the lines `a:`, `- b: c # x` and the word `x` it is `[(("a", 0, "b"), (1, 5, 6), "# x")]`.
    """
    lines.measure()
    found: list[PlainField] = []
    left = _CLIMB * (len(lines.lines) + 1)
    for number, text in enumerate(lines.lines):
        if word not in text:
            continue
        line = _Line(lines, number)
        if not line.key:
            return None
        place = lines.value(number, line.colon + 1, line.column, len(lines.lines))
        if place is None:
            return None
        above, climbed = _path_above(lines, number, line, left)
        left -= climbed
        if above is None:
            return None
        found.append(((*above, line.key), place, text[place[2] :].strip(" ")))
    return found


class _Line:
    """One line: its dash (-1 for none), its key ("" for none), the key's column and its colon."""

    __slots__ = ("colon", "column", "dash", "key", "text")

    def __init__(self, lines: ItemLines, number: int) -> None:
        self.text = text = lines.lines[number]
        at = lines.columns[number]
        self.dash = -1
        if at != BLANK and text.startswith("- ", at):
            self.dash = at
            at = len(text) - len(text[at + 2 :].lstrip(" "))
        self.column = at
        key, colon, rest = text[at:].partition(":")
        self.colon = at + len(key)
        is_word = key[:1].isalpha() and ((key.isidentifier() and key.isascii()) or _SIGNS.issuperset(key))
        is_plain = colon and is_word and rest[:1] in ("", " ")
        self.key = key if is_plain else ""

    def holds_more(self) -> bool:
        """Return True if nothing but a comment follows the key: its value is below."""
        rest = self.text[self.colon + 1 :].lstrip(" ")
        return not rest or rest[0] == "#"


def _path_above(
    lines: ItemLines, number: int, line: _Line, most: int
) -> tuple[tuple[str | int, ...] | None, int]:
    """Return the path of the map of a line's key, and how many lines were read.

    The path is None if a line above is not plain, or if it takes more than `most` lines.
    """
    steps: list[str | int] = []
    column, dash, top = line.column, line.dash, lines.column
    index = climbed = 0
    while column > top or dash >= 0:
        climbed += 1
        number -= 1
        if number < 0 or climbed > most:
            return None, climbed
        at = lines.columns[number]
        if at == BLANK or at > max(dash, column - 1):
            continue
        text = lines.lines[number]
        if text[at] == "#":
            continue
        if dash >= 0:
            if at > dash:
                continue
            if at == dash and text.startswith("- ", at):
                index += 1
                continue
            steps.append(index)
        above = _Line(lines, number)
        if dash < 0 and above.dash >= 0 and above.column == column and above.key:
            dash, index = above.dash, 0
            continue
        if not above.key or not above.holds_more() or above.column > (dash if dash >= 0 else column - 1):
            return None, climbed
        steps.append(above.key)
        column, dash, index = above.column, above.dash, 0
    return tuple(reversed(steps)), climbed
