"""List the refs of a repository, and change any number of them at once: all or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from krmkit.storage.git.foreign import NETWORK
from krmkit.storage.git.program import GitError, GitRepository
from krmkit.storage.git.refjournal import RepositoryLock
from krmkit.storage.git.refnames import NOTHING, OWN


def list_refs(repository: GitRepository) -> dict[str, str]:
    """Return every branch, tag and krmkit ref with its oid; an annotated tag has its commit's."""
    shown = repository.run(
        "for-each-ref", "--format=%(refname)%00%(objectname)%00%(*objectname)", "refs/heads", "refs/tags", OWN
    )
    refs: dict[str, str] = {}
    for line in shown.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        name, oid, peeled = line.split("\0")
        refs[name] = peeled or oid
    return refs


def checked_out(repository: GitRepository) -> dict[str, str]:
    """Return each branch that a work tree has checked out, with the work tree's folder."""
    listed = repository.run("worktree", "list", "--porcelain").decode("utf-8", "surrogateescape")
    branches: dict[str, str] = {}
    for entry in listed.split("\n\n"):
        fields = dict(line.partition(" ")[::2] for line in entry.split("\n") if line)
        if "branch" in fields and "bare" not in fields:
            branches[fields["branch"]] = fields.get("worktree", "")
    return branches


class RefChanges:
    """Changes of refs, each with its expected old value: if it differs, another process was faster."""

    def __init__(self, repository: GitRepository, seen: Mapping[str, str]) -> None:
        self.repository = repository
        self._seen = dict(seen)
        self.changes: dict[str, str] = {}
        self.protocols = NETWORK
        self._undo: dict[str, str | None] = {}
        self._below: dict[str, str] | None = None
        self._checked_out: dict[str, str] | None = None

    @contextmanager
    def attempt(self) -> Iterator[dict[str, str | None]]:
        """Undo the changes of a `with` block that raises; yield the undo data for a later `take_back`."""
        undo = self._undo = {}
        try:
            yield undo
        except BaseException:
            self.take_back(undo)
            raise

    def take_back(self, undo: Mapping[str, str | None]) -> None:
        """Restore the refs as they were before an attempt."""
        for name, oid in undo.items():
            if oid is None:
                self.changes.pop(name, None)
            else:
                self.changes[name] = oid

    def set(self, name: str, oid: str) -> None:
        """Set a ref to a commit, and create it if needed.

        Raises GitError if the name is a folder of other refs, or below another ref: git would refuse the
        whole transaction.
        """
        self._refuse_checked_out(name)
        other = self._in_the_way(name)
        if other:
            raise GitError(
                f"{name} cannot be made while there is {other}: one would be a folder of the other"
            )
        self._undo.setdefault(name, self.changes.get(name))
        if self._seen.get(name, NOTHING) == oid:
            self.changes.pop(name, None)
        else:
            self.changes[name] = oid

    def _refuse_checked_out(self, name: str) -> None:
        """Raise GitError if a work tree has the branch checked out.

        Its files would be out of date, and a commit of them would undo the change.
        """
        if self._checked_out is None:
            self._checked_out = checked_out(self.repository)
        if name in self._checked_out:
            raise GitError(
                f"{name} is checked out in {self._checked_out[name]}, whose next commit would undo the change;"
                " name a bare repository, or check out another branch there"
            )

    def _in_the_way(self, name: str) -> str:
        if self._below is None:
            self._below = {folder: one for one in self._seen for folder in _folders(one)}
        for folder in _folders(name):
            if self.get(folder) is not None:
                return folder
        below = self._below.get(name, "")
        if below and self.get(below) is None:  # that ref was deleted; there may be others
            names = (one for one in {**self._seen, **self.changes} if one.startswith(f"{name}/"))
            below = next((one for one in names if self.get(one) is not None), "")
        if not below:
            self._below.update(dict.fromkeys(_folders(name), name))
        return below

    def delete(self, name: str) -> None:
        """Remove a ref, if it exists. Raises GitError for a branch that is checked out."""
        if name in self._seen:
            self._refuse_checked_out(name)
        self._undo.setdefault(name, self.changes.get(name))
        if name in self._seen:
            self.changes[name] = NOTHING
        else:
            self.changes.pop(name, None)

    def get(self, name: str) -> str | None:
        """Return the oid of a ref after these changes, None if it does not exist."""
        oid = self.changes.get(name, self._seen.get(name, NOTHING))
        return None if oid == NOTHING else oid

    def commit(self) -> None:
        """Carry out all changes in one transaction. Raises GitError, and changes nothing, if one fails."""
        if not self.changes:
            return
        pairs = {name: (self._seen.get(name, NOTHING), oid) for name, oid in self.changes.items()}
        try:
            with RepositoryLock(self.repository) as lock:
                lock.update(pairs)
        except GitError as error:
            raise _overtaken(error) from None
        for name, oid in self.changes.items():
            if oid == NOTHING:
                self._seen.pop(name, None)
            else:
                self._seen[name] = oid
        self.changes.clear()

    def push(self, remote: str) -> None:
        """Push every branch and tag that `commit` would change to a remote over `protocols`, all or none."""
        if not self.changes:
            return
        leases = [f"--force-with-lease={name}:{self._old(name)}" for name in sorted(self.changes)]
        specs = [f"{'' if oid == NOTHING else oid}:{name}" for name, oid in sorted(self.changes.items())]
        try:
            self.repository.push(remote, leases, specs, self.protocols)
        except GitError as error:
            raise _overtaken(error) from None

    def _old(self, name: str) -> str:
        """Return the old value of a ref for a lease; "" means that the ref must not exist."""
        return self._seen.get(name, "")


def _overtaken(error: GitError) -> GitError:
    """Return the error, with advice if another process changed a ref meanwhile."""
    raced = any(words in str(error) for words in ("cannot lock ref", "stale info", "fetch first"))
    return GitError(f"{error}; if another sync was faster, run this one again") if raced else error


def _folders(name: str) -> list[str]:
    """`_folders("refs/heads/a/b")` is ["refs", "refs/heads", "refs/heads/a"]."""
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]
