"""Primitives for writing to a disk: locks on folders, digests of files, and syncing of both."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from krmkit.krm.errors import Refused
from krmkit.storage.disk.folders import WORK, open_file

FEW = 16  # so many files are made to last one by one; more of them all at once
PATIENCE = 60.0  # seconds to wait for another writer
_PAUSE = 0.02
_CHUNK = 1 << 20
_SIGNS = ("Kptfile", ".krmkit-variants", WORK)


def seen_from_here(path: str) -> str:
    """Return a path for messages: relative if it is below the working directory."""
    here = os.path.realpath(os.curdir)
    return os.path.relpath(path, here) if path.startswith(here.rstrip(os.sep) + os.sep) else path


def digest(path: str) -> str:
    """Return the SHA-256 of a file's content or of a link's target; "" if the path is absent.

    Raises Refused for other kinds of entries. Example: `digest("pkg/Kptfile")`.
    """
    import hashlib

    try:
        if os.path.islink(path):
            return hashlib.sha256(b"link:" + os.fsencode(os.readlink(path))).hexdigest()
        return digest_of_content(path)
    except FileNotFoundError:
        return ""


def open_source(path: str, label: str, within: str = "") -> int:
    """Open a file to copy, as `open_file` does; a Refused adds that nothing was written."""
    try:
        return open_file(path, label, within)
    except Refused as error:
        raise Refused(f"{error}; nothing was written") from None


def digest_of_content(path: str) -> str:
    """Return the SHA-256 of a file's content, links followed. Raises Refused, OSError."""
    import hashlib

    with os.fdopen(open_source(path, path), "rb") as file:
        found = hashlib.sha256()
        while chunk := file.read(_CHUNK):
            found.update(chunk)
    return found.hexdigest()


def digest_of_text(text: str | bytes | None) -> str:
    """Return the digest of a file that holds `text`; "" for None."""
    if text is None:
        return ""
    import hashlib

    return hashlib.sha256(text.encode("utf-8") if isinstance(text, str) else text).hexdigest()


def take_lock(handle: int, shared: bool = False) -> bool:
    """Take the lock on an open file or folder; return False if others keep it for longer than PATIENCE.

    Raises OSError, and ImportError on a system without such locks.
    """
    import fcntl
    import time

    end = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > end:
                return False
            time.sleep(_PAUSE)


@dataclass(slots=True)
class FolderLock:
    """The lock on a folder, which lets one process write to it; none on systems without such locks.

    `shared`: several processes may hold it, but not beside one that holds it alone. Raises Refused if another
    process holds it for a minute. Example: `with FolderLock("pkg"): ...`.
    """

    path: str
    shared: bool = False
    _handle: int = field(init=False, default=-1)

    def __enter__(self) -> FolderLock:
        try:
            handle = os.open(self.path, os.O_RDONLY)
        except OSError:
            return self
        try:
            taken = take_lock(handle, self.shared)
        except (ImportError, OSError):
            os.close(handle)
            return self
        if not taken:
            os.close(handle)
            raise Refused(
                f"{self.path}: another run of krmkit has been writing here for {PATIENCE:.0f} seconds;"
                " nothing was written, so run again when it has ended"
            )
        self._handle = handle
        return self

    def __exit__(self, *error: object) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


@dataclass(slots=True)
class TreeLock:
    """The lock on a folder and all below it, so writers to a package and to its subpackages wait in turn.

    Locks are taken from the top down: shared ones on the folders above, then an exclusive one on the folder.
    Folders above count only if krmkit writes to them as a whole. Example: `with TreeLock("pkg/sub"): ...`.
    """

    path: str
    _locks: list[FolderLock] = field(init=False, default_factory=list)

    def __enter__(self) -> TreeLock:
        above = [folder for folder in folders_above(self.path) if _is_written_to(folder)]
        try:
            for lock in [*(FolderLock(folder, shared=True) for folder in above), FolderLock(self.path)]:
                lock.__enter__()
                self._locks.append(lock)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        while self._locks:
            self._locks.pop().__exit__()


def folders_above(path: str) -> list[str]:
    """Return the folders above a folder, the outermost first."""
    found = []
    folder = os.path.dirname(path)
    while folder != os.path.dirname(folder):
        found.append(folder)
        folder = os.path.dirname(folder)
    return found[::-1]


def _is_written_to(folder: str) -> bool:
    """Return True for a package, a fleet's folder, and a folder with a pending write."""
    return any(os.path.lexists(os.path.join(folder, name)) for name in _SIGNS)


def remove_tree(path: str) -> None:
    """Remove a folder and its content as far as possible; a link is removed, not followed."""
    import shutil

    if os.path.islink(path):
        with suppress(OSError):
            os.unlink(path)
    else:
        shutil.rmtree(path, ignore_errors=True)


def sync_folders(root: str, folders: set[str]) -> None:
    """Sync renames in these folders below `root` to the disk."""
    if len(folders) > FEW and sync_disk(root):
        return
    for folder in folders:
        sync_folder(folder)


def sync_disk(path: str) -> bool:
    """Sync everything pending on the disk of `path`; return False if the system cannot."""
    try:
        import ctypes

        syncfs = ctypes.CDLL(None).syncfs
        handle = os.open(path, os.O_RDONLY)
    except (ImportError, OSError, AttributeError, TypeError):
        return False
    try:
        return bool(syncfs(handle) == 0)
    finally:
        os.close(handle)


def sync_folder(folder: str) -> None:
    """Sync renames in a folder; some file systems cannot, but the files themselves are synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def missing_folders(folder: str) -> Iterator[str]:
    """Yield the missing folders of the path `folder`, the deepest first."""
    while not os.path.isdir(folder):
        yield folder
        folder = os.path.dirname(folder)
