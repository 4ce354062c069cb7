"""Find a one-line scalar in an item's text without parsing the item.

Only for items that the splitter has proven clean: no quote and no flow collection is open at any line end. Then a
line that starts at the column of the item's keys is a key line (block scalars and continued plain scalars must stand
deeper), and the same holds for a mapping's children within its lines. Whatever is not plainly simple (anchors, tags,
aliases, block scalars, continued lines, a key that stands twice) is left to the parser: the answer is None.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Path = tuple[str | int, ...]
    _Needles = tuple[str, str, str, str, int]

_OPENERS = frozenset("&*!|>{[@`%?\t")
# What was looked for before: functions ask for the same few paths in every item.
_NEEDLES: dict[tuple[int, Path], _Needles | tuple[()]] = {}
_MOST_NEEDLES = 1000


def scalar_span(text: str, column: int, path: Path) -> tuple[int, int] | None:
    """(start, end) in `text` of the scalar at `path`, quotes included.

    `text` is the item as it stands behind its dash: its first line without, all others with indentation; the item's
    keys are at `column`. None where the scalar is absent or not simple enough, or in a list.
    """
    cut = _cut(text, column, path)
    if cut is None:
        return _span_in_block(text, column, path)
    head, word, after, inner = cut
    if word:
        return len(head), len(head) + len(word)
    value = len(text) - len(after)
    stop = text.find("\n", value)
    return _value_span(text, value, stop if stop >= 0 else len(text), inner, len(text))


def with_word(text: str, column: int, path: Path, word: str) -> str | None:
    """The text with another word where `scalar_span` finds a plain one; None where it finds none, or something else.

    It changes one field of every item of a large list, so it takes nothing apart that it does not need.
    """
    cut = _cut(text, column, path)
    if cut is None:
        return None
    head, old, below, _ = cut
    if not old:
        return None
    return f"{head}{word}\n{below}" if word != old else text


def _cut(text: str, column: int, path: Path) -> tuple[str, str, str, int] | None:
    """The text cut at a path of two keys, which is what is asked for most (metadata.name).

    Where one word stands behind the key, alone on its line: what stands before the word, the word, and the lines below.
    Where something else does: "", "", and all behind the key; where the key is absent, "" for this as well. The last part
    is the column of the key. None where a key stands twice, or the parent is not plainly a block mapping with the usual
    indentation.
    """
    needles = _NEEDLES.get((column, path))
    if needles is None:
        needles = _needles_of(column, path)
    if not needles:
        return None
    outer, initial, margin, needle, inner = needles
    # A split is one search through the text that finds a key and shows that it stands there once. The end of the
    # parent's block, which is lines further down, need not be looked for.
    halves = text.split(outer)
    if len(halves) != 2 or (text[0] == initial and text.startswith(outer[column + 1 :])):
        return None
    before, rest = halves
    pieces = rest.split(needle)
    count = len(pieces)
    between = pieces[0]
    if between:
        content = between.removeprefix(margin)
        if between[0] != "\n" or not content or not content[0].isalpha():
            return None
        if count == 1:
            return "", "", "", inner
        if "\n" in content:
            deeper = " " * (column + 1)
            for line in content.split("\n")[1:]:
                if not line.startswith(deeper) and line.strip(" "):
                    # The block ends above the key.
                    return "", "", "", inner
    if count != 2:
        return None
    after = pieces[1]
    line, _, below = after.partition("\n")
    word = line.removeprefix(" ")
    # With a line below that is not deeper, which would continue the word.
    if (
        (word.isalnum() or (word.replace("-", "").isalnum() and word[0] != "-"))
        and line[0] == " "
        and len(below) > inner
        and (below[inner].isalnum() or below[: inner + 1].strip())
    ):
        return f"{before}{outer}{between}{needle} ", word, below, inner
    return "", "", after, inner


def _needles_of(column: int, path: Path) -> _Needles | tuple[()]:
    """What `_cut` looks for, where children stand two columns deeper, as nearly everywhere.

    The parent's key behind a line break; its first character; the line break and margin in front of the children; the
    key behind these; its column. Nothing for other paths, and for a key that is no plain word in front of a colon.
    """
    found: _Needles | tuple[()] = ()
    if len(path) == 2:
        parent, key = path
        if isinstance(parent, str) and isinstance(key, str) and parent and key[:1].isalpha():
            inner = column + 2
            margin = "\n" + " " * inner
            found = f"\n{' ' * column}{parent}:", parent[0], margin, f"{margin}{key}:", inner
    if len(_NEEDLES) >= _MOST_NEEDLES:
        _NEEDLES.clear()
    _NEEDLES[column, path] = found
    return found


def _span_in_block(text: str, column: int, path: Path) -> tuple[int, int] | None:
    names = tuple([step for step in path if isinstance(step, str)])
    if not names or len(names) < len(path):
        return None
    found = block(text, column, names[:-1])
    return scalar_in(text, found, names[-1]) if found is not None else None


def block(text: str, column: int, path: tuple[str, ...]) -> tuple[int, int, int] | None:
    """(start, end, column of the keys) of the block mapping at `path`; None where it is absent or not plainly one."""
    start, end = 0, len(text)
    for name in path:
        start = _below(text, name, column, start, end)
        if start < 0:
            return None
        end = _block_end(text, start, column, end)
        column = _child_column(text, start, end)
        if column < 0:
            return None
    return start, end, column


def scalar_in(text: str, found: tuple[int, int, int], name: str) -> tuple[int, int] | None:
    """(start, end) of the scalar under `name` in a block mapping that `block` has found."""
    start, end, column = found
    line = _key_line(text, name, column, start, end)
    if line < 0:
        return None
    value = line + len(name) + 1
    stop = text.find("\n", value)
    return _value_span(text, value, stop if stop >= 0 else len(text), column, end)


def _below(text: str, name: str, column: int, start: int, end: int) -> int:
    """End of the line of the key `name` at `column`; -1 where there is none, several, or a value on that line."""
    line = _key_line(text, name, column, start, end)
    stop = line + len(name) + 1
    return stop if line >= 0 and text[stop : stop + 1] == "\n" else -1


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
    width = column + 1
    position = start
    while position < end:
        following = position + 1
        if following >= end:
            return end
        # What stands at `column` or left of it on the next line; nothing but blanks means that the line is deeper.
        margin = text[following : following + width].lstrip(" ")
        if margin and margin[0] != "\n":
            return position
        position = text.find("\n", following, end)
        if position < 0:
            return end
    return end


def _child_column(text: str, start: int, end: int) -> int:
    """Column of the first child line; -1 where it is not a plain key line."""
    position = start + 1
    while position < end:
        stop = text.find("\n", position, end)
        line = text[position : stop if stop >= 0 else end]
        content = line.lstrip(" ")
        if content and content[0] != "#":
            return len(line) - len(content) if content[0].isalpha() else -1
        if stop < 0:
            return -1
        position = stop + 1
    return -1


def _value_span(text: str, value: int, stop: int, column: int, end: int) -> tuple[int, int] | None:
    if value >= stop or text[value] != " ":
        return None
    start = value
    while start < stop and text[start] == " ":
        start += 1
    if start == stop or text[start] in _OPENERS:
        return None
    # A deeper line below, also one behind blank lines, would continue the scalar (or be a comment; the parser knows).
    below = stop + 1
    while below < end:
        margin = text[below : below + column + 1].lstrip(" ")
        if not margin:
            return None
        if margin[0] != "\n":
            break
        below = text.find("\n", below) + 1
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
