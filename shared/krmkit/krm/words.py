"""Words that a text can hold though it does not show them."""

from __future__ import annotations


def may_hide(text: str) -> bool:
    """Whether an escape or binary data in a text can mean a word that does not occur in it. (Aliases can as well.)"""
    if "\\" in text and any(f"\\{sign}" in text for sign in "/xuUNLP_\n\r"):
        return True
    return "!" in text and "!!binary" in text
