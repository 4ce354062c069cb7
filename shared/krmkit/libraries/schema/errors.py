"""The error of schemas and data paths."""

from __future__ import annotations


class SchemaError(ValueError):
    """A schema that Kubernetes cannot decode, or a path that leads nowhere.

    `path` is where, below the schema: `properties[cpu].minimum`; "" if the message says it.
    """

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path
        self.message = message
