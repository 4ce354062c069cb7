"""Update a folder of a tree from one version of a package to another, and keep files that others added.

Nested packages and files that people added by hand both stay.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from krmkit.storage.git.objects import FOLDER, Objects, TreeEntry
from krmkit.storage.git.packfile import PackFile

Entries = dict[str, TreeEntry]


@dataclass(slots=True)
class FolderMerge:
    """Merges trees, and collects paths: `restored` were missing; edits are `kept` or `replaced`."""

    objects: Objects
    pack: PackFile
    restored: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)

    def merge(self, before: str | None, after: str | None, now: str | None, path: str = "") -> str | None:
        """Return the tree `now` with the changes from `before` to `after`, None if nothing is left.

        Entries of `after` that `now` lacks are restored, even if `before` has them.
        """
        if now in (before, None) and (now is None or before is not None):
            if now is None and before is not None and path and after is not None:
                self.restored.append(path)
            return after
        if now == after:
            return after
        old, new, here = (self._entries(tree) for tree in (before, after, now))
        merged: list[TreeEntry] = []
        for name in sorted({*old, *new, *here}):
            place = f"{path}/{name}" if path else name
            entry = self._entry(place, old.get(name), new.get(name), here.get(name))
            if entry is not None:
                merged.append(entry)
        return self.pack.tree(merged) if merged else None

    def _entry(
        self, path: str, old: TreeEntry | None, new: TreeEntry | None, here: TreeEntry | None
    ) -> TreeEntry | None:
        if here == new:
            return here
        if here is not None and here.mode == FOLDER and (_is_folder(old) or _is_folder(new) or new is None):
            below = self.merge(_folder(old), _folder(new), here.oid, path)
            return TreeEntry(FOLDER, here.name, below) if below is not None else None
        if here is None:
            if old is not None and new is not None:
                self.restored.append(path)
            return new
        if here == old:
            return new
        if old == new:
            if old is not None:
                self.kept.append(path)
            return here
        self.replaced.append(path)
        return new

    def _entries(self, tree: str | None) -> Entries:
        return {entry.name: entry for entry in self.objects.tree(tree)} if tree is not None else {}


def _is_folder(entry: TreeEntry | None) -> bool:
    return entry is not None and entry.mode == FOLDER


def _folder(entry: TreeEntry | None) -> str | None:
    return entry.oid if entry is not None and entry.mode == FOLDER else None
