"""JSON documents: equality, RFC 6902 patches, diffs, strict reading, paths into data."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Object = dict[str, "Any"]  # a JSON object; what its fields hold is checked where they are read
