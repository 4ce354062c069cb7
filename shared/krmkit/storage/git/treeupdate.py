"""Replace folders of a repository's tree; every other entry stays, and only the trees above are new."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass

from krmkit.storage.disk.folders import is_leftover
from krmkit.storage.git.objects import EXECUTABLE, FILE, FOLDER, LINK, SUBMODULE, Objects, TreeEntry
from krmkit.storage.git.packfile import PackFile
from krmkit.storage.git.program import GitError

MOST_FILES = 10_000
MOST_BYTES = 128 * 1024 * 1024
_MOST_LINKS = 16
_GIT = (".git", "git~1")  # names of the same folder on other file systems
LONGEST_NAME = 255  # bytes of a file's name on most disks


@dataclass(frozen=True, slots=True)
class File:
    """A file of a package: its content, and whether it is executable."""

    content: bytes
    executable: bool = False


def read_files(objects: Objects, tree: str) -> dict[str, File]:
    """Return the files below a tree by path.

    Raises GitError for links, submodules, names that leave the folder, and for more than MOST_FILES files or
    MOST_BYTES bytes.
    """
    contents: dict[str, File] = {}
    rest = MOST_BYTES
    for path, entry in objects.files(tree):
        if entry.mode in (LINK, SUBMODULE):
            kind = "symbolic link" if entry.mode == LINK else "submodule"
            raise GitError(f"{objects.repository.name}: {path} is a {kind}; a package must hold files only")
        check_path(objects, path)
        content = objects.blob(entry.oid)
        rest -= len(content)
        if len(contents) == MOST_FILES or rest < 0:
            limit = f"{MOST_BYTES} bytes" if rest < 0 else f"{MOST_FILES} files"
            raise GitError(f"{objects.repository.name}: {path}: a package must have at most {limit}")
        contents[path] = File(content, entry.mode == EXECUTABLE)
    return contents


def linked_content(objects: Objects, root: str, path: str, entry: TreeEntry) -> bytes:
    """Return the content of an entry at a path of the tree `root`; links are followed inside of it.

    Raises GitError for a submodule, and for a link that leads out of the tree, to no file, or in a loop.
    """
    name = objects.repository.name
    place = path
    for _ in range(_MOST_LINKS):
        if entry.mode == SUBMODULE:
            raise GitError(f"{name}: {path} is a submodule; it must be a file")
        if entry.mode != LINK:
            return objects.blob(entry.oid)
        target = objects.blob(entry.oid).decode("utf-8", "surrogateescape")
        place = posixpath.normpath(posixpath.join(posixpath.dirname(place), target))
        target_entry = None if place.startswith(("/", "..")) else objects.entry(root, place)
        if target_entry is None:
            raise GitError(f"{name}: {path} is a link to {target!r}; it must lead to a file of the revision")
        entry = target_entry
    raise GitError(f"{name}: {path} leads through more than {_MOST_LINKS} links; it must lead to a file")


def write_files(pack: PackFile, files: Mapping[str, File]) -> str:
    """Add a tree with these files, by path; return its oid."""
    folders: dict[str, dict[str, File]] = {}
    entries: list[TreeEntry] = []
    for path, file in files.items():
        first, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(first, {})[rest] = file
        else:
            entries.append(TreeEntry(EXECUTABLE if file.executable else FILE, first, pack.blob(file.content)))
    entries += [TreeEntry(FOLDER, name, write_files(pack, below)) for name, below in folders.items()]
    return pack.tree(entries)


def replace_folders(
    objects: Objects, pack: PackFile, root: str | None, folders: Mapping[str, str | None]
) -> str | None:
    """Return the root tree with each path replaced by its tree, or removed for None.

    Folders that become empty are removed too; the result is None if nothing is left. Example: {"shops/north":
    oid, "shops/south": None} puts north there and removes south.
    """
    if "" in folders:
        return folders[""]
    entries = {entry.name: entry for entry in objects.tree(root)} if root is not None else {}
    below: dict[str, dict[str, str | None]] = {}
    for path, folder in folders.items():
        first, _, rest = path.partition("/")
        below.setdefault(first, {})[rest] = folder
    for name, changes in below.items():
        old = entries.pop(name, None)
        tree = replace_folders(
            objects, pack, old.oid if old is not None and old.mode == FOLDER else None, changes
        )
        if tree is not None:
            entries[name] = TreeEntry(FOLDER, name, tree)
    return pack.tree(entries.values()) if entries else None


def check_path(objects: Objects, path: str) -> None:
    """Raise GitError for a path that leaves its folder, lies in .git, or is a temporary file of krmkit."""
    parts = path.split("/")
    if any(len(part.encode("utf-8", "surrogateescape")) > LONGEST_NAME for part in parts):
        raise GitError(
            f"{objects.repository.name}: {path[:40]}...: a name must have at most {LONGEST_NAME} bytes"
        )
    if (
        any(part in ("", ".", "..") or part.lower().rstrip(" .") in _GIT for part in parts)
        or not path.isprintable()
    ):
        raise GitError(f"{objects.repository.name}: {path!r} must be a plain path inside the package")
    if any(is_leftover(part) for part in parts):
        raise GitError(
            f"{objects.repository.name}: {path} has a name that is krmkit's own; a package must not hold it"
        )
