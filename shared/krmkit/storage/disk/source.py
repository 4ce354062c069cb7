"""Where the files of a package or folder come from.

They lie in a folder on disk, with texts that are not saved yet or without, or in a revision of a repository
(krmkit.storage.git.revision).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Protocol

from krmkit.storage.disk.folders import entries, read_file


class FileSource(Protocol):
    """Files by their paths relative to one folder; `folder` is its place on disk, for messages and places."""

    folder: str

    def entries(self, inner: str, leftovers: list[str] | None = None) -> list[tuple[str, bool]]:
        """Return (name, is a folder) of everything in an inner folder, by name; "" is the folder itself."""

    def has(self, path: str) -> bool:
        """Return whether there is a file at a path."""

    def read(self, path: str, label: str, limit: int = 0) -> bytes | None:
        """Return the content of a file, None if it has more than `limit` bytes (0: any size is fine)."""


class DiskFiles:
    """A folder on disk. within: the folder that links must not lead out of, "" if they may.

    unsaved: contents, by path, that stand for those of existing files.
    """

    def __init__(self, folder: str, within: str = "", unsaved: Mapping[str, bytes] | None = None) -> None:
        self.folder = folder
        self._within = within
        self._unsaved = unsaved or {}

    def entries(self, inner: str, leftovers: list[str] | None = None) -> list[tuple[str, bool]]:
        """Return what `folders.entries` does. Raises OSError."""
        return entries(os.path.join(self.folder, inner), leftovers)

    def has(self, path: str) -> bool:
        """Return whether the path exists."""
        return os.path.exists(os.path.join(self.folder, path))

    def read(self, path: str, label: str, limit: int = 0) -> bytes | None:
        """Return what `folders.read_file` does. Raises Refused, OSError."""
        content = self._unsaved.get(path)
        if content is not None:
            return None if limit and len(content) > limit else content
        return read_file(os.path.join(self.folder, path), label, self._within, limit)
