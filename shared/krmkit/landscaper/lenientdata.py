"""Lenient access to decoded YAML: a value of the wrong type counts as absent; validation reports it."""

from __future__ import annotations


def mapping(value: object) -> dict[str, object]:
    """Return the value if it is a mapping, else {}."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[object]:
    """Return the value if it is a list, else []."""
    return value if isinstance(value, list) else []


def entries(value: object) -> list[dict[str, object]]:
    """Return the mappings of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    """Return the value if it is a text, else ""."""
    return value if isinstance(value, str) else ""


def texts(value: object) -> dict[str, str]:
    """Return the texts of a mapping, by key."""
    return {key: item for key, item in mapping(value).items() if isinstance(item, str)}


def path_of(value: object, *keys: str) -> object:
    """Return the value at a path of nested mappings; None if any part is absent."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value
