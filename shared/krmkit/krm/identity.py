"""What is seen of a resource without parsing it: scalars of its top level and its metadata, and words that it can hold.

Scalars only of line-safe items: no quote and no flow collection is open at the end of any line. Then a line that starts at the
column of the item's keys is a key line, because block scalars and continued plain scalars must stand deeper, and the same
holds for a mapping's children within its lines. Whatever is not plainly simple (anchors, tags, aliases, block scalars,
continued lines, a key that stands twice) is left to the parser: the answer is None.
"""

from __future__ import annotations

from krmkit.yaml import emit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Protocol, TypeVar

    class Texted(Protocol):
        """What has a text."""

        @property
        def text(self) -> str: ...

    T = TypeVar("T", bound=Texted)

_OPENERS = frozenset("&*!|>{[@`%?\t")

Block = tuple[int, int, int]
"""Start and end of the lines of a block mapping, and the column of its keys."""


def block(text: str, column: int, path: tuple[str, ...]) -> Block | None:
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


def scalar_in(text: str, found: Block, name: str) -> tuple[int, int] | None:
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


def restyled(text: str, span: tuple[int, int], value: str, column: int) -> str:
    """Another one-line text in the quotes of the scalar at `span`, which stays as it is if it says the same."""
    old = text[span[0] : span[1]]
    if old[0] in "\"'" and plain_text(text, span) == value:
        return old
    if old[0] == "'" and emit.is_printable(value):
        return "'" + value.replace("'", "''") + "'"
    return emit.double_quoted(value) if old[0] == '"' else emit.scalar(value, column)


def holding(resources: Iterable[T], word: str) -> Iterator[tuple[int, T]]:
    """Position and resource of all in which a word can occur: some too many, never one too few."""
    for position, resource in enumerate(resources):
        text = resource.text
        if word in text or may_hide(text) or "*" in text:
            yield position, resource


def may_hide(text: str) -> bool:
    """Whether an escape or binary data in a text can stand for a word that is not in it. (Aliases can as well.)"""
    if "\\" in text and any(f"\\{sign}" in text for sign in "xuU\n\r"):
        return True
    return "!" in text and "!!binary" in text
