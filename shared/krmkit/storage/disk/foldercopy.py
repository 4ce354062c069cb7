"""Copies of folders with many files, prepared beside their places and renamed into place at once."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass

from krmkit.storage.disk.primitives import open_source

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class FolderCopy:
    """A copy of `source`, of the files that `files` names, as the folder `path` of the package.

    A link is copied as the file that it leads to. If the folder exists, its other files stay.

    Example: `FolderCopy("cilium", "packs/cilium", ["README.md", "charts/cilium.tgz"])`.
    """

    path: str
    source: str
    files: Sequence[str]


def copy_files(copy: FolderCopy, target: str, umask: int) -> None:
    """Make the new folder `target` with the files of a copy. Raises Refused, OSError.

    One pass: each file is opened once, checked, read and written, because an import spends nearly all its
    time here.
    """
    made = {""}
    os.mkdir(target)
    for name in copy.files:
        folder = name.rpartition("/")[0]
        if folder not in made:
            os.makedirs(f"{target}/{folder}", exist_ok=True)
            made.add(folder)
        _copy(f"{copy.source}/{name}", f"{target}/{name}", f"{copy.path}/{name}", copy.source, umask)


def _copy(source: str, target: str, label: str, within: str, umask: int) -> None:
    try:
        given = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        status = os.fstat(given)
        regular = stat.S_ISREG(status.st_mode)
    except (AttributeError, OSError):
        given, regular = -1, False
    if not regular:
        if given >= 0:
            os.close(given)
        given = open_source(source, label, within)
        status = os.fstat(given)
    try:
        mode = status.st_mode & 0o777
        made = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        try:
            content = os.read(given, min(status.st_size + 1, _CHUNK))
            while content:
                written = os.write(made, content)
                if written < len(content):
                    content = content[written:]
                else:
                    content = os.read(given, _CHUNK) if status.st_size >= _CHUNK else b""
            if mode & umask:
                os.chmod(target, mode)
        finally:
            os.close(made)
    finally:
        os.close(given)
