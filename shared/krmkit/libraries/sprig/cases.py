"""Letter case of words; camelcase, snakecase and kebabcase are those of huandu/xstrings 1.5."""

from __future__ import annotations

from collections.abc import Callable

from krmkit.libraries.go.core import text as unicode
from krmkit.libraries.go.core.limits import charge
from krmkit.libraries.go.core.values import encode

# Kinds of words that snakecase and kebabcase tell apart.
_NONE, _NUMBER, _UPPER, _ALPHABET, _CONNECTOR, _PUNCTUATION, _OTHER = range(7)
_INVALID = "\ufffd"


def to_title(text: str) -> str:
    """Put the first letter of each word in title case, and keep the rest (strings.Title)."""
    charge(len(text))
    out = []
    before = " "
    for char in unicode.runes(text):
        out.append(unicode.title(char) if _separates(before) else char)
        before = char
    return "".join(out)


def untitle(text: str) -> str:
    """Put the first letter of each word in lower case; only white space separates words."""
    charge(len(text))
    out = []
    fresh = True
    for char in unicode.runes(text):
        space = char in unicode.SPACES
        out.append(unicode.lower(char) if fresh and not space else char)
        fresh = space
    return "".join(out)


def swapcase(text: str) -> str:
    """Swap upper and lower case; a lower-case letter at the start of a word becomes title case."""
    charge(len(text))
    out = []
    space = True
    for char in unicode.runes(text):
        if unicode.is_upper(char) or unicode.category(char) == "Lt":
            out.append(unicode.lower(char))
            space = False
        elif unicode.is_lower(char):
            out.append(unicode.title(char) if space else unicode.upper(char))
            space = False
        else:
            out.append(char)
            space = char in unicode.SPACES
    return "".join(out)


def initials(text: str) -> str:
    """Return the first byte of each word as a rune, as goutils does."""
    charge(len(text))
    out = []
    gap = True
    for char in encode(text).decode("latin-1"):
        space = char in unicode.SPACES
        if gap and not space:
            out.append(char)
        gap = space
    return "".join(out)


def nospace(text: str) -> str:
    """Remove white space; if there is any, bytes beyond ASCII become runes, as in goutils."""
    charge(len(text))
    data = encode(text).decode("latin-1")
    kept = "".join(char for char in data if char not in unicode.SPACES)
    return text if len(kept) == len(data) else kept


def camelcase(text: str) -> str:
    """Turn `http_server` and `HTTP server` into HttpServer (ToPascalCase); connectors at the ends stay."""
    charge(len(text))
    chars = unicode.runes(text)
    body = chars.lstrip("-_" + "".join(unicode.SPACES))
    out = [chars[: len(chars) - len(body)]]
    if not body:
        # The original's loop writes the last connector twice.
        return chars + chars[-1:]
    first_upper = unicode.is_upper(body[0])
    current = unicode.upper(body[0])
    for char in body[1:]:
        before, current = current, char
        if _connects(before):
            if _connects(current):
                out.append(before)
                continue
            first_upper = unicode.is_upper(current)
            current = unicode.upper(current)
        else:
            if first_upper:
                if unicode.is_upper(current):
                    current = unicode.lower(current)
                else:
                    first_upper = False
            out.append(before)
    out.append(current)
    return "".join(out)


def snakecase(text: str) -> str:
    """Join the words in lower case with underscores (snakecase)."""
    return _split_case(text, "_")


def kebabcase(text: str) -> str:
    """Join the words in lower case with hyphens (kebabcase)."""
    return _split_case(text, "-")


def _separates(char: str) -> bool:
    if char.isascii():
        return not (char.isalnum() or char == "_")
    return char in unicode.SPACES


def _connects(char: str) -> bool:
    return char in "-_" or char in unicode.SPACES


def _alphabetic(char: str) -> bool:
    if not unicode.is_letter(char):
        return False
    return not (
        "\u4e00" <= char <= "\u9fcc" or "\u3400" <= char <= "\u4d85" or "\U00020000" <= char <= "\U0002b81d"
    )


def _punctuation(char: str) -> bool:
    return unicode.category(char).startswith("P")


def _number(char: str) -> bool:
    return unicode.category(char).startswith("N")


def _split_case(text: str, connector: str) -> str:
    """Join words in lower case by a connector; a number belongs to the letters around it."""
    charge(len(text) * 6)
    words = _Words(text)
    kind, word = words.take()
    out: list[str] = []
    while words.more():
        if kind != _CONNECTOR:
            out.append(_lowered(kind, word, connector))
        before, last = kind, word
        kind, word = words.take()
        if before == _NUMBER:
            kind, word = _follow(words, kind, word, connector, out)
        elif before == _CONNECTOR:
            out.append(_lowered(before, last, connector))
        elif before != _PUNCTUATION:
            if kind != _NUMBER:
                if kind not in (_CONNECTOR, _PUNCTUATION):
                    out.append(connector)
            elif words.more():
                number = word
                kind, word = words.take()
                if kind != _ALPHABET:  # the number ends a word: Bld4Floor is bld4_floor
                    out.append(number)
                    if kind not in (_CONNECTOR, _PUNCTUATION):
                        out.append(connector)
                else:  # it begins one: HTTP2xx is http_2xx
                    out.append(connector + number)
                    kind, word = _follow(words, kind, word, connector, out)
    out.append(_lowered(kind, word, connector))
    return "".join(out)


def _follow(words: _Words, kind: int, word: str, connector: str, out: list[str]) -> tuple[int, str]:
    """Write the lower-case letters and numbers after a number, and the connector after them."""
    while kind in (_ALPHABET, _NUMBER):
        out.append(word)
        kind, word = words.take()
    if kind not in (_NONE, _CONNECTOR, _PUNCTUATION):
        out.append(connector)
    return kind, word


def _lowered(kind: int, word: str, connector: str) -> str:
    if kind == _CONNECTOR:
        return "".join(connector if _connects(char) else char for char in unicode.runes(word))
    if kind == _UPPER:
        return "".join(
            unicode.lower(char) if unicode.is_upper(char) else char for char in unicode.runes(word)
        )
    return word


class _Words:
    """The words of a text: runs of numbers, capitals, letters, connectors, punctuation, others."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def more(self) -> bool:
        return self._at < len(self._text)

    def take(self) -> tuple[int, str]:
        text, start = self._text, self._at
        at = start
        while at < len(text) and _invalid(text[at]):  # invalid bytes go with what follows them
            at += 1
        if at == len(text):
            self._at = at
            return _NONE, text[start:at]
        first = text[at]
        at += 1
        if _connects(first):
            kind, at = _CONNECTOR, self._run(at, _connects)
        elif _punctuation(first):
            kind, at = _PUNCTUATION, self._run(at, _punctuation)
        elif unicode.is_upper(first):
            kind, at = _UPPER, self._capitals(at)
        elif _alphabetic(first):
            kind, at = _ALPHABET, self._run(at, _small)
        elif _number(first):
            kind, at = _NUMBER, self._run(at, _number)
        else:
            kind, at = _OTHER, self._run(at, _other)
        self._at = at
        return kind, text[start:at]

    def _run(self, at: int, belongs: Callable[[str], bool]) -> int:
        while at < len(self._text) and (_invalid(self._text[at]) or belongs(self._text[at])):
            at += 1
        return at

    def _capitals(self, at: int) -> int:
        text = self._text
        if at == len(text) or not unicode.is_upper(text[at]):
            return self._run(at, _small) if at < len(text) and _alphabetic(text[at]) else at
        end = self._run(at, unicode.is_upper)
        # In HTTPStatus the S begins the next word.
        return end - 1 if end < len(text) and _alphabetic(text[end]) else end


def _invalid(char: str) -> bool:
    return char == _INVALID or "\ud800" <= char <= "\udfff"


def _small(char: str) -> bool:
    return _alphabetic(char) and not unicode.is_upper(char)


def _other(char: str) -> bool:
    return not (_connects(char) or _alphabetic(char) or _number(char) or _punctuation(char))
