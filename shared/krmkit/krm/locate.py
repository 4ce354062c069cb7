"""Find a one-line scalar in an item's text without parsing the item.

Only for items that the splitter has proven clean: no quote and no flow collection is open at any line end. Then a
line that starts at the column of the item's keys is a key line (block scalars and continued plain scalars must stand
deeper), and the same holds for a mapping's children within its lines. Whatever is not plainly simple (anchors, tags,
aliases, block scalars, continued lines, a key that stands twice) is left to the parser: the answer is None.
"""

from __future__ import annotations

_OPENERS = frozenset("&*!|>{[@`%?\t")


def scalar_span(text: str, column: int, path: tuple[str, ...]) -> tuple[int, int] | None:
    """(start, end) in `text` of the scalar at `path`, quotes included.

    `text` is the item as it stands behind its dash: its first line without, all others with indentation; the item's
    keys are at `column`. None where the scalar is absent or not simple enough.
    """
    start, end = 0, len(text)
    last = len(path) - 1
    for depth, name in enumerate(path):
        line = _key_line(text, name, column, start, end)
        if line < 0:
            return None
        value = line + len(name) + 1
        stop = text.find("\n", value)
        if stop < 0:
            stop = len(text)
        if depth == last:
            return _value_span(text, value, stop, column, end)
        if stop != value:
            return None
        start = stop
        end = _block_end(text, start, column, end)
        column = _child_column(text, start, end)
        if column < 0:
            return None
    return None


def strings(text: str, column: int, path: tuple[str, ...]) -> dict[str, str] | None:
    """The mapping of one-line scalars at `path` as texts; None where something in it is not simple, or it is absent."""
    start, end = 0, len(text)
    for name in path:
        line = _key_line(text, name, column, start, end)
        if line < 0:
            return None
        start = line + len(name) + 1
        if text[start : start + 1] != "\n":
            return None
        end = _block_end(text, start, column, end)
        column = _child_column(text, start, end)
        if column < 0:
            return None
    found: dict[str, str] = {}
    pad = " " * column
    position = start + 1
    while position < end:
        stop = text.find("\n", position, end)
        if stop < 0:
            stop = end
        line_text = text[position:stop]
        content = line_text.lstrip(" ")
        if content and content[0] != "#":
            key, colon, _ = content.partition(":")
            if not colon or not line_text.startswith(pad + key) or key in found or not key[0].isalpha():
                return None
            span = _value_span(text, position + column + len(key) + 1, stop, column, end)
            value = plain_text(text, span) if span is not None else None
            if value is None:
                return None
            found[key] = value
        position = stop + 1
    return found


def _key_line(text: str, name: str, column: int, start: int, end: int) -> int:
    """Offset of the key `name` at `column` between `start` (a line's end, or 0) and `end`; -1 for none or several."""
    needle = "\n" + " " * column + name + ":"
    if start == 0 and text.startswith(name + ":"):
        found = 0
        if text.find(needle, 0, end) >= 0:
            return -1
        return found
    found = text.find(needle, start, end)
    if found < 0 or text.find(needle, found + 1, end) >= 0:
        return -1
    return found + 1 + column


def _block_end(text: str, start: int, column: int, end: int) -> int:
    """End of the lines below the key at `column` whose line ends at `start`."""
    position = start
    while position < end:
        following = position + 1
        if following >= end:
            return end
        indent = 0
        while following + indent < end and text[following + indent] == " ":
            indent += 1
        stop = text.find("\n", following, end)
        if stop < 0:
            stop = end
        if following + indent < stop and indent <= column:
            return position
        position = stop
    return end


def _child_column(text: str, start: int, end: int) -> int:
    """Column of the first child line; -1 where it is not a plain key line."""
    position = start + 1
    while position < end:
        indent = 0
        while position + indent < end and text[position + indent] == " ":
            indent += 1
        character = text[position + indent : position + indent + 1]
        if character in ("", "\n", "#"):
            position = text.find("\n", position, end) + 1
            if position == 0:
                return -1
            continue
        return indent if character.isalpha() else -1
    return -1


def _value_span(text: str, value: int, stop: int, column: int, end: int) -> tuple[int, int] | None:
    if value >= stop or text[value] != " ":
        return None
    start = value
    while start < stop and text[start] == " ":
        start += 1
    if start == stop or text[start] in _OPENERS:
        return None
    # A deeper line below would continue the scalar (or be a comment; the parser knows).
    below = stop + 1
    if below < end and text.startswith(" " * (column + 1), below):
        return None
    quote = text[start]
    if quote in "\"'":
        # Clean text: the quote closes on this line, and at most a comment follows.
        close = text.find(quote, start + 1, stop) + 1
        while quote == "'" and close and text[close : close + 1] == quote:
            close = text.find(quote, close + 1, stop) + 1
        if close == 0 or (quote == '"' and "\\" in text[start:close]):
            return None
        rest = text[close:stop].lstrip(" ")
        return (start, close) if not rest or rest[0] == "#" else None
    if text[start] == "#" or (text[start] == "-" and text[start + 1 : start + 2] in ("", " ")):
        return None
    comment = text.find(" #", start, stop)
    finish = stop if comment < 0 else comment
    while text[finish - 1] == " ":
        finish -= 1
    if ": " in text[start:finish] or text[finish - 1] == ":":
        return None
    return start, finish


def plain_text(text: str, span: tuple[int, int]) -> str | None:
    """The decoded content of a span from `scalar_span`; None where escapes need the parser."""
    content = text[span[0] : span[1]]
    if content[0] == "'":
        return content[1:-1].replace("''", "'")
    if content[0] == '"':
        return None if "\\" in content else content[1:-1]
    return content
