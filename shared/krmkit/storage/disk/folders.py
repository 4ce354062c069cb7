"""Read folders by one set of rules, for packages, packs, blueprints and fleets.

- Leftovers of a killed run of krmkit are not read as files of the folder (`is_leftover`).
- Only regular files, and links to them, are read. Pipes, sockets and devices are refused without opening them
  to read, so they cannot make a run wait.
- A caller that copies a folder reads it with `within`: then a link must not lead out of it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

from krmkit.krm.errors import Refused

MARK = ".krmkit-new"  # a file or folder that was being made: .NAME.xxxx.krmkit-new
SETTINGS = ".krmkit.yaml"
WORK = ".krmkit-work"  # the folder in which a writer prepares what it is about to put into place
DEEPEST = 200
"""Folders in folders that are read; deeper ones are an error, as no tree that a person made has them."""
_MOST_LINKS = 40  # on the way to a file, as for the kernel of Linux
_NO_FILE = "must be a regular file, or a link to one; put a copy of the file in its place"


def is_leftover(name: str) -> bool:
    """Return True for the name of a temporary file or folder of krmkit.

    Example: `.app.yaml.k3x9.krmkit-new` and `.krmkit-work` are leftovers, `app.krmkit-new` is not.
    """
    return name == WORK or (name.startswith(".") and name.endswith(MARK))


def entries(folder: str, leftovers: list[str] | None = None) -> list[tuple[str, bool]]:
    """Return the sorted (name, is a folder) of all in `folder`; a link to a folder is not a folder.

    Names of leftovers are appended to `leftovers` instead. Example: `entries("pkg") == [("Kptfile", False),
    ("sub", True)]`.
    """
    found = []
    with os.scandir(folder) as listed:
        for entry in listed:
            if not is_leftover(entry.name):
                found.append((entry.name, entry.is_dir(follow_symlinks=False)))
            elif leftovers is not None:
                leftovers.append(entry.name)
    return sorted(found)


def walk(folder: str, unread: list[str] | None = None) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield what os.walk does. Raises Refused for folders more than DEEPEST deep, too many for the stack.

    An unreadable folder is appended to `unread`; without that list it raises Refused.
    """

    def note(error: OSError) -> None:
        if isinstance(error, (FileNotFoundError, NotADirectoryError)):
            return  # it was removed meanwhile
        if unread is None:
            raise Refused(f"{error.filename}: {error.strerror or error}")
        unread.append(error.filename)

    above = folder.count(os.sep)
    for place, inner, names in os.walk(folder, onerror=note):
        check_depth(place.count(os.sep) - above, place)
        yield place, inner, names


def check_depth(depth: int, path: str) -> None:
    """Raise Refused for a depth over the limit."""
    if depth > DEEPEST:
        raise Refused(
            f"{path[:60]}...: lies more than {DEEPEST} folders deep (krmkit.storage.disk.folders.DEEPEST)"
        )


def files(folder: str, inner: str = "") -> Iterator[str]:
    """Yield the paths of all files below `folder`, links and special files included, .git left out.

    Raises Refused for a name that is not UTF-8. Example: `list(files("pkg")) == ["Kptfile", "sub/a.yaml"]`.
    """
    check_depth(inner.count("/"), inner)
    for name, is_folder in entries(os.path.join(folder, inner)):
        path = f"{inner}/{name}" if inner else name
        if not is_folder:
            check_name(path, folder)
            yield path
        elif name != ".git":
            yield from files(folder, path)


def resolved_by(link: str) -> list[str]:
    """Return the links that a path goes through, and their final target, which is absent for a loop.

    Example: if `a` is a link to `b`, and `b` one to the file `c`: [".../a", ".../b", ".../c"].
    """
    passed: list[str] = []
    place, rest = os.path.realpath(os.path.dirname(link)), [os.path.basename(link)]
    while rest:
        place = os.path.normpath(os.path.join(place, rest.pop(0)))
        if os.path.islink(place):
            if len(passed) == _MOST_LINKS:
                return passed
            passed.append(place)
            target = os.readlink(place)
            place = os.sep if os.path.isabs(target) else os.path.dirname(place)
            rest = [*target.split(os.sep), *rest]
    return [*passed, place]


def check_name(path: str, folder: str) -> None:
    """Raise Refused if a file's path is not UTF-8: no Kptfile, result or message could hold it."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        shown = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        raise Refused(f"{folder}: the file name {shown} is not UTF-8; rename the file") from None


def open_file(path: str, label: str, within: str = "", follow: bool = True) -> int:
    """Open a regular file for reading, and return its descriptor. Raises Refused, OSError.

    `within`: links must not lead out of this folder. `follow`: the file may be a link. Example:
    `os.close(open_file("pkg/Kptfile", "Kptfile", within="pkg"))`.
    """
    if within:
        real, root = os.path.realpath(path), os.path.realpath(within)
        if not real.startswith(root.rstrip("/") + "/"):
            raise Refused(
                f"{label}: is a link to {real}, outside of {within}; put a copy of the file in its place"
            )
    try:
        # Do not wait for a writer if it is a pipe.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        handle = os.open(path, flags if follow else flags | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        # A link to nowhere, or a socket, which cannot be opened.
        if os.path.lexists(path) and not (os.path.isfile(path) and (follow or not os.path.islink(path))):
            raise Refused(f"{label}: {_NO_FILE if follow else 'must be a regular file'}") from None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Refused(f"{label}: {_NO_FILE}")
    return handle


def read_file(path: str, label: str, within: str = "", limit: int = 0, follow: bool = True) -> bytes | None:
    """Return the content of a regular file; None if it has more than `limit` bytes (0: no limit).

    Raises Refused, OSError. Example: `read_file("pkg/Kptfile", "Kptfile")`.
    """
    with os.fdopen(open_file(path, label, within, follow), "rb") as file:
        if not limit:
            return file.read()
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            return None
        # Python sets aside as much memory as it is asked to read, so not the limit, unless the file grew.
        content = file.read(size + 1)
        if len(content) > size:
            content += file.read(limit + 1 - len(content))
    return None if len(content) > limit else content


def stamps(paths: Iterable[str]) -> list[tuple[str, int, int, int]]:
    """Return path, inode, size and time of each existing file; they differ after a change."""
    found = []
    for path in paths:
        try:
            status = os.stat(path)
        except OSError:
            continue
        found.append((path, status.st_ino, status.st_size, status.st_mtime_ns))
    return found


def settings_file(folder: str) -> str:
    """Return the nearest settings file at or above a folder, within its repository; "" if there is none."""
    place = os.path.realpath(folder)
    while True:
        path = os.path.join(place, SETTINGS)
        if os.path.isfile(path):
            return path
        above = os.path.dirname(place)
        if above == place or os.path.exists(os.path.join(place, ".git")):
            return ""
        place = above
