"""Trees that git itself would not write, made by hand: names, modes and links that lead elsewhere."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.e2e.gitfleet import APP, KPTFILE, git

FILE, EXECUTABLE, LINK, FOLDER, SUBMODULE = "100644", "100755", "120000", "40000", "160000"
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
Entry = tuple[str, bytes, str]  # mode, name, oid


def stored(folder: Path, kind: str, content: bytes) -> str:
    """Write an object as it is, however broken; return its oid."""
    done = subprocess.run(
        ["git", "hash-object", "-t", kind, "-w", "--literally", "--stdin"],
        cwd=folder,
        input=content,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().strip()


def blob(folder: Path, content: str) -> str:
    return stored(folder, "blob", content.encode())


def tree(folder: Path, entries: list[Entry]) -> str:
    """Write a tree of these entries, in their order, with names and modes as they are."""
    raw = b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
    return stored(folder, "tree", raw)


def commit(folder: Path, top: str, *parents: str) -> str:
    words = [word for parent in parents for word in ("-p", parent)]
    return git(folder, "commit-tree", top, *words, "-m", "by hand")


def package(folder: Path, *entries: Entry) -> list[Entry]:
    """The entries of a sound package, and of what is given."""
    sound = [
        (FILE, b"Kptfile", blob(folder, KPTFILE)),
        (FILE, b"app.yaml", blob(folder, APP.replace('"1"', '"2"'))),
    ]
    return [*sound, *entries]


def release(folder: Path, number: int, entries: list[Entry]) -> str:
    """Add a version of the package `web` with these entries to a repository, on main too; return its commit."""
    top = tree(folder, [(FOLDER, b"web", tree(folder, entries))])
    made = commit(folder, top, git(folder, "rev-parse", "HEAD"))
    git(folder, "update-ref", f"refs/tags/web/v{number}", made)
    git(folder, "update-ref", "refs/heads/main", made)
    return made


def bomb(folder: Path, levels: int, width: int) -> str:
    """A tree with width**levels paths, of one tree object a level."""
    oid = blob(folder, MAP)
    entries = [(FILE, f"f{number}.yaml".encode(), oid) for number in range(width)]
    for _ in range(levels - 1):
        below = tree(folder, entries)
        entries = [(FOLDER, f"d{number}".encode(), below) for number in range(width)]
    return tree(folder, entries)


def deep(folder: Path, levels: int) -> str:
    """A tree with one file, so many folders deep."""
    below = tree(folder, [(FILE, b"a.yaml", blob(folder, MAP))])
    for _ in range(levels):
        below = tree(folder, [(FOLDER, b"d", below)])
    return below
