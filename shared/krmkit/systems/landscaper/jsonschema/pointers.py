"""Resolve `$ref` in a JSON schema: `#`, or a pointer such as `#/definitions/port`, in the same schema."""

from __future__ import annotations

from typing import Any

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.net.url import unescape


def target(root: Any, reference: str) -> Any:
    """Return the target of a reference inside the schema.

    `#name`, which is not a pointer, means the whole schema. Raises GoInputError: target({},
    "#/definitions/x") fails with `Object has no key 'definitions'`.
    """
    value = root
    if not reference.startswith("#/"):
        return value
    steps = unescape(reference[2:], "fragment").split("/")
    for part in steps:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            if name not in value:
                raise GoInputError(f"Object has no key '{name}'")
            value = value[name]
        elif isinstance(value, list):
            is_index = name.isascii() and name.isdigit() and len(name) < 19  # what Go's numbers hold
            if not is_index or int(name) >= len(value):
                raise GoInputError(f"Out of bound array[0,{len(value)}] index '{name}'")
            value = value[int(name)]
        else:
            raise GoInputError(f"Invalid token reference '{name}'")
    return value
