"""The form in which a text is edited: line feeds only, and no byte order mark."""

from __future__ import annotations

from krmkit.libraries.yaml.errors import YamlError, line_column

Splice = tuple[int, int, str]
"""Start, end, and the text that takes the place between them."""

_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@")
_BREAKS = {
    "\x85": "U+0085 (NEXT LINE)",
    "\u2028": "U+2028 (LINE SEPARATOR)",
    "\u2029": "U+2029 (PARAGRAPH SEPARATOR)",
}


def token(view: str, position: int) -> tuple[str, int, int]:
    """Return the next token between nodes: first character ("" at the end of the text), start and end.

    A comment, anchor or tag is one token. Example: `token(" &x a", 0)` is `("&", 1, 3)`.
    """
    size = len(view)
    while position < size and view[position] in " \t\n":
        position += 1
    if position == size:
        return "", size, size
    sign = view[position]
    end = position + 1
    if sign == "#":
        end = view.find("\n", position)
        end = size if end < 0 else end
    elif sign in "&!":
        stops = ">" if view.startswith("!<", position) else " \t\n,[]{}"
        while end < size and view[end] not in stops:
            end += 1
        end += stops == ">"
    return sign, position, end


def skip(view: str, position: int, signs: str) -> tuple[str, int, int]:
    """Return the next token between nodes that is not one of `signs`."""
    while True:
        found = token(view, position)
        if not found[0] or found[0] not in signs:
            return found
        position = found[2]


def is_word(text: str) -> bool:
    """Return True if the text can replace any plain scalar of one line."""
    return text[:1].isalnum() and text.isascii() and _SIGNS.issuperset(text) and text[-1] != ":"


def is_pair(text: str) -> bool:
    """Return True for an entry of two words, which fits any mapping: `team: shop`."""
    key, _, value = text.partition(": ")
    return is_word(key) and is_word(value) and ":" not in key + value


def gap(view: str, end: int) -> str:
    """Return a blank if a comment directly follows a value that ends at `end`, else ""."""
    return " " if view[end : end + 1] == "#" else ""


def plain_breaks(text: str) -> str:
    """Return the text with a final line break. Raises YamlError if readers disagree on its lines."""
    for sign, name in (*_BREAKS.items(), ("\r", "a carriage return without a line feed")):
        if sign in text:
            text = text.replace("\r\n", "\n")
            raise YamlError(
                f"the text holds {name}, which is a line break to some readers and not to others;"
                " write it as an escape in double quotes",
                *line_column(text, text.index(sign)),
            )
    return text if text.endswith("\n") or not text else text + "\n"


def apply(text: str, start: int, end: int, splices: list[Splice]) -> str:
    """Apply splices to `text[start:end]`; insertions at one place keep their order."""
    parts = []
    for begin, stop, new in sorted(splices, key=lambda splice: splice[:2]):
        if begin < start:
            continue  # it is inside of what went
        parts.append(text[start:begin])
        parts.append(new)
        start = stop
    parts.append(text[start:end])
    return "".join(parts)
