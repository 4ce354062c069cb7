"""Judge a text without parsing it: can its lines be read one by one, is it YAML, and scalars of one line.

Line-safe is a text in which no quote and no flow collection is open at the end of any line, except in literal
blocks. `krmkit.krm.itemlines` reads its lines.
"""

from __future__ import annotations

from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml._libyaml import accepts
from krmkit.libraries.yaml.lines import ODD_BREAKS, all_close

# Aliases, directives, further documents, tabs, and line breaks of some readers: only a parse can judge them.
_NOT_PLAIN = ("*", "%", "\n---", "\n...", "\t", "\r", "\ufeff", "\x85", "\u2028", "\u2029")

_ODD = frozenset(ODD_BREAKS + "\t\ufeff")
_ODD_SIGNS = frozenset(("'", '"', "!", "&", "?", ""))  # begin a line whose key is not written as a word
_ODD_HEADS = [f"\n{sign or chr(10)}" for sign in _ODD_SIGNS]


def is_line_safe(text: str) -> bool:
    """Return True if a text begins with a key and no line ends in an open quote or flow collection.

    False is always safe, and only costs time.
    """
    start = 0
    while text.startswith("#", start):
        start = text.find("\n", start) + 1
        if start == 0:
            return False
    if not text[start : start + 1].isalpha() or "\n..." in text or "\n---" in text:
        return False
    return not any(sign in text for sign in _ODD) and all_close(text)


def is_plainly_sound(text: str) -> bool:
    """Return True if the parser accepts a line-safe text, False if only a parse can tell.

    libyaml accepts it, there are no aliases, and no mapping has a key twice: between two lines with one key
    at one column is a line left of it, other than a comment.
    """
    if any(sign in text for sign in _NOT_PLAIN):
        return False
    plain = text.replace("- ", "  ").split("\n")
    heads = [line.partition(":")[0].rstrip() for line in plain if ":" in line or "?" in line]
    different = set(heads)
    begins = "\n".join(("", *different, "")).replace(" ", "")
    if any(odd in begins for odd in _ODD_HEADS):
        return False
    lines = text.split("\n")
    if len(different) < len(heads) and _may_repeat_keys(plain, lines):
        return False
    if not all(_has_plain_keys(line) for line in lines if "{" in line and "," in line):
        return False
    return accepts(text)


def _may_repeat_keys(plain: list[str], lines: list[str]) -> bool:
    """Return True if two lines have one key at one column and no line left of them in between.

    plain: the lines, with dashes replaced by blanks.
    """
    heads: dict[str, int] = {}
    lefts: dict[int, tuple[int, int]] = {}  # the last line left of a column, and the last line searched
    for number, line in enumerate(plain):
        head, colon, _ = line.partition(":")
        if not colon and "?" not in head:
            continue
        head = head.rstrip()
        before = heads.get(head)
        heads[head] = number
        if before is None or head.lstrip(" ")[:1] == "#":
            continue
        column = len(head) - len(head.lstrip(" "))
        left, end = lefts.get(column, (-1, -1))
        for each in range(number, max(end, before), -1):
            content = lines[each].lstrip(" ")
            if content and content[0] != "#" and len(lines[each]) - len(content) < column:
                left = each
                break
        lefts[column] = left, number
        if left <= before:
            return True
    return False


def _has_plain_keys(line: str) -> bool:
    """Return True if all flow-mapping keys on the line are unquoted and distinct."""
    keys = [part.partition(":")[0].strip(" [}]") for part in line.replace("{", ",").split(",")[1:]]
    return len(set(keys)) == len(keys) and not any(key[:1] in _ODD_SIGNS for key in keys)


def plain_text(written: str) -> str:
    """Return the value of a one-line scalar without escapes: `'a'` gives `a`."""
    quote = written[0]
    if quote == "'":
        return written[1:-1].replace("''", "'")
    return written[1:-1] if quote == '"' else written


def restyled(old: str, value: str) -> str:
    """Write another one-line text in a scalar's quotes; a scalar with that value stays as it is."""
    quote = old[0]
    if quote in "\"'" and plain_text(old) == value:
        return old
    if quote == "'" and emit.is_printable(value):
        return "'" + value.replace("'", "''") + "'"
    return emit.double_quoted(value) if quote == '"' else emit.scalar(value, 0)


def stays_safe(old: str, new: str, is_last: bool) -> bool:
    """Return True if replacing the scalar `old` by `new` keeps a text line-safe.

    This holds if the style stays (plain, or quoted to the end of its line) or if nothing follows. `is_last`:
    the scalar ends its line.
    """
    return new[0] == old[0] or is_last or not {new[0], old[0]} & {"'", '"'}
