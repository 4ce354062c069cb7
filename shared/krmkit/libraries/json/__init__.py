"""JSON documents: equality, RFC 6902 patches, diffs, strict reading, paths into data."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Object = dict[str, "Any"]  # a JSON object; what its fields hold is checked where they are read


def with_sorted_keys(value: Any) -> Any:
    """Return a document with the keys of all maps sorted."""
    if isinstance(value, dict):
        return {key: with_sorted_keys(value[key]) for key in sorted(value, key=str)}
    return [with_sorted_keys(item) for item in value] if isinstance(value, list) else value
