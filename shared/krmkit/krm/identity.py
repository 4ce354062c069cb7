"""Judge a text without parsing it: the value of a scalar of one line, words that it can contain, whether it is YAML at all.

Line-safe is a text in which no quote and no flow collection is open at the end of any line, the texts of literal blocks aside.
What is seen of its lines is in `krmkit.krm.itemlines`.
"""

from __future__ import annotations

from krmkit.libraries.yaml import emit
from krmkit.libraries.yaml._libyaml import accepts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Protocol, TypeVar

    class Texted(Protocol):
        """An object with a text."""

        @property
        def text(self) -> str: ...

    T = TypeVar("T", bound=Texted)

# Aliases, directives, further documents, tabs, and what is a line break to some readers: only a parse can judge them.
_NOT_PLAIN = ("*", "%", "\n---", "\n...", "\t", "\r", "\ufeff", "\x85", "\u2028", "\u2029")

_NOT_A_KEY = ("'", '"', "!", "&", "?", "")
_ODD_SIGNS = frozenset("'\"!&?")  # with which a line begins whose key is not written as a word


def is_plainly_sound(text: str) -> bool:
    """Whether the parser certainly accepts a line-safe text; False if only a parse can decide. A tenth of the cost of a
    parse.

    libyaml accepts it, there are no aliases, and no mapping has a key twice: a mapping's keys are at one column, with
    only comments left of it between two of them.
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
        if key[:1] == "?":
            return False  # a key whose colon may be on another line
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
    if " :" in text or "\n:" in text or text.count("{") > text.count("${"):
        return False  # blanks behind a key, and keys that share a line
    heads = [line.partition(":")[0] for line in text.replace("- ", "  ").split("\n") if line]
    if len(set(heads)) < len(heads):
        return False
    written = "".join(heads)
    if "'" in written or '"' in written or "!" in written or "&" in written or "?" in written:
        return _ODD_SIGNS.isdisjoint([head.lstrip(" ")[:1] for head in heads])
    return True


def _has_plain_keys(line: str) -> bool:
    """Whether all that may be keys in flow mappings of a line are plain, and different."""
    keys = [part.partition(":")[0].strip(" [}]") for part in line.replace("{", ",").split(",")[1:]]
    return len(set(keys)) == len(keys) and not any(key[:1] in _NOT_A_KEY for key in keys)


def plain_text(content: str) -> str | None:
    """The text of a scalar of one line, as it is written; None where escapes need the parser."""
    if content[0] == "'":
        return content[1:-1].replace("''", "'")
    if content[0] == '"':
        return None if "\\" in content else content[1:-1]
    return content


def restyled(old: str, value: str, column: int) -> str:
    """Another one-line text in the quotes of a scalar as it is written, which stays as it is if its value is the same."""
    quote = old[0]
    if quote in "\"'" and plain_text(old) == value:
        return old
    if quote == "'" and emit.is_printable(value):
        return "'" + value.replace("'", "''") + "'"
    return emit.double_quoted(value) if quote == '"' else emit.scalar(value, column)


def stays_safe(old: str, new: str, is_last: bool) -> bool:
    """Whether a line-safe text is one still with another scalar in the place of one; `is_last`: nothing follows on its line.

    It is where the kind of scalar stays: plain, or quoted up to the end of its line; or where nothing follows.
    """
    return new[0] == old[0] or is_last or not {new[0], old[0]} & {"'", '"'}


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
