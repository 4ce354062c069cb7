"""A folder of a git repository at a revision: a source of files like a folder on disk."""

from __future__ import annotations

import os
from pathlib import Path

from krmkit.storage.disk.source import DiskFiles
from krmkit.storage.git.objects import Objects, TreeEntry
from krmkit.storage.git.program import GitRepository
from krmkit.storage.git.treeupdate import check_path, linked_content


class RevisionFiles:
    """Files of a folder in a revision, in a `with` block that ends its git process.

    rules: the name of a rules file, such as .krmignore: the current one on disk also applies to the revision.
    Raises GitError for an unknown or unreadable revision.
    """

    def __init__(self, folder: str, revision: str, rules: str) -> None:
        self.folder = os.path.realpath(folder)
        repository = GitRepository.open(Path(folder))
        repository.work_tree()  # refuses a work tree elsewhere
        self._prefix = repository.run("rev-parse", "--show-prefix").decode("utf-8").strip()
        self._now = DiskFiles(self.folder)
        self._rules = rules
        self._objects = Objects(repository)
        try:
            self._root = self._objects.commit(revision)[1].tree
            tree = self._objects.folder(self._root, self._prefix.rstrip("/"))
            self._files = dict(self._objects.files(tree)) if tree is not None else {}
            for path in self._files:
                check_path(self._objects, path)
        except BaseException:
            self._objects.close()
            raise
        self._listed: dict[str, dict[str, bool]] = {"": {}}
        for path in self._files:
            while path:
                above, _, name = path.rpartition("/")
                known = self._listed.setdefault(above, {})
                if name in known:
                    break
                known[name] = path not in self._files
                path = above

    def __enter__(self) -> RevisionFiles:
        return self

    def __exit__(self, *_: object) -> None:
        self._objects.close()

    def entries(self, inner: str, leftovers: list[str] | None = None) -> list[tuple[str, bool]]:
        return sorted(self._listed.get(inner, {}).items())

    def has(self, path: str) -> bool:
        """Return True if the revision has the file, or it is the rules file on disk."""
        return path in self._files or self._is_rule(path)

    def read(self, path: str, label: str, limit: int = 0) -> bytes | None:
        """Return the content of a file; links are followed inside the revision. Raises GitError."""
        if self._is_rule(path):
            return self._now.read(path, label, limit)
        entry: TreeEntry = self._files[path]
        content = linked_content(self._objects, self._root, f"{self._prefix}{path}", entry)
        return None if limit and len(content) > limit else content

    def _is_rule(self, path: str) -> bool:
        return path.rpartition("/")[2] == self._rules and self._now.has(path)
