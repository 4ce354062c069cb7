"""Write files so that a crash at any moment loses nothing: the run is undone, or the next one completes it.

1. A lock on the folder, and on the packages above, lets one process write at a time. What a killed process
left unfinished is completed first.
2. All new contents are prepared in `.krmkit-work`, and synced to the disk at once. Nothing has changed so
   far, so a full disk or a missing right costs nothing.
3. The journal lists the files to rename and remove (krmkit.storage.disk.journal). From here on the run counts
   as done.
4. Files are renamed into place, then removed. If a step fails, the earlier ones are undone.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from krmkit.krm.errors import Refused
from krmkit.storage.disk import primitives
from krmkit.storage.disk.foldercopy import FolderCopy
from krmkit.storage.disk.folders import MARK, WORK
from krmkit.storage.disk.journal import (
    Journal,
    JournalStep,
    Steps,
    finish,
    recover_above,
    remove_leftover,
    unfinished,
)
from krmkit.storage.disk.stage import FileEdit, Stage

__all__ = ["MARK", "FileEdit", "FolderCopy", "Stage", "Writer", "write", "write_file", "write_folder"]


class Writer:
    """A writer to the files below `root`.

    `with Writer(root) as writer:` locks the folder, and makes it if missing; `stage` prepares, `commit` puts
    into place; `notes` report the completion of a killed run. Raises Refused.
    """

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        self.stage = Stage(self.root)
        self.notes: list[str] = []
        self._lock = primitives.TreeLock(self.root)
        self._made: list[str] = []

    def __enter__(self) -> Writer:
        try:
            self._made = _make_folders(self.root)
            self._lock_tree()
            self.notes += finish(self.root)
            work = os.path.join(self.root, WORK)
            primitives.remove_tree(work)
            os.mkdir(work, 0o700)
        except BaseException as error:
            self.__exit__()
            if isinstance(error, OSError):
                raise Refused(_cannot(error, self.root)) from None
            raise
        return self

    def _lock_tree(self) -> None:
        """Take the lock, after completing what a killed run began to write to a folder above."""
        self.notes += recover_above(self.root)
        self._lock.__enter__()
        while any(unfinished(folder) for folder in primitives.folders_above(self.root)):
            self._lock.__exit__()
            found = recover_above(self.root)
            self._lock.__enter__()
            if not found:
                return  # the journal of another user, which only that user may complete
            self.notes += found

    def __exit__(self, *error: object) -> None:
        if not unfinished(self.root):
            try:
                primitives.remove_tree(os.path.join(self.root, WORK))
            except KeyboardInterrupt:
                primitives.remove_tree(os.path.join(self.root, WORK))
                raise
            _remove_empty(self._made)
        self._lock.__exit__()

    def put(
        self, changes: Sequence[FileEdit | FolderCopy], careful: bool = False, prune: Iterable[str] = ()
    ) -> None:
        """Change files, all or none; `careful` as in `write`, `prune` as in `commit`.

        Raises Refused.
        """
        try:
            steps = self.stage.prepare_all(changes, careful)
        except OSError as error:
            raise Refused(f"{_cannot(error, self.root)}; nothing was written") from None
        self.commit(steps, prune)

    def commit(self, steps: Steps, prune: Iterable[str] = ()) -> None:
        """Put prepared files into place; after a Refused, nothing is changed.

        Folders in `prune` are removed if they end up empty.
        """
        if not steps:
            return
        journal = Journal(self.root, _RenamesFirst(steps), [*prune])
        missing: list[str] = []
        is_done = False
        try:
            for step in journal.steps:
                if step.old:
                    _second_name(os.path.join(self.root, step.path), os.path.join(self.root, step.old))
            _sync(self.root, journal.steps)
            folders = {os.path.dirname(os.path.join(self.root, step.path)) for step in journal.steps}
            missing = sorted({above for folder in folders for above in primitives.missing_folders(folder)})
            journal.save()
            journal.carry_out()
            is_done = True
            journal.end()
        except BaseException as error:
            if is_done and not unfinished(self.root):
                if isinstance(error, OSError):
                    return  # all is written, and the journal has gone
                raise
            said = self._take_back(journal, missing)
            if isinstance(error, OSError | Refused):
                raise Refused(f"{_cannot(error, self.root)}; {said}") from None
            raise

    def _take_back(self, journal: Journal, missing: list[str]) -> str:
        """Undo a failed commit; return a text about the outcome."""
        for step in journal.steps:
            # Beside the work folder, where it would not go with that.
            if step.new and not unfinished(self.root) and not step.new.startswith(WORK):
                with suppress(OSError):
                    os.remove(os.path.join(self.root, step.new))
        if not unfinished(self.root):
            return "nothing was written"
        try:
            journal.turn()
            journal.carry_out()
            journal.end()
        except (OSError, Refused) as error:
            return (
                f"what was written before could not be taken back ({getattr(error, 'strerror', None) or error});"
                f" the next run of krmkit here {'tries again' if journal.back else 'completes it'}"
            )
        _remove_empty(reversed(missing))
        return "nothing was written"


class _RenamesFirst:
    """Steps with removals last: a resource that moves is briefly in two files, and never in none."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def __len__(self) -> int:
        return len(self._steps)

    def __iter__(self) -> Iterator[JournalStep]:
        yield from (step for step in self._steps if step.new)
        yield from (step for step in self._steps if not step.new)


def write(root: str, changes: list[FileEdit], leftovers: Sequence[str] = (), careful: bool = False) -> None:
    r"""Change files below `root`. Raises Refused, which tells if a file was changed.

    `leftovers`: paths of a killed run's temporary files to remove. `careful`: each file must still have the
    content before its change. Example: `write("pkg", [FileEdit("a.yaml", None, "a: 1\n")])`.
    """
    if not changes and not leftovers:
        return
    with Writer(root) as writer:
        for path in leftovers:
            remove_leftover(os.path.join(writer.root, path))
        writer.put(changes, careful)


def write_folder(target: str, changes: list[FileEdit]) -> None:
    r"""Make a new folder with the `after` of all changes; it appears whole or not at all.

    Raises Refused. Example: `write_folder("new", [FileEdit("a.yaml", None, "a: 1\n")])`.
    """
    import tempfile

    target = os.path.abspath(target)
    parent = os.path.dirname(target)
    name = os.path.basename(target)
    made: list[str] = []
    place = ""
    try:
        made = _make_folders(parent)
        for entry in os.listdir(parent):
            if entry.startswith(f".{name}.") and entry.endswith(MARK):
                remove_leftover(os.path.join(parent, entry))
        place = tempfile.mkdtemp(prefix=f".{name}.", suffix=MARK, dir=parent)
        # The lock marks this folder as being made, so that no other run takes it for a leftover.
        with primitives.FolderLock(place):
            with Writer(os.path.join(place, name)) as writer:
                writer.put(changes)
            os.makedirs(os.path.join(place, name), exist_ok=True)
            if os.path.lexists(target):
                raise Refused(f"{target} is there already; name a folder that does not exist yet")
            os.rename(os.path.join(place, name), target)
            primitives.sync_folder(parent)
    except OSError as error:
        raise Refused(f"cannot make {target}: {error.strerror or error}") from None
    finally:
        if place:
            primitives.remove_tree(place)
        _remove_empty(made)


def write_file(path: str, text: str) -> None:
    """Write one file, its folder included. Raises Refused. Example: `write_file("out/a.yaml", "a: 1\\n")`."""
    path = os.path.abspath(path)
    write(os.path.dirname(path), [FileEdit(os.path.basename(path), None, text)])


def _make_folders(folder: str) -> list[str]:
    """Make a folder and its parents; return those that were missing, the deepest first."""
    missing = list(primitives.missing_folders(folder))
    made: list[str] = []
    for path in reversed(missing):
        if os.path.lexists(path):
            raise Refused(
                f"{primitives.seen_from_here(path)} is a file, where a folder is to be made; nothing was written"
            )
        try:
            os.mkdir(path)
        except FileExistsError:
            continue
        made.insert(0, path)
        primitives.sync_folder(os.path.dirname(path))
    return made


def _second_name(path: str, second: str) -> None:
    """Keep a file under a second name: a hard link or, on disks without them, a copy."""
    try:
        os.link(path, second, follow_symlinks=False)
    except (OSError, NotImplementedError):
        import shutil

        shutil.copy2(path, second, follow_symlinks=False)
        found = os.lstat(path)
        with suppress(OSError, AttributeError):
            os.chown(second, found.st_uid, found.st_gid, follow_symlinks=False)


def _sync(root: str, steps: Steps) -> None:
    """Sync everything prepared: a few files one by one, many files or a folder by one sync of the disk."""
    first = list(islice((step.new for step in steps if step.new), primitives.FEW + 1))
    many = len(first) > primitives.FEW or any(os.path.isdir(os.path.join(root, new)) for new in first)
    at_once = many and primitives.sync_disk(root)
    for step in steps:
        # What is prepared beside the work folder lies on another disk.
        if not step.new or (at_once and step.new.startswith(f"{WORK}/")):
            continue
        path = os.path.join(root, step.new)
        if not os.path.isdir(path):
            _sync_file(path)
            continue
        for inner, _, names in os.walk(path):
            for name in names:
                _sync_file(os.path.join(inner, name))
            primitives.sync_folder(inner)


def _sync_file(path: str) -> None:
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_empty(folders: Iterable[str]) -> None:
    for folder in folders:
        with suppress(OSError):
            os.rmdir(folder)


def _cannot(error: OSError | Refused, root: str) -> str:
    if isinstance(error, Refused):
        return str(error)
    place = str(error.filename2 or error.filename or root)
    folder, work, _ = place.partition(f"/{WORK}")
    if work and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        # All new contents are prepared there first.
        return (
            f"cannot write into {folder}: {error.strerror}; the folder must be writable for who runs krmkit"
        )
    return f"cannot write {place}: {error.strerror or error}"
