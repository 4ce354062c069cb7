"""Prove, line by line, that no quote and no flow collection of an item is open at any line's end.

By induction over the lines: if nothing is open at a line's start, the line is a comment, text of a block
scalar, or dashes, a key and a value whose start is checked here. In each case nothing is open at its end if
the value closes on the line. A line without quotes and brackets opens nothing, and neither does any line of a
literal block, such as the JSON under `pack.json: |`.
"""

from __future__ import annotations

ODD_BREAKS = "\r\x85\u2028\u2029"
"""Line breaks to YAML 1.1 beside "\n"."""

# A value that begins with one of these is a plain one.
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./$<(+~\\^;=")

# All bytes except these characters, line breaks, tabs, and control characters that no reader accepts.
_OTHERS = bytes(set(range(0x20, 256)) - set(b"{}[]'\"#!&*\\"))
# Characters that open nothing.
_IDLE = b"}]#!&*\\"
_ENDS = {b"''": "'", b'""': '"', b"{}": "}", b"[]": "]"}

_KEY_SIGNS = PLAIN - frozenset("$<(+~\\^;=") | {"-"}
_LITERALS = (": |", ": |-", ": |+")

# The parser reads long lines faster than a loop over their characters.
_LONG = 2000


def opening(text: str, lines: list[str]) -> list[int]:
    """Return the numbers of lines that may end in an open quote or bracket, or have control characters.

    `''`, `""`, `{}` or `[]` at the end of a line closes on that line and needs no check: empty brackets leave
    nothing open, whether text or collection. A second quote ends the text of the first, or is text as the
    first is: a quote opens a text only after a blank, so the second one must not follow a blank.
    """
    ends = _ENDS
    signs_of = text.encode("utf-8", "surrogatepass").translate(None, _OTHERS).split(b"\n")
    # Many lines come again and again.
    marked = {line: signs for line, signs in zip(lines, signs_of, strict=True) if signs}
    found = {
        line
        for line, signs in marked.items()
        if (line[-1] != ends.get(signs) or line[-2] == " ")
        and signs.strip(_IDLE)
        and (min(signs) < 0x20 or not closes(line))
    }
    return (
        [number for number, signs in enumerate(signs_of) if signs and lines[number] in found] if found else []
    )


def outside_literals(lines: list[str], numbers: list[int]) -> list[int]:
    """Return the (sorted) line numbers that are surely outside literal blocks below plain keys.

    Lines have their whole indentation. A block ends before the first line indented less than its first line.
    Example: of `["x: |", "  {", "y: {"]` and `[1, 2]` only line 2 can open anything.
    """
    left: list[int] = []
    following = end = 0  # the next line that may be a block's header; where the last block ended
    for number in numbers:
        while following < number:
            if lines[following].endswith(_LITERALS) and _is_literal_header(lines[following]):
                following = end = _literal_end(lines, following)
            else:
                following += 1
        line = lines[number]
        if number >= end or not (line.isprintable() or min(line.replace("\t", " ")) >= " "):
            left.append(number)
    return left


def _is_literal_header(line: str) -> bool:
    """Return True if a line that ends like a header is a plain key with a literal block.

    Example: `  a.yaml: |`.
    """
    key = line[_key_column(line) : line.rindex(": |")]
    return key[:1].isalpha() and _KEY_SIGNS.issuperset(key)


def _key_column(line: str) -> int:
    """Return the column of a line's key, after blanks and dashes."""
    content = line.lstrip(" ")
    while content.startswith("- "):
        content = content[2:].lstrip(" ")
    return len(line) - len(content)


def _literal_end(lines: list[str], header: int) -> int:
    """Return the number of the first line after the literal block of a header."""
    pad = ""
    for number in range(header + 1, len(lines)):
        line = lines[number]
        if pad and line.startswith(pad):
            continue
        content = line.lstrip(" ")
        if not content:
            continue
        if pad:
            return number
        depth = len(line) - len(content)
        if depth <= _key_column(lines[header]):
            return number
        pad = " " * depth
    return len(lines)


def all_close(text: str) -> bool:
    """Return True if no line ends with an open quote or bracket, or has a tab outside of literals."""
    lines = text.split("\n")
    return not outside_literals(lines, opening(text, lines))


def closes(line: str) -> bool:
    """Return True if a line surely leaves nothing open at its end, if nothing is open at its start."""
    place = len(line) - len(line.lstrip(" "))
    while line.startswith("- ", place):
        place += 2
        while line.startswith(" ", place):
            place += 1
    content = line[place:]
    first = content[:1]
    if first in PLAIN or first.isalpha():
        key, colon, value = content.partition(": ")
        if not colon or " #" in key:
            # Plain text to its end: quotes and brackets in it open nothing.
            return not content.endswith(":")
        content = value.lstrip(" ")
        first = content[:1]
        if not content or first in PLAIN:
            return True
    if first == "#":
        return True
    if first == "'" or first == '"':
        return _quoted(content, first)
    if first == "{" or first == "[":
        return _flow(content)
    # A block scalar's header, or a negative number; anchors, tags and explicit keys are for the parser.
    return first in ("|", ">", "-") and not any(mark in content for mark in "'\"{[")


def _quoted(content: str, quote: str) -> bool:
    end = content.find(quote, 1)
    if end < 0 or content[end + 1 : end + 2] == quote or (quote == '"' and "\\" in content[:end]):
        return False
    rest = content[end + 1 :].strip(" ")
    return not rest or (rest[0] == "#" and content[end + 1] == " ")


def _flow(content: str) -> bool:
    """Return True for a flow collection that closes on this line, followed by at most a comment.

    Read character by character: a quote opens a text only outside a plain text, so a quote anywhere else
    (`a:'x'` is plain text up to the next `: `) is left to the parser, as are escapes and anchors.
    """
    if len(content) > _LONG:
        return False
    depth = 0
    position = 0
    fresh = True  # a value or key begins here, and not in the middle of a plain text
    while position < len(content):
        sign = content[position]
        if sign == "'" or sign == '"':
            end = content.find(sign, position + 1)
            if not fresh or end < 0 or (sign == '"' and "\\" in content[position:end]):
                return False
            position = end + 1
            following = position
            while content[following : following + 1] == " ":
                following += 1
            after = content[following : following + 1]
            # An escaped quote ('') continues the text; after the text comes an indicator of the collection.
            if after == "" or after not in ",:]}":
                return False
            if after == ":":
                # Behind a quoted key the colon needs no blank.
                position = following + 1
            continue
        position += 1
        if sign == "{" or sign == "[":
            depth += 1
            fresh = True
        elif sign == "}" or sign == "]":
            depth -= 1
            fresh = False
            if depth == 0:
                rest = content[position:].strip(" ")
                return not rest or (rest[0] == "#" and content[position] == " ")
        elif sign == ",":
            fresh = True
        elif sign == ":":
            fresh = content[position : position + 1] == " "
        elif sign == "#" or (fresh and sign in "!&*"):
            return False
        elif sign != " ":
            fresh = False
    return False


def may_hide(text: str) -> bool:
    """Return True if escapes or binary data may stand for a word that the text does not contain."""
    if "\\" in text and any(f"\\{sign}" in text for sign in "/xuUNLP_\n\r"):
        return True
    return "!" in text and "!!binary" in text


def shift(text: str, old: int, new: int) -> str:
    r"""Move lines from column `old` to `new`; a line with less indentation moves as far as possible.

    Example: `shift("a\n  b", 0, 2)` is `"  a\n    b"`.
    """
    if old == new:
        return text
    if new > old:
        pad = " " * (new - old)
        if "\n\n" not in text and text[:1] not in ("", "\n"):
            # Most texts have no empty line, which would get no blanks: one replacement is five times faster.
            moved = pad + text.replace("\n", "\n" + pad)
            return moved.removesuffix(pad) if text.endswith("\n") else moved
        return "\n".join([pad + line if line else line for line in text.split("\n")])
    surplus = " " * (old - new)
    return "\n".join(
        [line[old - new :] if line.startswith(surplus) else line.lstrip(" ") for line in text.split("\n")]
    )


def line_fed(text: str) -> str:
    """Return the text without a byte order mark, and with line feeds only.

    A text with a carriage return that no line feed follows keeps its line ends.
    """
    text = text.lstrip("\ufeff")
    if "\r" in text and text.count("\r") == text.count("\r\n"):
        return text.replace("\r\n", "\n")
    return text


def given_offsets(given: str, text: str, offsets: list[int]) -> list[int]:
    """Return the offsets in `given` of sorted offsets in `text`, its line-fed form."""
    moved = len(given) - len(given.lstrip("\ufeff"))
    if len(given) - moved == len(text):
        return [offset + moved for offset in offsets]
    found = []
    position = given.find("\r\n")
    for offset in offsets:
        while 0 <= position < offset + moved:
            moved += 1
            position = given.find("\r\n", position + 2)
        found.append(offset + moved)
    return found
