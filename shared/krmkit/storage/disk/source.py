"""Sources of a package's files: a folder on disk, perhaps with unsaved texts, or a git revision.

The latter is krmkit.storage.git.revision.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Protocol

from krmkit.storage.disk.folders import entries, read_file


class FileSource(Protocol):
    """Files by their paths relative to one folder; `folder` is its path on disk, for messages."""

    folder: str

    def entries(self, inner: str, leftovers: list[str] | None = None) -> list[tuple[str, bool]]:
        """Return (name, is a folder) of everything in an inner folder, by name; "" is the folder itself."""

    def has(self, path: str) -> bool:
        """Return True if the file exists."""

    def read(self, path: str, label: str, limit: int = 0) -> bytes | None:
        """Return the content of a file; None if it has more than `limit` bytes (0: no limit)."""


class DiskFiles:
    """A folder on disk. within: the folder that links must not lead out of, "" if they may.

    unsaved: contents, by path, that replace those of existing files.
    """

    def __init__(self, folder: str, within: str = "", unsaved: Mapping[str, bytes] | None = None) -> None:
        self.folder = folder
        self._within = within
        self._unsaved = unsaved or {}

    def entries(self, inner: str, leftovers: list[str] | None = None) -> list[tuple[str, bool]]:
        return entries(os.path.join(self.folder, inner), leftovers)

    def has(self, path: str) -> bool:
        return os.path.exists(os.path.join(self.folder, path))

    def read(self, path: str, label: str, limit: int = 0) -> bytes | None:
        content = self._unsaved.get(path)
        if content is not None:
            return None if limit and len(content) > limit else content
        return read_file(os.path.join(self.folder, path), label, self._within, limit)
