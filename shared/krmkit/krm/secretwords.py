"""Words around secrets: names of secrets in a resource, and secrets that look like krmkit's own words.

Messages consist of krmkit's words and values: masking the secret "blue" in "blueprint" would reveal it.
"""

from __future__ import annotations

from krmkit.krm.errors import ListError
from krmkit.yaml.errors import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krmkit.krm.resource import Resource

SECRET = "(secret)"
_INSIDE = 8  # characters from which on a text of letters cannot be part of krmkit's own words


def may_hold_secrets(text: str) -> bool:
    """Whether a text has one of the words without which nothing in it is marked as secret."""
    return "ecret" in text or "password" in text


def suspects(items: Iterable[Resource | None]) -> list[Resource]:
    """Return the resources that may hold secrets; of one that cannot be read nothing is shown."""
    found = []
    for item in items:
        try:
            if item is not None and may_hold_secrets(item.text):
                found.append(item)
        except (ListError, YamlError):
            continue
    return found


def is_plain_word(secret: str) -> bool:
    """Whether a text is short and of letters only, so that it may be a part of a word of krmkit's: "blue" in "blueprint"."""
    return len(secret) < _INSIDE and secret.isalpha()


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether no letter and no digit is right before or after `text[start:end]`."""
    return not (text[max(start - 1, 0) : start].isalnum() or text[end : end + 1].isalnum())


def struck(text: str, secret: str) -> str:
    """The text with `(secret)` for a plain word, unless it is part of a longer one.

    Example: `struck("blueprint blue", "blue")` keeps the first.
    """
    found: list[str] = []
    start = place = 0
    while (place := text.find(secret, place)) >= 0:
        end = place + len(secret)
        if stands_alone(text, place, end):
            found += [text[start:place], SECRET]
            start = end
        place = end
    return "".join([*found, text[start:]])
