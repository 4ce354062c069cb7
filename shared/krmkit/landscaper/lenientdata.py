"""Decoded YAML as the rules meet it: what has the wrong type counts as absent here, and validation names it."""

from __future__ import annotations


def mapping(value: object) -> dict[str, object]:
    """The value if it is a mapping, else {}."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[object]:
    """The value if it is a list, else []."""
    return value if isinstance(value, list) else []


def entries(value: object) -> list[dict[str, object]]:
    """The mappings of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    """The value if it is a text, else ""."""
    return value if isinstance(value, str) else ""


def texts(value: object) -> dict[str, str]:
    """The texts of a mapping, by key."""
    return {key: item for key, item in mapping(value).items() if isinstance(item, str)}


def path_of(value: object, *keys: str) -> object:
    """What stands below nested mappings; None where anything is absent."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value
