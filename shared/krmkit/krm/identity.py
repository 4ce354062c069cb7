"""What is seen of a resource without parsing it: scalars of its top level and its metadata, and words that it can hold.

Scalars only of line-safe items: no quote and no flow collection is open at the end of any line, the texts of literal blocks
aside. Then a line that starts at the column of the item's keys is a key line, because block scalars and continued plain scalars
must stand deeper, and the same holds for a mapping's children within its lines. Whatever is not plainly simple (anchors, tags, aliases, block scalars,
continued lines, a duplicate key) is left to the parser: the answer is None.
"""

from __future__ import annotations

from krmkit.yaml import emit
from krmkit.yaml._libyaml import accepts

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
# Aliases, directives, further documents, tabs, and what is a line break to some readers: only a parse can judge them.
_NOT_PLAIN = ("*", "%", "\n---", "\n...", "\t", "\r", "\ufeff", "\x85", "\u2028", "\u2029")

_NOT_A_KEY = ("'", '"', "!", "&", "?", "")
_ODD_KEYS = ("<<", "*", "!", "?", "&")  # how keys begin that are not written as a word
_ODD_LINES = frozenset(("'", '"', "!", "&", "?", ":"))  # how lines begin whose key is not

Block = tuple[int, int, int]
"""Start and end of the lines of a block mapping, and the column of its keys."""


def block(text: str, column: int, path: tuple[str, ...]) -> Block | None:
    """(start, end, column of the keys) of the block mapping at `path`; None where it is absent or not plainly one."""
    found: Block | None = (0, len(text), column)
    for name in path:
        found = block_in(text, found, name) if found is not None else None
    return found


def block_in(text: str, found: Block, name: str) -> Block | None:
    """The block mapping under `name` in one that `block` has found; None where it is absent or not plainly one."""
    start, end, column = found
    start = _below(text, name, column, start, end)
    if start < 0:
        return None
    end = _block_end(text, start, column, end)
    column = _child_column(text, start, end)
    return (start, end, column) if column >= 0 else None


def scalar_in(text: str, found: Block, name: str) -> tuple[int, int] | None:
    """(start, end) of the scalar under `name` in a block mapping that `block` has found."""
    start, end, column = found
    line = _key_line(text, name, column, start, end)
    if line < 0:
        return None
    value = line + len(name) + 1
    stop = text.find("\n", value)
    return _value_span(text, value, stop if stop >= 0 else len(text), column, end)


def span_in_line(text: str, value: int, stop: int, column: int) -> tuple[int, int] | None:
    """(start, end) of the scalar behind a colon at `value`, for a key at `column`; None where it is not plainly one of one line."""
    return _value_span(text, value, stop, column, len(text))


def lacks_key(text: str, found: Block, name: str) -> bool:
    """Whether a block mapping plainly has no key `name`: no line is that key, and no key is written in another way."""
    start, end, column = found
    line = "\n" + " " * column
    if text.find(name, start, end) >= 0:
        if text.find(f"{line}{name}:", start, end) >= 0 or (start == 0 and text.startswith(name)):
            return False
        if any(text.find(line + sign, start, end) >= 0 for sign in ("'", '"', name)):
            return False
    if text.find("\\", start, end) >= 0 and text.find(line + '"', start, end) >= 0:
        return False
    body = text[start:end]
    odd = [sign for sign in _ODD_KEYS if sign in body]
    return not any(line + sign in body for sign in odd)


def ends_plainly(text: str, found: Block) -> bool:
    """Whether another key can follow the last line of a block mapping: the line is neither blank nor a comment.

    Whatever it is, a key at the mapping's own column ends it: no quote and no flow collection is open there.
    """
    start, end, _ = found
    stop = end - 1 if text[end - 1] == "\n" else end
    line = text.rfind("\n", 0, stop) + 1
    content = text[line:stop].lstrip(" ")
    return line > start and bool(content) and content[0] != "#"


def entry_scalars(text: str, found: Block, name: str, key: str) -> list[tuple[int, int] | None] | None:
    """The places of the scalars under `key` in the entries of the block list under `name`, None for an entry without.

    The whole is None where that is not plain to see: the list is absent, or holds anything but block mappings.
    """
    start, end, column = found
    position = _below(text, name, column, start, end)
    if position < 0:
        return None
    spans: list[tuple[int, int] | None] = []
    dash = inside = -1
    while position + 1 < end:
        line = position + 1
        position = text.find("\n", line, end)
        if position < 0:
            position = end
        content = text[line:position].lstrip(" ")
        at = position - len(content)
        if not content or content[0] == "#":
            continue
        if dash < 0 and content.startswith("- ") and at - line >= column:
            dash = at - line
        if at - line < dash or (at - line == dash and not content.startswith("- ")):
            return spans if dash >= 0 else None
        if dash < 0:
            return None
        if at - line == dash:
            inner = content[2:].lstrip(" ")
            at = position - len(inner)
            inside = at - line
            if not inner[:1].isalpha() or (not inner.startswith(key + ":") and ":" not in inner):
                return None
            spans.append(None)
        elif at - line < inside:
            return None
        elif at - line > inside:
            continue
        if text.startswith(key + ":", at):
            span = _value_span(text, at + len(key) + 1, position, inside, end)
            if span is None or spans[-1] is not None:
                return None
            spans[-1] = span
        elif not text[at].isalpha() and text[at] != "-":
            return None
    return spans


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
    """End of the lines below the key at `column` whose line ends at `start`.

    A comment at `column` or left of it ends nothing: what is deeper behind it belongs to the key still.
    """
    width = column + 1
    position = start
    comments = -1  # the end of the block if only comments and blank lines follow
    while position < end:
        following = position + 1
        if following >= end:
            break
        # The text at `column` or left of it on the next line; nothing but blanks means that the line is deeper.
        margin = text[following : following + width].lstrip(" ")
        if margin and margin[0] == "#":
            comments = position if comments < 0 else comments
        elif margin and margin[0] != "\n":
            return position if comments < 0 else comments
        position = text.find("\n", following, end)
        if comments >= 0:
            line = text[following : position if position >= 0 else end].lstrip(" ")
            comments = comments if not line or line[0] == "#" else -1
        if position < 0:
            break
    return end if comments < 0 else comments


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


def is_plainly_sound(text: str) -> bool:
    """Whether the parser surely reads a line-safe text; False where only the parser can tell. A tenth of the cost of a parse.

    libyaml accepts it, there are no aliases, and no mapping has a key twice: a mapping's keys stand at one column, and nothing
    but a comment stands left of it between two of them.
    """
    for sign in _NOT_PLAIN:
        if sign in text:
            return False
    if _all_keys_differ(text):
        return accepts(text)
    # The keys so far of the mappings around a line, by their columns, from the left.
    columns: list[int] = []
    keys: list[set[str]] = []
    for line in text.split("\n"):
        content = line.lstrip(" ")
        if not content or content[0] == "#":
            continue
        column = len(line) - len(content)
        while columns and columns[-1] > column:
            columns.pop()
            keys.pop()
        if "{" in content and "," in content and not _has_plain_keys(content):
            return False
        while content[:2] == "- ":
            content = content[1:].lstrip(" ")
            column = len(line) - len(content)
        key, colon, _ = content.partition(":")
        if not colon:
            continue
        if key[:1] in _NOT_A_KEY:
            return False
        if not columns or columns[-1] < column:
            columns.append(column)
            keys.append({key.rstrip()})
        elif key.rstrip() in keys[-1]:
            return False
        else:
            keys[-1].add(key.rstrip())
    return accepts(text)


def _all_keys_differ(text: str) -> bool:
    """Whether no two lines begin alike up to their colon, so that no mapping has a key twice; most resources are like that."""
    if " :" in text or "{" in text.replace("${", ""):
        return False  # blanks behind a key, and keys that share a line
    lines = [line.partition(":")[0] for line in text.replace("- ", "  ").split("\n") if line]
    return len(set(lines)) == len(lines) and _ODD_LINES.isdisjoint([line.lstrip(" ")[:1] for line in lines])


def _has_plain_keys(line: str) -> bool:
    """Whether all that may be keys in flow mappings of a line are plain, and different."""
    keys = [part.partition(":")[0].strip(" [}]") for part in line.replace("{", ",").split(",")[1:]]
    return len(set(keys)) == len(keys) and not any(key[:1] in _NOT_A_KEY for key in keys)


def plain_text(text: str, span: tuple[int, int]) -> str | None:
    """The decoded content of a span from `scalar_span`; None where escapes need the parser."""
    content = text[span[0] : span[1]]
    if content[0] == "'":
        return content[1:-1].replace("''", "'")
    if content[0] == '"':
        return None if "\\" in content else content[1:-1]
    return content


def restyled(text: str, span: tuple[int, int], value: str, column: int) -> str:
    """Another one-line text in the quotes of the scalar at `span`, which stays as it is if its value is the same."""
    old = text[span[0] : span[1]]
    if old[0] in "\"'" and plain_text(text, span) == value:
        return old
    if old[0] == "'" and emit.is_printable(value):
        return "'" + value.replace("'", "''") + "'"
    return emit.double_quoted(value) if old[0] == '"' else emit.scalar(value, column)


def stays_safe(text: str, span: tuple[int, int], new: str) -> bool:
    """Whether a line-safe text is one still with another scalar at a span.

    It is where the kind of scalar stays: plain, or quoted up to the end of its line; or where nothing follows.
    """
    start, end = span
    return new[0] == text[start] or text[end : end + 1] == "\n" or not {new[0], text[start]} & {"'", '"'}


def holding(resources: Iterable[T], word: str) -> Iterator[tuple[int, T]]:
    """Position and resource of all in which a word can occur: some too many, never one too few."""
    for position, resource in enumerate(resources):
        text = resource.text
        if word in text or may_hide(text) or "*" in text:
            yield position, resource


def may_hide(text: str) -> bool:
    """Whether an escape or binary data in a text can mean a word that does not occur in it. (Aliases can as well.)"""
    if "\\" in text and any(f"\\{sign}" in text for sign in "/xuUNLP_\n\r"):
        return True
    return "!" in text and "!!binary" in text
