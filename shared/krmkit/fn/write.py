"""Write files so that a crash at any moment leaves each of them as it was or as it should be, never half.

All new contents are first written to files beside their targets and flushed to the disk; then each is renamed over its
target, which is one step for the file system; then what is to go is removed. Before the first rename nothing has
changed, so a full disk or a missing right costs nothing.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MARK = ".krmkit-new"


class WriteError(OSError):
    """Files cannot be written; the message says which and why."""


class Change:
    """What becomes of one file: `before` and `after` are its texts, None where there is no file."""

    __slots__ = ("after", "before", "path")

    def __init__(self, path: str, before: str | None, after: str | None) -> None:
        self.path = path  # relative to the root package, with slashes
        self.before = before
        self.after = after


def write(root: str, changes: list[Change]) -> None:
    """Bring the files below `root` to their new state. Raises WriteError; then no file was changed, or it says so."""
    targets = [(change, _target(root, change.path)) for change in changes]
    prepared: list[tuple[str, str]] = []
    made: list[str] = []
    try:
        for change, target in targets:
            if change.after is not None:
                made += _make_folders(os.path.dirname(target))
                prepared.append((_prepare(target, change.after), target))
        while prepared:
            os.replace(*prepared[0])
            prepared.pop(0)
        for change, target in targets:
            if change.after is None:
                os.remove(target)
        for folder in {os.path.dirname(target) for _, target in targets}:
            _sync_folder(folder)
    except OSError as error:
        raise WriteError(f"cannot write {error.filename or root}: {error.strerror or error}") from None
    finally:
        # Nothing is left to do here after success: the folders are not empty then.
        for temporary, _ in prepared:
            _try(os.remove, temporary)
        for folder in reversed(made):
            _try(os.rmdir, folder)


def write_folder(target: str, changes: list[Change]) -> None:
    """Make a folder, which must not be there yet, that holds the `after` of all changes; it appears whole or not at all."""
    import tempfile

    target = os.path.abspath(target)
    parent = os.path.dirname(target)
    try:
        os.makedirs(parent, exist_ok=True)
        place = tempfile.mkdtemp(prefix=f".{os.path.basename(target)}.", suffix=MARK, dir=parent)
    except OSError as error:
        raise WriteError(f"cannot make {target}: {error.strerror or error}") from None
    try:
        write(place, changes)
        os.chmod(place, 0o777 & ~_umask())
        if os.path.lexists(target):
            raise WriteError(f"{target} is there already; name a folder that does not exist yet")
        os.rename(place, target)
        place = ""
    except OSError as error:
        raise (
            error if isinstance(error, WriteError) else WriteError(f"cannot make {target}: {error.strerror}")
        ) from None
    finally:
        if place:
            import shutil

            shutil.rmtree(place, ignore_errors=True)


def write_file(path: str, text: str) -> None:
    """Write one file, its folder included."""
    path = os.path.abspath(path)
    write(os.path.dirname(path), [Change(os.path.basename(path), None, text)])


def _target(root: str, path: str) -> str:
    """Where a file really is; a link is followed, but not out of the package."""
    plain = os.path.join(root, path)
    target = os.path.realpath(plain)
    inside = os.path.realpath(root)
    if target != inside and not target.startswith(inside.rstrip("/") + "/"):
        raise WriteError(
            f"{path} is a link to {target}, outside of the package; nothing was written."
            " Put a copy of the file in its place, or list it in .krmignore"
        )
    if os.path.isdir(target):
        raise WriteError(f"{path} is a folder, where a file is to be written; nothing was written")
    return target


def _make_folders(folder: str) -> list[str]:
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    made = []
    for path in reversed(missing):
        os.mkdir(path)
        made.append(path)
    return made


def _try(remove: Callable[[str], None], path: str) -> None:
    try:
        remove(path)
    except OSError:
        pass


def _prepare(target: str, text: str) -> str:
    """A file beside the target with the new content, safe on the disk, with the target's rights."""
    import tempfile

    handle, temporary = tempfile.mkstemp(
        prefix=f".{os.path.basename(target)[:100]}.", suffix=MARK, dir=os.path.dirname(target)
    )
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            try:
                mode = os.stat(target).st_mode & 0o7777
            except FileNotFoundError:
                mode = 0o666 & ~_umask()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
    except BaseException:
        os.remove(temporary)
        raise
    return temporary


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync_folder(folder: str) -> None:
    """Make renames last; some file systems cannot, and the files themselves are safe."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
