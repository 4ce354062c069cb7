"""Mutations of sensible texts, for the fuzz tests."""

from __future__ import annotations

import random
from collections.abc import Sequence


def mutate(chance: random.Random, text: str, pieces: Sequence[str], others: Sequence[str]) -> str:
    """Some characters or words taken out, put in (`pieces`), doubled, or replaced by a part of another text."""
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(text) + 1)
        until = min(len(text), at + chance.choice((1, 1, 2, 5, 12)))
        kind = chance.randrange(4)
        if kind == 0:
            text = text[:at] + text[until:]
        elif kind == 1:
            text = text[:at] + chance.choice(pieces) + text[at:]
        elif kind == 2:
            text = text[:until] + text[at:]
        else:
            other = chance.choice(others)
            start = chance.randrange(len(other))
            text = text[:at] + other[start : start + chance.randrange(30)] + text[until:]
    return text
