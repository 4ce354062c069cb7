"""The journal of a writer: the pending changes, so that a killed run can be completed.

A writer prepares everything in `.krmkit-work` of the folder that it writes to: new contents, and a second
name for each old file that is replaced or removed. Then it writes `.krmkit-work/journal`, and from then on
the run counts as done: the next process that opens the folder completes it (`recover`). A run that fails
while alive first renames the journal to `journal-back` and undoes its steps; if it is killed then, the next
process undoes them, too. Without a journal nothing has been put into place, and `.krmkit-work` is removed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from krmkit.krm.errors import Refused
from krmkit.storage.disk import primitives
from krmkit.storage.disk.folders import MARK, WORK, read_file


class Steps(Protocol):
    """Steps that can be read repeatedly: a list, or a file if there are too many for a list."""

    def __iter__(self) -> Iterator[JournalStep]: ...

    def __len__(self) -> int: ...


JOURNAL = f"{WORK}/journal"
BACK = f"{WORK}/journal-back"
LARGEST = 256 * 1024 * 1024
"""Bytes of a journal: that of a million files is smaller."""
_VERSION = 1


@dataclass(slots=True, eq=False)
class JournalStep:
    """One file, or one new folder, at `path`.

    - `new`: the path of its new content, "" if the file is removed.
    - `old`: the path of its old content, "" if there was none. `before`: the digest of the old content.

    All paths are relative to the folder that is written to.
    """

    path: str
    new: str
    old: str
    before: str


@dataclass(slots=True, eq=False)
class Journal:
    """The steps of one run below `root`, and the folders to remove at the end if empty (`prune`)."""

    root: str
    steps: Steps
    prune: Sequence[str] = ()
    back: bool = False

    def save(self) -> None:
        """Write the journal, and sync it to the disk."""
        import json

        place = self._at(JOURNAL)
        with open(place + MARK, "w", encoding="utf-8") as file:
            # Step by step: a fleet has a hundred thousand, and the text of all would be as large again.
            file.write(f'{{"version": {_VERSION}, "steps": [')
            for number, step in enumerate(self.steps):
                written = json.dumps([step.path, step.new, step.old, step.before])
                file.write(f", {written}" if number else written)
            file.write(f'], "prune": {json.dumps([*self.prune])}}}')
            file.flush()
            os.fsync(file.fileno())
        os.replace(place + MARK, place)
        primitives.sync_folder(self._at(WORK))
        primitives.sync_folder(self.root)

    def turn(self) -> None:
        """Mark the run as one to undo, by this process or a later one."""
        os.replace(self._at(JOURNAL), self._at(BACK))
        self.back = True

    def carry_out(self) -> None:
        """Put all files into place, or back; steps that are done are skipped. Raises OSError."""
        if self.back:
            for step in reversed(list(self.steps)):
                self._undo(step)
        else:
            for folder in {os.path.dirname(step.path) for step in self.steps if step.new}:
                os.makedirs(self._at(folder), exist_ok=True)
            for step in self.steps:
                self._do(step)
            for folder in self.prune:
                _prune(self.root, folder)
        changed = {os.path.dirname(step.path) for step in self.steps}
        for folder in [*changed]:
            while folder:
                changed.add(folder := os.path.dirname(folder))  # a folder on the way may be new in it
        primitives.sync_folders(self.root, {self._at(folder) for folder in changed})

    def end(self) -> None:
        """Remove the journal: nothing is left to carry out."""
        for name in (JOURNAL, BACK):
            with suppress(FileNotFoundError):
                os.remove(self._at(name))
        primitives.sync_folder(self._at(WORK))

    def check(self) -> None:
        """Raise Refused if a pending file was changed since the run was killed."""
        for step in () if self.back else self.steps:
            if os.path.lexists(self._at(step.new or step.path)) and primitives.digest(
                self._at(step.path)
            ) not in {step.before, ""}:
                raise Refused(
                    f"{self.root}: a run of krmkit was killed before it had put all files into place, and {step.path}"
                    f" was changed since. Put that file back as it was, or delete {WORK} to keep all files as they are"
                    " now; then run again"
                )

    def _at(self, path: str) -> str:
        return os.path.join(self.root, path)

    def _do(self, step: JournalStep) -> None:
        target = self._at(step.path)
        if not step.new:
            with suppress(FileNotFoundError):
                os.remove(target)
        elif os.path.lexists(self._at(step.new)):
            os.replace(self._at(step.new), target)

    def _undo(self, step: JournalStep) -> None:
        target = self._at(step.path)
        if os.path.lexists(self._at(step.new or step.path)):
            return  # not yet written or removed, so there is nothing to undo
        if step.old:
            if os.path.lexists(self._at(step.old)):
                os.replace(self._at(step.old), target)
        elif step.new and os.path.lexists(target):
            # The file is new and in place; it becomes a prepared one again.
            os.replace(target, self._at(step.new))


def recover(path: str) -> list[str]:
    """Complete or undo what a killed run left unfinished in a folder; return notes on what was done.

    Without a journal, only prepared files are removed. Raises Refused. Example: `recover("pkg") == []`.
    """
    if not unfinished(path):
        work = os.path.join(path, WORK)
        if os.path.isdir(work) and not os.path.islink(work):
            remove_leftover(work)
        return []
    with primitives.TreeLock(os.path.realpath(path)):
        return finish(path)


def recover_above(path: str) -> list[str]:
    """Recover all folders above `path`.

    A killed run may have written to the whole package. Only journals of this user count, because a folder
    above may be shared with others.
    """
    notes: list[str] = []
    for folder in reversed(primitives.folders_above(path)):
        if unfinished(folder) and _is_ours(os.path.join(folder, WORK)):
            notes += recover(folder)
    return notes


def _is_ours(path: str) -> bool:
    return not hasattr(os, "geteuid") or os.lstat(path).st_uid == os.geteuid()


def finish(path: str) -> list[str]:
    """Recover a folder that the caller has locked."""
    journal = _load(path)
    if journal is None:
        return []
    try:
        journal.check()
        journal.carry_out()
        journal.end()
    except OSError as error:
        where = error.filename2 or error.filename or path
        raise Refused(
            f"{path}: a run of krmkit was killed before it had put all files into place, and this cannot be finished:"
            f" {where}: {error.strerror or error}"
        ) from None
    primitives.remove_tree(os.path.join(path, WORK))
    count = len(journal.steps)
    files = "1 file" if count == 1 else f"{count} files"
    done = "took it back" if journal.back else "completed it"
    return [f"{path}: a run was killed while it put {files} into place; {done}"]


def unfinished(path: str) -> bool:
    """Return True if the folder `path` has a journal of a running or killed run."""
    return os.path.lexists(os.path.join(path, JOURNAL)) or os.path.lexists(os.path.join(path, BACK))


def _load(root: str) -> Journal | None:
    import json

    for name in (BACK, JOURNAL):
        place = os.path.join(root, name)
        try:
            # A package may bring a journal along, as a link to a device, or a pipe that nobody writes to.
            if os.path.islink(os.path.dirname(place)):
                raise ValueError(f"{WORK} must not be a link")
            data = json.loads(read_limited(place))
            if data["version"] != _VERSION:
                raise ValueError(f"its version must be {_VERSION}")
            steps = [JournalStep(*_checked(root, step)) for step in data["steps"]]
            prune = [_inside(root, folder) for folder in data["prune"]]
        except FileNotFoundError:
            continue
        except PermissionError as error:
            raise Refused(
                f"{root}: {error.strerror}; who runs krmkit must have the right to read and to write the folder"
            ) from None
        except (OSError, Refused, ValueError, KeyError, TypeError, RecursionError) as error:
            raise Refused(
                f"{place}: cannot be read as the journal of a killed run ({error}); nothing was touched."
                f" If you do not need what lies in {WORK}, delete that folder"
            ) from None
        return Journal(root, steps, prune, name == BACK)
    return None


def read_limited(path: str) -> bytes:
    """Return the content of a journal, which must be a regular file. Raises OSError, Refused, ValueError."""
    content = read_file(path, os.path.basename(path), limit=LARGEST, follow=False)
    if content is None:
        raise ValueError(f"must have at most {LARGEST:,} bytes")
    return content


def _checked(root: str, step: object) -> tuple[str, str, str, str]:
    """Return the four texts of a step.

    A package may come from an attacker: paths outside of it or in .git are refused.
    """
    if not (isinstance(step, list) and len(step) == 4 and all(isinstance(part, str) for part in step)):
        raise ValueError("a step must be four texts")
    path, new, old, before = step
    for place in (new, old):
        name = place.rpartition("/")[2]
        if place and not (place == f"{WORK}/{name}" or (name.startswith(".") and name.endswith(MARK))):
            raise ValueError(f"{place} must lie in {WORK}")
    return _inside(root, path), new and _inside(root, new), old and _inside(root, old), before


def _inside(root: str, path: object) -> str:
    if not isinstance(path, str) or "\0" in path:
        raise ValueError(f"{path!r} must be a path")
    segments = path.split("/")
    if any(segment.lower() in {"", ".", "..", ".git", "git~1"} for segment in segments):
        raise ValueError(f"{path!r} must be a path inside of the folder")
    folder = os.path.dirname(os.path.join(root, path))
    if os.path.realpath(folder) != os.path.join(os.path.realpath(root), *segments[:-1]):
        raise ValueError(f"{path!r} leads elsewhere through a link")
    return path


def _prune(root: str, folder: str) -> None:
    """Remove a folder and its parents below the root, as long as they are empty."""
    while folder:
        try:
            os.rmdir(os.path.join(root, folder))
        except FileNotFoundError:
            pass
        except OSError:
            return
        folder = folder.rpartition("/")[0]


def remove_leftover(path: str) -> None:
    """Remove what a killed run left. A folder that a running process makes is locked, and stays."""
    if not os.path.isdir(path) or os.path.islink(path):
        with suppress(OSError):
            os.remove(path)
        return
    parent, name = os.path.split(path)
    with suppress(ImportError, OSError):
        import fcntl

        # Writing to a folder takes a lock on it, making a new folder takes the lock on its parent.
        handle = os.open(parent if name == WORK else path, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if name != WORK or not unfinished(parent):
                primitives.remove_tree(path)
        finally:
            os.close(handle)
