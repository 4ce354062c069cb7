"""Go's strings: bytes, runes, and case mapping of one rune to one rune.

Strings are Python `str`; an invalid UTF-8 byte (as when a rune is cut) is a lone surrogate, as in
`surrogateescape`.
"""

from __future__ import annotations

from collections.abc import Callable

from krmkit.libraries.go.core.limits import charge

SPACES = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
                   "\u2028\u2029\u202f\u205f\u3000")  # fmt: skip
"""unicode.IsSpace."""
SPACE_CHARS = "".join(SPACES)

_INVALID = "\ufffd"
_PIECE = 65536


def runes(text: str) -> str:
    """Return the characters that ranging over the string yields: U+FFFD for each invalid byte."""
    if text.isascii():
        return text
    charge(len(text))
    try:
        text.encode()
    except UnicodeEncodeError:
        return _mapped(_valid, text)
    return text


def _valid(char: str) -> str:
    return _INVALID if "\ud800" <= char <= "\udfff" else char


def _mapped(function: Callable[[str], str], text: str) -> str:
    """Map each character, one piece of the text at a time, because every mapped character is an object."""
    pieces = range(0, len(text), _PIECE)
    return "".join(["".join(map(function, text[at : at + _PIECE])) for at in pieces])


def upper(char: str) -> str:
    """unicode.ToUpper of one character."""
    mapped = char.upper()
    if len(mapped) == 1:
        return mapped
    # The full mapping is longer; a few letters (Greek with iota) have a simple one all the same.
    mapped = char.title()
    return mapped if len(mapped) == 1 else char


def lower(char: str) -> str:
    """unicode.ToLower of one character."""
    mapped = char.lower()
    return mapped if len(mapped) == 1 else mapped[0]


def title(char: str) -> str:
    """unicode.ToTitle of one character."""
    mapped = char.title()
    return mapped if len(mapped) == 1 else char


def category(char: str) -> str:
    """Return the Unicode general category, such as `Lu`."""
    import unicodedata

    return unicodedata.category(char)


def is_upper(char: str) -> bool:
    """unicode.IsUpper."""
    return "A" <= char <= "Z" if char.isascii() else category(char) == "Lu"


def is_lower(char: str) -> bool:
    """unicode.IsLower."""
    return "a" <= char <= "z" if char.isascii() else category(char) == "Ll"


def is_letter(char: str) -> bool:
    """unicode.IsLetter."""
    return category(char).startswith("L")


def to_upper(text: str) -> str:
    """strings.ToUpper."""
    return text.upper() if text.isascii() else _mapped(upper, runes(text))


def to_lower(text: str) -> str:
    """strings.ToLower."""
    return text.lower() if text.isascii() else _mapped(lower, runes(text))


def trim_space(text: str) -> str:
    """strings.TrimSpace."""
    return text.strip(SPACE_CHARS)
