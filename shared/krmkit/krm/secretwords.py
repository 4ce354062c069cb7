"""Secrets that look like words of krmkit's own: where one stands in a message, and where it is a part of another word.

A message is krmkit's words with values in it. To strike the secret "blue" out of "blueprint" would tell it.
"""

from __future__ import annotations

SECRET = "(secret)"
_INSIDE = 8  # characters from which on a text of letters is no part of krmkit's own words


def is_plain_word(secret: str) -> bool:
    """Whether a text is short and of letters only, so that it may be a part of a word of krmkit's: "blue" in "blueprint"."""
    return len(secret) < _INSIDE and secret.isalpha()


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether no letter and no digit stands right before or after `text[start:end]`."""
    return not (text[max(start - 1, 0) : start].isalnum() or text[end : end + 1].isalnum())


def struck(text: str, secret: str) -> str:
    """The text with `(secret)` for a plain word where it stands alone: `struck("blueprint blue", "blue")` keeps the first."""
    found: list[str] = []
    start = place = 0
    while (place := text.find(secret, place)) >= 0:
        end = place + len(secret)
        if stands_alone(text, place, end):
            found += [text[start:place], SECRET]
            start = end
        place = end
    return "".join([*found, text[start:]])
