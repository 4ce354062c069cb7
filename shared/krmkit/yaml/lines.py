"""Proof, line by line, that an item leaves no quote and no flow collection open at any line's end.

For items that the count of quotes and brackets (`krmkit.yaml.split`) says nothing about: `{a: b}` and `'x' # note`
are everyday YAML. By induction over the lines: where nothing is open at a line's start, the line is a comment, text of
a block scalar, or dashes, a key and a value that begins as looked at here; whatever of these it is, nothing is open at
its end if the value closes on the line.
"""

from __future__ import annotations

ODD_BREAKS = "\r\x85\u2028\u2029"
"""Line breaks to YAML 1.1 beside "\n"."""

# A value that begins with one of these is a plain one.
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./$<(+~\\^;=")

_CLOSING = {"{": "}", "[": "]"}
# What may open something inside a flow collection, or hide what does.
_SIGNS = frozenset("{}[]'\"#!&*\\")

# The parser reads long lines faster than a loop over their signs.
_LONG = 2000


def first_open(text: str, sign: str, position: int, closed: set[str]) -> int:
    """Offset of the first of these signs (one of `'"{[`), from `position` on, that may leave something open at the end of
    its line; -1 where none does.

    Of the other signs it must be known as well, line by line. Also an offset where it cannot be told quickly. `closed`
    holds lines that were looked at as a whole, and gets more of them: many come again and again.
    """
    closing = _CLOSING.get(sign)
    position = text.find(sign, position)
    while position >= 0:
        end = text.find("\n", position)
        if end < 0:
            end = len(text)
        # A bracket whose line ends with its counterpart, and with nothing of interest between: whatever the two
        # are, text or collection, nothing stays open because of them.
        if text[end - 1] != closing or not _SIGNS.isdisjoint(text[position + 1 : end - 1]):
            line = text[text.rfind("\n", 0, position) + 1 : end]
            if line not in closed:
                if not _closes(line):
                    return position
                closed.add(line)
        position = text.find(sign, end)
    return -1


def all_close(text: str, signs: str) -> bool:
    """Whether no quote or bracket among `signs` leaves anything open at the end of its line; see `first_open`."""
    closed: set[str] = set()
    return all(first_open(text, sign, 0, closed) < 0 for sign in signs)


def _closes(line: str) -> bool:
    content = line.lstrip(" ")
    while content.startswith("- "):
        content = content[2:].lstrip(" ")
    if content[0] in PLAIN:
        key, colon, value = content.partition(": ")
        if not colon or " #" in key:
            # Plain text to its end: quotes and brackets in it open nothing.
            return not content.endswith(":")
        content = value.lstrip(" ")
        if not content or content[0] in PLAIN:
            return True
    first = content[0]
    if first == "#":
        return True
    if first == "'" or first == '"':
        return _quoted(content, first)
    if first == "{" or first == "[":
        return _flow(content)
    # A block scalar's header, or a negative number; anchors, tags and explicit keys are for the parser.
    return first in "|>-" and not any(mark in content for mark in "'\"{[")


def _quoted(content: str, quote: str) -> bool:
    end = content.find(quote, 1)
    if end < 0 or content[end + 1 : end + 2] == quote or (quote == '"' and "\\" in content[:end]):
        return False
    rest = content[end + 1 :].strip(" ")
    return not rest or (rest[0] == "#" and content[end + 1] == " ")


def _is_everyday(content: str) -> bool:
    """Whether it is one flat collection of plain texts, `{a: b}`, or a list of quoted ones, `["a", "b"]`."""
    if content[-1] != _CLOSING[content[0]]:
        return False
    inside = content[1:-1]
    if _SIGNS.isdisjoint(inside):
        return True
    if content[0] == "[" and len(inside) > 1 and inside[0] == inside[-1] and inside[0] in "\"'":
        quote = inside[0]
        texts = inside[1:-1].replace(f"{quote}, {quote}", "")
        return quote not in texts and (quote == "'" or "\\" not in texts)
    return False


def _flow(content: str) -> bool:
    """One flow collection that closes on this line, with nothing behind it but a comment.

    Read in order, sign by sign: a quote opens a text only where no plain text can be in progress, so one that stands
    anywhere else (`a:'x'` is plain text up to the next `: `) is a matter for the parser, as are escapes and anchors.
    """
    if _is_everyday(content.rstrip(" ")):
        return True
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
            # An escaped quote ('') goes on; after the text comes a sign of the collection.
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
