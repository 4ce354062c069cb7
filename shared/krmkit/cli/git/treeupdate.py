"""Replaces folders of a repository's tree, and leaves every other entry as it is: only the trees above it are new."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from krmkit.cli.git.objects import EXECUTABLE, FILE, FOLDER, LINK, SUBMODULE, Objects, TreeEntry
from krmkit.cli.git.packfile import PackFile
from krmkit.cli.git.program import GitError


@dataclass(frozen=True, slots=True)
class File:
    """A file of a package: its content, and whether it can be executed."""

    content: bytes
    executable: bool = False


def read_files(objects: Objects, tree: str) -> dict[str, File]:
    """Return the files below a tree by path. Raises GitError for links, submodules and names that leave the folder."""
    found: dict[str, File] = {}
    for path, entry in objects.files(tree):
        if entry.mode in (LINK, SUBMODULE):
            kind = "symbolic link" if entry.mode == LINK else "submodule"
            raise GitError(f"{objects.repository.folder}: {path} is a {kind}; a package must hold files only")
        _check_path(objects, path)
        found[path] = File(objects.blob(entry.oid), entry.mode == EXECUTABLE)
    return found


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
    """Return the root tree in which each path is the tree given for it, or is gone where that is None.

    A folder that becomes empty goes too; None is returned where nothing is left.
    Example: {"shops/north": oid, "shops/south": None} puts north there and removes south.
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


def _check_path(objects: Objects, path: str) -> None:
    parts = path.split("/")
    if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts) or not path.isprintable():
        raise GitError(f"{objects.repository.folder}: {path!r} must be a plain path inside the package")
