"""Replace macros in texts by words, so that a text with macros is YAML, and find their references."""

from __future__ import annotations

import re

MACRO = re.compile(r"\{\{[^{}\n]*\}\}")
# The group and the name of a macro's reference.
REFERENCE = re.compile(r"\.spectro\.(system|macro|var|pack)\.([A-Za-z0-9_.-]*[A-Za-z0-9_])")
_WORD = re.compile(r"M(0|[1-9][0-9]{0,8})x+")  # the placeholder of a macro


def without_macros(text: str, words: dict[str, str] | None = None) -> tuple[str, dict[str, str]]:
    """Return a text with a word of the same length for each macro, so that it is YAML, and the words.

    `words`: those of other texts. Example: `without_macros("a: {{x}}") == ("a: M0xxx", {"{{x}}": "M0xxx"})`.
    """
    words = {} if words is None else words

    def word(match: re.Match[str]) -> str:
        return words.setdefault(match[0], _word(len(words), match[0]))

    return (MACRO.sub(word, text) if "{{" in text else text), words


def with_macros(text: str, macros: list[str]) -> str:
    """Put the macros of `without_macros` back: `with_macros("M0xxx", ["{{x}}"]) == "{{x}}"`."""

    def macro(match: re.Match[str]) -> str:
        number = int(match[1])
        if number >= len(macros):
            return match[0]
        word = _word(number, macros[number])
        # The text after the word may begin with an x.
        return macros[number] + match[0][len(word) :] if match[0].startswith(word) else match[0]

    return _WORD.sub(macro, text) if macros else text


def _word(number: int, macro: str) -> str:
    return f"M{number}x".ljust(len(macro), "x")
