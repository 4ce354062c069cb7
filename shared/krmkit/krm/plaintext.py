"""Judge a text without parsing it: whether its lines can be looked at, whether it is YAML, and scalars of one line.

Line-safe is a text in which no quote and no flow collection is open at the end of any line, the texts of literal blocks aside.
What is seen of its lines is in `krmkit.krm.itemlines`.
"""

from __future__ import annotations

from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml._libyaml import accepts
from krmkit.libraries.yaml.lines import ODD_BREAKS, all_close

# Aliases, directives, further documents, tabs, and what is a line break to some readers: only a parse can judge them.
_NOT_PLAIN = ("*", "%", "\n---", "\n...", "\t", "\r", "\ufeff", "\x85", "\u2028", "\u2029")

_ODD = frozenset(ODD_BREAKS + "\t\ufeff")
_ODD_SIGNS = frozenset(
    ("'", '"', "!", "&", "?", "")
)  # with which a line begins whose key is not written as a word


def is_line_safe(text: str) -> bool:
    """Whether a document begins with a key and leaves no quote and no flow collection open at any line's end.

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
    """Whether the parser certainly accepts a line-safe text; False if only a parse can decide. A tenth of the cost of a
    parse.

    libyaml accepts it, there are no aliases, and no mapping has a key twice: between two lines with one key at one column
    is a line left of it, other than a comment.
    """
    for sign in _NOT_PLAIN:
        if sign in text:
            return False
    plain = text.replace("- ", "  ").split("\n")
    heads = [line.partition(":")[0].rstrip() for line in plain if ":" in line or "?" in line]
    different = set(heads)
    if not _ODD_SIGNS.isdisjoint([head.lstrip(" ")[:1] for head in different]):
        return False
    lines = text.split("\n")
    if len(different) < len(heads) and _may_repeat_keys(plain, lines):
        return False
    if "{" in text and text.count("{") > text.count("${") and not all(map(_has_plain_keys, lines)):
        return False
    return accepts(text)


def _may_repeat_keys(plain: list[str], lines: list[str]) -> bool:
    """Whether a key may be in one mapping twice: no line left of it is between two lines with one key at one column.

    plain: the lines with blanks in the place of dashes.
    """
    heads: dict[str, int] = {}
    lefts: dict[
        int, tuple[int, int]
    ] = {}  # the last line left of a column, and up to where it was looked for
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
    """Whether all that may be keys in flow mappings of a line are plain, and different."""
    if "{" not in line or "," not in line:
        return True
    keys = [part.partition(":")[0].strip(" [}]") for part in line.replace("{", ",").split(",")[1:]]
    return len(set(keys)) == len(keys) and not any(key[:1] in _ODD_SIGNS for key in keys)


def plain_text(written: str) -> str:
    """The text of a scalar of one line without escapes, as it is written: `a` of `'a'`."""
    quote = written[0]
    if quote == "'":
        return written[1:-1].replace("''", "'")
    return written[1:-1] if quote == '"' else written


def restyled(old: str, value: str) -> str:
    """Another one-line text in the quotes of a scalar as it is written, which stays as it is if its value is the same."""
    quote = old[0]
    if quote in "\"'" and plain_text(old) == value:
        return old
    if quote == "'" and emit.is_printable(value):
        return "'" + value.replace("'", "''") + "'"
    return emit.double_quoted(value) if quote == '"' else emit.scalar(value, 0)


def stays_safe(old: str, new: str, is_last: bool) -> bool:
    """Whether a line-safe text is one still with another scalar in the place of one; `is_last`: nothing follows on its line.

    It is where the kind of scalar stays: plain, or quoted up to the end of its line; or where nothing follows.
    """
    return new[0] == old[0] or is_last or not {new[0], old[0]} & {"'", '"'}
