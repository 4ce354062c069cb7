"""Prepare new contents of files beside the existing ones, before anything is put into place."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from krmkit.krm.errors import Refused
from krmkit.storage.disk import primitives
from krmkit.storage.disk.foldercopy import FolderCopy, copy_files
from krmkit.storage.disk.folders import MARK, WORK
from krmkit.storage.disk.journal import JournalStep

_CHUNK = 1 << 20


@dataclass(slots=True, eq=False)
class FileEdit:
    r"""The change of one file: `before` and `after` are its texts, None for no file.

    - `source`: the file becomes a copy of this one.
    - `like`: the file whose mode it gets, by default `source`; without either it keeps its mode. An existing
      file keeps its owner.
    - `content`: the exact bytes before, if they are not text.

    Example: `FileEdit("app.yaml", "a: 1\n", "a: 2\n")`.
    """

    path: str  # relative to the root package, with slashes
    before: str | None
    after: str | None
    source: str = ""
    like: str = ""
    content: bytes | None = None

    def __post_init__(self) -> None:
        self.like = self.like or self.source


@dataclass(slots=True, eq=False)
class Stage:
    """The preparation of new contents in the work folder of `root`, with a prefix for each process.

    `dry`: nothing is prepared; the steps only describe the changes.
    """

    root: str
    prefix: str = "new"
    dry: bool = False
    _count: int = 0
    _olds: int = 0
    # By folder: its real path, and the path of its prepared contents.
    _folders: dict[str, tuple[str, str]] = field(default_factory=dict)

    def prepare_all(
        self, changes: Iterable[FileEdit | FolderCopy], careful: bool = False
    ) -> list[JournalStep]:
        """Prepare files and folders, and return the steps for changed ones. Raises Refused, OSError."""
        steps: list[JournalStep | None] = []
        for change in changes:
            if isinstance(change, FileEdit):
                steps.append(self.prepare(change, careful))
            elif not self.dry and self._is_free(change.path):
                steps.append(self._prepare_folder(change))
            else:
                for name in change.files:
                    source = os.path.join(change.source, name)
                    steps.append(self.prepare(FileEdit(f"{change.path}/{name}", None, "", source)))
        return [step for step in steps if step is not None]

    def _is_free(self, path: str) -> bool:
        """Return True if a rename can create a folder there: the name is free, on the same file system."""
        return (
            not os.path.lexists(os.path.join(self.root, path)) and not self._folder(os.path.dirname(path))[1]
        )

    def _prepare_folder(self, copy: FolderCopy) -> JournalStep:
        self._count += 1
        new = f"{WORK}/{self.prefix}-{self._count}"
        copy_files(copy, os.path.join(self.root, new), _umask())
        return JournalStep(copy.path, new, "", "")

    def prepare(self, change: FileEdit, careful: bool = False) -> JournalStep | None:
        """Prepare one file; None if content and mode are unchanged. Raises Refused, OSError.

        `careful`: the file must still have the content in `change.before`.
        """
        target = self._target(change)
        before = primitives.digest(target)
        source = change.source
        after = primitives.digest_of_content(source) if source else primitives.digest_of_text(change.after)
        expected = primitives.digest_of_text(change.before if change.content is None else change.content)
        if careful and before not in {expected, after}:
            raise Refused(
                f"{change.path} was changed by somebody else while this ran; nothing was written, so run it again"
            )
        path = os.path.relpath(target, self.root).replace(os.sep, "/")
        if path == change.path:
            path = change.path  # as nearly always: one text for both, of which a fleet has a hundred thousand
        if change.after is None:
            return self._step(path, "", before) if before else None
        mode, owner = _rights(target, change.like)
        if before == after and os.stat(target).st_mode & 0o7777 == mode:
            return None
        if before and not os.access(target, os.W_OK):
            raise Refused(f"cannot write {change.path}: the file is read-only for who runs krmkit")
        if self.dry:
            return JournalStep(path, f"{WORK}/dry", "", before)
        place = self._place(os.path.dirname(target))
        self._count += 1
        name = f"{self.prefix}-{self._count}"
        new = f"{WORK}/{name}" if not place else f"{place}/.{name}{MARK}"
        if place:
            # Leftovers of a killed run: only the work folder is removed automatically.
            with suppress(FileNotFoundError):
                os.remove(os.path.join(self.root, new))
        self._fill(os.path.join(self.root, new), change, mode, owner)
        return self._step(path, new, before)

    def _step(self, path: str, new: str, before: str) -> JournalStep:
        """Return the step of one file; its old content gets a second name once all is prepared."""
        self._olds += bool(before)
        return JournalStep(path, new, f"{WORK}/old-{self.prefix}-{self._olds}" if before else "", before)

    def _fill(self, new: str, change: FileEdit, mode: int, owner: tuple[int, int] | None) -> None:
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(handle, "wb") as file:
            if change.source:
                with os.fdopen(primitives.open_source(change.source, change.path), "rb") as source:
                    while chunk := source.read(_CHUNK):
                        file.write(chunk)
            else:
                file.write((change.after or "").encode("utf-8"))
            if owner is not None:
                with suppress(OSError):  # only root may give files away
                    os.fchown(handle, *owner)
            os.fchmod(handle, mode)

    def _target(self, change: FileEdit) -> str:
        """Return the real path of a file; a link must not lead out of the folder.

        To remove a file that is a link, the link itself is removed.
        """
        folder, _ = self._folder(os.path.dirname(change.path))
        plain = os.path.join(folder, os.path.basename(change.path))
        if change.after is None or not os.path.lexists(plain):
            return plain
        target = os.path.realpath(plain) if os.path.islink(plain) else plain
        self._contained(change.path, target)
        if os.path.isdir(target):
            raise Refused(f"{change.path} is a folder, where a file is to be written; nothing was written")
        return target

    def _folder(self, inner: str) -> tuple[str, str]:
        """Return the real path of a folder, and where its files are prepared: "" for the work folder."""
        if inner not in self._folders:
            folder = os.path.realpath(os.path.join(self.root, inner)) if inner else self.root
            self._contained(inner, folder)
            there = folder
            while not os.path.isdir(there):
                if os.path.lexists(there):
                    place = primitives.seen_from_here(there)
                    raise Refused(f"{place} is a file, where a folder is to be made; nothing was written")
                there = os.path.dirname(there)
            # A file is renamed within one disk only; another one may be mounted on a folder.
            elsewhere = (
                not self.dry and os.stat(there).st_dev != os.stat(os.path.join(self.root, WORK)).st_dev
            )
            place = os.path.relpath(there, self.root).replace(os.sep, "/") if elsewhere else ""
            self._folders[inner] = (folder, place)
        return self._folders[inner]

    def _place(self, folder: str) -> str:
        return self._folder(os.path.relpath(folder, self.root) if folder != self.root else "")[1]

    def _contained(self, path: str, target: str) -> None:
        if target != self.root and not target.startswith(self.root.rstrip("/") + "/"):
            raise Refused(
                f"{path} is a link to {target}, outside of the package; nothing was written."
                " Put a copy of the file in its place, or list it in .krmignore"
            )


def _rights(target: str, like: str) -> tuple[int, tuple[int, int] | None]:
    """Return the mode to write, and the target's (uid, gid) if they differ from this process's."""
    owner = mode = None
    with suppress(FileNotFoundError, AttributeError):
        found = os.stat(target)
        mode = found.st_mode & 0o7777
        if (found.st_uid, found.st_gid) != (os.geteuid(), os.getegid()):
            owner = (found.st_uid, found.st_gid)
    if like:
        with suppress(FileNotFoundError):
            mode = os.stat(like).st_mode & 0o777
    return (0o666 & ~_umask() if mode is None else mode), owner


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
