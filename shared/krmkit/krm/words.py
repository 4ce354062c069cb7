"""Words that a text can hold: seen without reading it, some too many and never one too few."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Protocol, TypeVar

    class Texted(Protocol):
        """An object with a text."""

        @property
        def text(self) -> str: ...

    T = TypeVar("T", bound=Texted)


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
