"""Write files so that a crash at any moment leaves each of them as it was or as it should be, never half.

All new contents are first written to files beside their targets and flushed to the disk; then each is renamed over its
target, which is one step for the file system; then what is to go is removed. Before the first rename nothing has
changed, so a full disk or a missing right costs nothing. Who writes to a folder holds a lock on it, so that two who do so
at once come one after the other, and what a killed one had prepared can be told from what another is preparing.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MARK = ".krmkit-new"


class WriteError(OSError):
    """Files cannot be written; the message says which and why."""


class Change:
    """What becomes of one file: `before` and `after` are its texts, None where there is no file. With a `source` it
    becomes a copy of that file, its rights included."""

    __slots__ = ("after", "before", "path", "source")

    def __init__(self, path: str, before: str | None, after: str | None, source: str = "") -> None:
        self.path = path  # relative to the root package, with slashes
        self.before = before
        self.after = after
        self.source = source


def write(root: str, changes: list[Change], leftovers: Sequence[str] = (), careful: bool = False) -> None:
    """Bring the files below `root` to their new state. Raises WriteError; then no file was changed, or it says so.

    `leftovers` are paths of files that killed runs had prepared, as found before; they are removed. `careful`: a file
    must still be what its change says it was before.
    """
    if not changes and not leftovers:
        return
    lock = _locked(root)
    try:
        if lock is not None:
            for path in leftovers:
                _try(os.remove, os.path.join(root, path))
        _write(root, changes, careful)
    finally:
        if lock is not None:
            os.close(lock)


def _write(root: str, changes: list[Change], careful: bool) -> None:
    targets = [(change, _target(root, change)) for change in changes]
    if careful:
        for change, target in targets:
            _check(change, target)
    prepared: list[tuple[str, str]] = []
    made: list[str] = []
    done = 0
    try:
        for change, target in targets:
            if change.after is not None:
                made += _make_folders(os.path.dirname(target))
                prepared.append((_prepare(target, change.after, change.source), target))
        while prepared:
            os.replace(*prepared[0])
            prepared.pop(0)
            done += 1
        for change, target in targets:
            if change.after is None and os.path.lexists(target):
                os.remove(target)
                done += 1
        for folder in {os.path.dirname(target) for _, target in targets}:
            _sync_folder(folder)
    except WriteError:
        raise
    except OSError as error:
        so_far = f"; {done} of {len(targets)} files are in their new state" if done else ""
        where = error.filename2 or error.filename or root
        raise WriteError(f"cannot write {where}: {error.strerror or error}{so_far}") from None
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
        _make_folders(parent)
        place = tempfile.mkdtemp(prefix=f".{os.path.basename(target)}.", suffix=MARK, dir=parent)
    except WriteError:
        raise
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


def _locked(root: str) -> int | None:
    """The handle that holds the lock on a folder, None where the system or the file system has none."""
    try:
        import fcntl

        handle = os.open(root, os.O_RDONLY)
    except (ImportError, OSError):
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:
        os.close(handle)
        return None
    return handle


def _check(change: Change, target: str) -> None:
    """Somebody else may have written since the file was read; only what stands there now may be replaced."""
    try:
        with open(target, "rb") as file:
            now = file.read()
    except OSError:
        now = None
    known = [None if text is None else text.encode("utf-8") for text in (change.before, change.after)]
    if now not in known:
        raise WriteError(
            f"{change.path} was changed by somebody else while this ran; nothing was written, so run it again"
        )


def _target(root: str, change: Change) -> str:
    """Where a file really is; a link is followed, but not out of the package. What goes is the link itself."""
    path = change.path
    plain = os.path.join(root, path)
    if change.after is None:
        return plain
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
        if os.path.lexists(folder):
            raise WriteError(f"{folder} is a file, where a folder is to be made; nothing was written")
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


def _prepare(target: str, text: str, source: str) -> str:
    """A file beside the target with the new content, safe on the disk, with the target's rights."""
    import tempfile

    content = _read(source) if source else text.encode("utf-8")

    handle, temporary = tempfile.mkstemp(
        prefix=f".{os.path.basename(target)[:100]}.", suffix=MARK, dir=os.path.dirname(target)
    )
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            try:
                mode = os.stat(source or target).st_mode & 0o7777
            except FileNotFoundError:
                mode = 0o666 & ~_umask()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
    except BaseException:
        os.remove(temporary)
        raise
    return temporary


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise WriteError(f"cannot read {path}: {error.strerror or error}; nothing was written") from None


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
