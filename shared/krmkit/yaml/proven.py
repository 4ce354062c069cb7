"""What a process that sees many lists keeps in mind of what it has proven of their items.

The functions of a pipeline are called one after the other with nearly the same items, and what is proven of an item's text
stays true. Only hashes are kept: a text may hold a secret, and would be a hundred times as large. They are Python's own, which
nobody can aim at: their key is drawn when the process starts (the worker runs with -I, so nothing can set it). That a new item
among 100,000 known ones has by chance the hash of one of them is as good as impossible with 64 bits (5e-15).
"""

from __future__ import annotations

import sys


def memory() -> Proven | None:
    """A new memory; None where this Python's hashes are too short for one, or have no key."""
    info = sys.hash_info
    return Proven() if info.width >= 64 and info.algorithm.startswith("siphash") else None


class Proven:
    """Hashes of items, and whether their quotes and brackets are proven closed line by line; those of items that are not
    spare the attempt. When there are `most`, it begins anew."""

    __slots__ = ("_is_closed", "_most")

    def __init__(self, most: int = 100_000) -> None:
        self._most = most
        self._is_closed: dict[int, bool] = {}

    def sort(self, items: list[str], pad: int) -> tuple[dict[int, int], list[int]]:
        """The items that are not known, by their numbers, as what `add` takes; the numbers of those that are known to be not
        proven. `pad` is where their dashes stand."""
        known = self._is_closed.get
        unknown = {}
        unproven = []
        for number, item in enumerate(items):
            # With the length: Python takes a text's bytes in memory, which are the same for "ab" and "\u6261".
            key = hash((pad, len(item), item))
            is_closed = known(key)
            if is_closed is None:
                unknown[number] = key
            elif not is_closed:
                unproven.append(number)
        return unknown, unproven

    def add(self, unknown: dict[int, int], unproven: set[int]) -> None:
        """Keep in mind what was found out about unknown items; `unproven` has the numbers of those that are not proven."""
        known = self._is_closed
        for number, key in unknown.items():
            if len(known) >= self._most:
                known.clear()
            known[key] = number not in unproven
