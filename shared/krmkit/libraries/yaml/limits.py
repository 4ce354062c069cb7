"""Limits for hostile or broken input, counted and never estimated; the caller can raise each."""

from __future__ import annotations


class Limits:
    """The limits of an input.

    - `depth`: nesting of collections. `aliases`: nodes visited through aliases while one text is decoded.
    - `items`: items of a ResourceList. `item_size`: characters of one item. `total_size`: characters of one
      input.
    - `effort`: steps of some 250 ns that templates, patterns and expressions may take in one run.
    """

    __slots__ = ("aliases", "depth", "effort", "item_size", "items", "total_size")

    NAMES = ("depth", "aliases", "items", "item_size", "total_size", "effort")

    def __init__(
        self,
        depth: int = 500,
        aliases: int = 100_000,
        items: int = 1_000_000,
        item_size: int = 64 * 1024 * 1024,
        total_size: int = 1024 * 1024 * 1024,
        effort: int = 3_000_000,
    ) -> None:
        self.depth = depth
        self.aliases = aliases
        self.items = items
        self.item_size = item_size
        self.total_size = total_size
        self.effort = effort


DEFAULT_LIMITS = Limits()
