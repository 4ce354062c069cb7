"""Errors about a ResourceList or one of its items."""

from __future__ import annotations


class ListError(ValueError):
    """The text is YAML, but not the ResourceList or resource that was expected."""
