"""Find the secrets of resources in texts, but not inside krmkit's own words.

A message consists of krmkit's words and values: masking the secret "blue" in "blueprint" would reveal it.
"""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.libraries.yaml.errors import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krmkit.krm.resource import Resource

SECRET = "(secret)"
_STRUCK = "\ufdd0"  # in the place of "(secret)" until all secrets are out; no text of Unicode holds it
SHORTEST = 3  # characters; shorter secrets would strike out half of a page
_DIGITS = 4  # digits; a shorter number occurs in krmkit's own messages: "must be at most 100"
_COMMON = frozenset(("true", "false", "null", "none", "default"))
_INSIDE = 8  # characters from which on a text of letters cannot be part of krmkit's own words


def may_hold_secrets(text: str) -> bool:
    """Return True if a text has one of the words that every mark of a secret needs."""
    return "ecret" in text or "password" in text or "ensitive" in text


def suspects(items: Iterable[Resource | None]) -> list[Resource]:
    """Return the resources that may hold secrets, without unreadable ones, which are never shown."""
    found = []
    for item in items:
        try:
            if item is not None and may_hold_secrets(item.text):
                found.append(item)
        except (Refused, YamlError):
            continue
    return found


def is_plain_word(secret: str) -> bool:
    """Return True for a short text of letters, such as "blue", that may be part of "blueprint"."""
    return len(secret) < _INSIDE and secret.isalpha()


def stands_alone(text: str, start: int, end: int) -> bool:
    """Return True if no letter and no digit is right before or after `text[start:end]`."""
    return not (text[max(start - 1, 0) : start].isalnum() or text[end : end + 1].isalnum())


def can_be_struck(secret: str) -> bool:
    """Return True if a text can be masked without harm to krmkit's words; names of variables cannot.

    A diff needs names to show the source of a value; a quoted text may be a secret.
    """
    if len(secret) < SHORTEST or secret.lower() in _COMMON:
        return False
    if secret.isdecimal() and len(secret) < _DIGITS:
        return False
    bare = secret.strip()
    if not (bare.startswith("{{") and bare.endswith("}}")):
        return True
    return not all(sign.isalnum() or sign in "_.|()- \t\n" for sign in bare[2:-2])


def parts(secrets: Iterable[str]) -> list[str]:
    """Return the texts to mask for secrets, the longest first, because a shorter one may be part of it."""
    return sorted({part for text in secrets for part in _parts(text)}, key=len, reverse=True)


def _parts(text: str) -> list[str]:
    """Return the texts that a secret has in files: each of its lines, and its quoted form.

    Lines of brackets and dashes only are skipped: they are in any text, and reveal nothing.
    """
    lines = [line.strip() for line in text.split("\n")]
    if len(lines) > 1:
        lines = [line for line in lines if any(sign.isalnum() for sign in line)]
    lines = [line for line in lines if can_be_struck(line)]
    quoted = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return [*lines, *quoted, *(line.replace("'", "''") for line in lines)]


def without_secrets(text: str, secrets: Iterable[str], in_message: bool = False) -> str:
    """Replace each secret by `(secret)`; in a message a plain word only as a whole word.

    An existing `(secret)` stays: masking the word in it would reveal that "secret" is one of the secrets.
    Example: `without_secrets("a: hush, b: secret", ["secret", "hush"])` is "a: (secret), b: (secret)".
    """
    hidden = [secret for secret in secrets if secret in text]
    if not hidden:
        return text
    text = text.replace(SECRET, _STRUCK)
    for secret in hidden:
        form = secret.replace(SECRET, _STRUCK)
        text = (
            _without_word(text, form) if in_message and is_plain_word(form) else text.replace(form, _STRUCK)
        )
    return text.replace(_STRUCK, SECRET)


def _without_word(text: str, secret: str) -> str:
    """Mask a plain word as a whole word: of `blueprint blue` only `blue`."""
    found: list[str] = []
    start = place = 0
    while (place := text.find(secret, place)) >= 0:
        end = place + len(secret)
        if stands_alone(text, place, end):
            found += [text[start:place], _STRUCK]
            start = end
        place = end
    return "".join([*found, text[start:]])
