"""Read commits, trees and blobs of a repository through one `git cat-file --batch` process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from krmkit.storage.git.program import GitError, GitRepository

FILE, EXECUTABLE, LINK, FOLDER, SUBMODULE = "100644", "100755", "120000", "40000", "160000"
BIGGEST_BLOB = 64 * 1024 * 1024
DEEPEST = 64
MOST_FOLDERS = 100_000
_DIGITS = 13  # times with fewer digits are before the year 33658


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """An entry of a tree: `mode` is FILE, EXECUTABLE, LINK, FOLDER or SUBMODULE; `oid`: 40 hex digits."""

    mode: str
    name: str
    oid: str


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: tree, parents, message, and its time in seconds since 1970."""

    tree: str
    parents: tuple[str, ...]
    message: str
    time: int


class Objects:
    """A reader for a `with` block; objects are looked up by name (a revision or an oid).

    `unsaved`: trees and commits not yet in the repository, (type, content) by oid.
    """

    def __init__(
        self, repository: GitRepository, unsaved: Mapping[str, tuple[str, bytes]] | None = None
    ) -> None:
        self.repository = repository
        self._unsaved = unsaved if unsaved is not None else {}
        self._process = repository.start("cat-file", "--batch")

    def __enter__(self) -> Objects:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reopen(self) -> None:
        """Restart git, so that it sees packs that were written meanwhile."""
        self.close()
        self._process = self.repository.start("cat-file", "--batch")

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()

    def read(self, name: str) -> tuple[str, str, bytes] | None:
        """Return (oid, type, content), or None if there is no such object.

        Raises GitError for a name of several lines, and for a blob over BIGGEST_BLOB bytes.
        """
        if "\n" in name or "\0" in name:
            raise GitError(f"{self.repository.name}: a revision must be one line, got {name!r}")
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        stdin.write(name.encode("utf-8", "surrogateescape") + b"\n")
        stdin.flush()
        header = stdout.readline().decode("utf-8", "replace").rsplit(" ", 2)
        if len(header) < 3 or not header[2].strip().isdigit():
            if not header[0]:
                raise GitError(f"{self.repository.name}: git cat-file ended while {name} was read")
            return None
        oid, kind, size = header[0], header[1], int(header[2])
        if size > BIGGEST_BLOB:
            self.reopen()  # the rest of the object must not be read as the next answer
            raise GitError(
                f"{self.repository.name}: object {oid} has {size} bytes; at most {BIGGEST_BLOB} are read"
            )
        content = stdout.read(size)
        if len(content) < size or stdout.read(1) != b"\n":
            self.reopen()
            raise GitError(f"{self.repository.name}: object {oid} is broken: git cannot read all of it")
        return oid, kind, content

    def _pending(self, oid: str, wanted: str) -> tuple[str, str, bytes] | None:
        kind, content = self._unsaved.get(oid, ("", b""))
        return (oid, kind, content) if kind == wanted else None

    def commit(self, name: str) -> tuple[str, Commit]:
        """Return the oid and the commit of a revision; annotated tags are dereferenced."""
        entry = self._pending(name, "commit") or self.read(f"{name}^{{commit}}")
        if entry is None:
            raise GitError(f"{self.repository.name}: there is no commit {name}")
        head, _, message = entry[2].decode("utf-8", "replace").partition("\n\n")
        fields = [line.split(" ", 1) for line in head.split("\n") if " " in line]
        tree = next((value for key, value in fields if key == "tree"), "")
        time = next((value.rsplit(" ", 2)[1] for key, value in fields if key == "committer"), "0")
        parents = tuple(value for key, value in fields if key == "parent")
        return entry[0], Commit(tree, parents, message, _seconds(time))

    def tree(self, oid: str) -> list[TreeEntry]:
        """Return the entries of a tree, in git's order."""
        entry = self._pending(oid, "tree") or self.read(oid)
        if entry is None or entry[1] != "tree":
            raise GitError(
                f"{self.repository.name}: {oid} must be a tree, got {entry[1] if entry else 'nothing'}"
            )
        try:
            return list(entries_of(entry[2]))
        except ValueError as error:
            raise GitError(f"{self.repository.name}: tree {oid} is broken: {error}") from None

    def blob(self, oid: str) -> bytes:
        """Return the content of a file."""
        entry = self.read(oid)
        if entry is None or entry[1] != "blob":
            raise GitError(
                f"{self.repository.name}: {oid} must be a blob, got {entry[1] if entry else 'nothing'}"
            )
        return entry[2]

    def folder(self, tree: str, path: str) -> str | None:
        """Return the oid of the tree at a path below `tree`, None if there is none; "" is `tree` itself."""
        for part in path.split("/") if path else ():
            entry = next((one for one in self.tree(tree) if one.name == part and one.mode == FOLDER), None)
            if entry is None:
                return None
            tree = entry.oid
        return tree

    def entry(self, tree: str, path: str) -> TreeEntry | None:
        """Return the entry at a path below `tree`, None if there is none."""
        folder, _, name = path.rpartition("/")
        above = self.folder(tree, folder)
        if above is None:
            return None
        return next((one for one in self.tree(above) if one.name == name), None)

    def files(self, tree: str, prefix: str = "") -> Iterator[tuple[str, TreeEntry]]:
        """Yield (path, entry) of every entry below a tree that is not a folder, in the order of the trees.

        Raises GitError below DEEPEST levels, and beyond MOST_FOLDERS folders: a few trees in each other can
        hold millions of paths.
        """
        waiting = [(tree, prefix)]
        count = 0
        while waiting:
            oid, folder = waiting.pop()
            count += 1
            if folder.count("/") > DEEPEST or count > MOST_FOLDERS:
                limit = f"{MOST_FOLDERS} folders" if count > MOST_FOLDERS else f"{DEEPEST} levels"
                raise GitError(f"{self.repository.name}: {folder[:80]}: must have at most {limit}")
            below = []
            for entry in self.tree(oid):
                path = f"{folder}{entry.name}"
                if entry.mode == FOLDER:
                    below.append((entry.oid, f"{path}/"))
                else:
                    yield path, entry
            waiting += reversed(below)


def _seconds(time: str) -> int:
    """Return a committer's seconds since 1970, 0 for text that git would not write."""
    return int(time) if time.isascii() and time.isdecimal() and len(time) < _DIGITS else 0


def entries_of(content: bytes) -> Iterator[TreeEntry]:
    """Yield the entries of a raw tree: mode, a space, name, NUL, then 20 bytes of oid for each.

    Raises ValueError for anything else, and for a name that occurs twice.
    """
    place = 0
    names: set[bytes] = set()
    while place < len(content):
        blank = content.find(b" ", place)
        end = content.find(b"\0", blank)
        mode = content[place:blank].decode("ascii", "replace")
        if blank < 0 or end < 0 or len(content) < end + 21 or not mode.isdecimal():
            raise ValueError(
                f"an entry must be a mode, a blank, a name, NUL and 20 bytes, got {content[place : place + 40]!r}"
            )
        raw = content[blank + 1 : end]
        if raw in names:
            raise ValueError(f"the name {raw[:40]!r} must occur once")
        names.add(raw)
        yield TreeEntry(mode, raw.decode("utf-8", "surrogateescape"), content[end + 1 : end + 21].hex())
        place = end + 21
