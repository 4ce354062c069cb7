"""Write blobs, trees and commits into a repository as one pack: one process for thousands of objects.

Oids are computed before writing, so a commit can be built in memory and dropped. The repository does not
change until `store`, which changes no ref: objects without a ref are invisible.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from krmkit.storage.git.objects import FOLDER, TreeEntry, entries_of
from krmkit.storage.git.program import GitRepository

_TYPES = {"commit": 1, "tree": 2, "blob": 3}


@dataclass(slots=True)
class PackFile:
    """Objects to be written, without duplicates.

    `unsaved`: (type, content) by oid of the trees and commits, so that they can be read before they are
    stored. `label`: the owner of the objects being added.
    """

    _entries: dict[str, bytes] = field(init=False, default_factory=dict)
    label: str = field(init=False, default="")
    _first: dict[str, str] = field(init=False, default_factory=dict)  # the owners of objects not yet stored
    _shared: dict[str, set[str]] = field(init=False, default_factory=dict)  # the labels that have a tree
    _inside: dict[str, set[str]] = field(init=False, default_factory=dict)  # the oids in such a tree
    unsaved: dict[str, tuple[str, bytes]] = field(init=False, default_factory=dict)

    def __len__(self) -> int:
        return len(self._entries)

    def blob(self, content: bytes) -> str:
        """Add a file's content; return its oid."""
        return self._add("blob", content)

    def tree(self, entries: Iterable[TreeEntry]) -> str:
        """Add a tree of these entries, in any order; return its oid."""
        ordered = sorted(
            entries, key=lambda entry: _bytes(entry.name) + (b"/" if entry.mode == FOLDER else b"")
        )
        content = b"".join(
            entry.mode.encode() + b" " + _bytes(entry.name) + b"\0" + bytes.fromhex(entry.oid)
            for entry in ordered
        )
        return self._add("tree", content)

    def commit(self, tree: str, parents: Iterable[str], author: str, message: str) -> str:
        """Add a commit; return its oid. `author` is `Name <mail> SECONDS +ZONE`, for the committer too."""
        lines = [
            f"tree {tree}",
            *(f"parent {parent}" for parent in parents),
            f"author {author}",
            f"committer {author}",
        ]
        return self._add("commit", ("\n".join(lines) + "\n\n" + message).encode())

    def store(self, repository: GitRepository) -> None:
        """Write all objects; git checks each object and that the objects it refers to exist."""
        if not self._entries:
            return
        head = b"PACK" + struct.pack(">II", 2, len(self._entries))
        body = b"".join([head, *self._entries.values()])
        repository.run("index-pack", "--stdin", "--strict", stdin=body + hashlib.sha1(body).digest())
        self._entries.clear()
        self._first.clear()
        self._shared.clear()

    def give_up(self, label: str) -> None:
        """Drop the objects added under this label, unless another label's tree has them."""
        for labels in self._shared.values():
            labels.discard(label)
        for oid in [oid for oid, first in self._first.items() if first == label]:
            if others := self.owners(oid) - {label}:
                self._first[oid] = min(others)
            else:
                del self._entries[oid], self._first[oid]
                self.unsaved.pop(oid, None)

    def share(self, tree: str) -> None:
        """Add a tree to the label, even if another label added it."""
        self._shared.setdefault(tree, set()).add(self.label)

    def owners(self, oid: str) -> set[str]:
        """Return the labels of an object that is not yet stored."""
        if oid not in self._first:
            return set()
        shared = (labels for tree, labels in self._shared.items() if labels and oid in self._below(tree))
        return {self._first[oid]}.union(*shared)

    def _below(self, tree: str) -> set[str]:
        if tree not in self._inside:
            content = self.unsaved.get(tree, ("", b""))
            inner = [one.oid for one in entries_of(content[1])] if content[0] == "tree" else []
            self._inside[tree] = {tree, *inner}.union(*map(self._below, inner))
        return self._inside[tree]

    def _add(self, kind: str, content: bytes) -> str:
        oid = hashlib.sha1(f"{kind} {len(content)}\0".encode() + content).hexdigest()
        if oid not in self._entries:
            if kind != "blob":
                self.unsaved[oid] = (kind, content)
            self._first[oid] = self.label
            self._entries[oid] = _size(_TYPES[kind], len(content)) + zlib.compress(content, 1)
        return oid


def _size(kind: int, size: int) -> bytes:
    """Return an entry's header of type and size: four bits of size in the first byte, seven in each other."""
    byte = (kind << 4) | (size & 15)
    size >>= 4
    head = bytearray()
    while size:
        head.append(byte | 128)
        byte = size & 127
        size >>= 7
    head.append(byte)
    return bytes(head)


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
