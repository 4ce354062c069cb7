"""Make a transaction of many refs survive a kill: git itself may stop between two refs.

The changes are written to a journal and synced before git gets them. The next lock of the repository finds
the journal, and sets every ref that still has its old value to the new one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

from krmkit.krm.errors import Refused
from krmkit.storage.disk.journal import read_limited
from krmkit.storage.disk.primitives import take_lock
from krmkit.storage.git.program import GitError, GitRepository
from krmkit.storage.git.refnames import NOTHING, OWN, check_ref

_OID = re.compile("[0-9a-f]{40}")


class RepositoryLock:
    """Let one sync at a time write to a repository, in a `with` block; `note` reports a completed run.

    git's own process holds the lock too: while it changes refs, the sync does not count as dead.
    """

    def __init__(self, repository: GitRepository) -> None:
        self.repository = repository
        # All work trees of a repository share its refs, and so the lock.
        common = os.fsdecode(repository.run("rev-parse", "--git-common-dir").rstrip(b"\n"))
        self.folder = Path(os.path.abspath(repository.folder / common))
        self.note = ""
        self._handle = -1

    @property
    def _journal(self) -> Path:
        return self.folder / "krmkit-sync.json"

    @property
    def unfinished(self) -> bool:
        """Return True if a sync is running or was killed."""
        return self._journal.exists()

    def __enter__(self) -> RepositoryLock:
        self._handle = os.open(
            self.folder / "krmkit-sync.lock", os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644
        )
        try:
            problem = "" if take_lock(self._handle) else "another sync is running; run this one after it"
        except ImportError:
            problem = (
                "this system has no locks by fcntl, which a sync into git needs; run it on Linux or macOS"
            )
        if problem:
            os.close(self._handle)
            raise GitError(f"{self.repository.folder}: {problem}")
        if self._journal.exists():
            self._complete()
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    def update(self, changes: Mapping[str, tuple[str, str]]) -> None:
        """Set refs from old to new values, all or none. Raises GitError if one has another value."""
        self._save(changes)
        try:
            self._run(changes)
        except GitError:
            self._journal.unlink(missing_ok=True)
            raise
        os.sync()
        self._journal.unlink()

    def _run(self, changes: Mapping[str, tuple[str, str]]) -> None:
        lines = [b"start"]
        # Delete before creating: a branch a/b cannot be made while there is a branch a.
        for name, (old, new) in sorted(
            changes.items(), key=lambda change: (change[1][1] != NOTHING, change[0])
        ):
            verb = b"delete " if new == NOTHING else b"update "
            values = [old] if new == NOTHING else [new, old]
            lines.append(verb + name.encode("utf-8", "surrogateescape") + b" " + " ".join(values).encode())
        lines += [b"prepare", b"commit", b""]
        # One sync at the end for all refs: git would sync each of ten thousand files.
        self.repository.run(
            "update-ref",
            "--stdin",
            stdin=b"\n".join(lines),
            config=("core.fsync=-reference",),
            inherit=(self._handle,),
        )

    def _save(self, changes: Mapping[str, tuple[str, str]]) -> None:
        place = self._journal.with_suffix(".new")
        place.unlink(missing_ok=True)  # it may be a link to a foreign file
        with open(place, "x", encoding="utf-8", errors="surrogateescape") as stream:
            json.dump(changes, stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(place, self._journal)

    def _complete(self) -> None:
        """Set the refs of a killed run to their new values; a ref that has moved since keeps its value."""
        try:
            content = read_limited(str(self._journal)).decode("utf-8", "surrogateescape")
            changes = {str(name): (str(old), str(new)) for name, (old, new) in json.loads(content).items()}
            _check(changes, self.folder)
        except (OSError, Refused, ValueError, AttributeError, RecursionError) as error:
            why = f" ({error})" if isinstance(error, Refused) else ""
            raise GitError(
                f"{self._journal}: cannot be read{why}; look at the repository's refs, then remove the file"
            ) from None
        for name in (*changes, "HEAD", "packed-refs"):
            # The process that held these is dead: the lock is free.
            (self.folder / f"{name}.lock").unlink(missing_ok=True)
        # git writes the new packed refs beside the old ones, and fails if this file exists.
        (self.folder / "packed-refs.new").unlink(missing_ok=True)
        listed = self.repository.run("for-each-ref", "--format=%(refname) %(objectname)").decode(
            "utf-8", "surrogateescape"
        )
        now = dict(line.split(" ", 1) for line in listed.split("\n")[:-1])
        rest = still_to_do(changes, now)
        if rest:
            self._run(rest)
        os.sync()
        self._journal.unlink()
        self.note = (
            f"completed a sync that was killed: {len(rest)} of {len(changes)} refs were still to be changed"
        )


def still_to_do(changes: Mapping[str, tuple[str, str]], now: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return a killed run's changes whose refs still have the old value. `now`: the current refs."""
    return {name: pair for name, pair in changes.items() if now.get(name, NOTHING) == pair[0] != pair[1]}


def _check(changes: Mapping[str, tuple[str, str]], folder: Path) -> None:
    top = os.path.realpath(folder)
    for name, oids in changes.items():
        try:
            check_ref(name)
        except GitError as error:
            raise Refused(str(error)) from None
        place = os.path.realpath((folder / name).parent)
        if not name.startswith(("refs/heads/", "refs/tags/", f"{OWN}/")) or not place.startswith(
            f"{top}{os.sep}refs"
        ):
            raise Refused(f"{name!r} must be a branch, a tag or below {OWN}")
        if not all(_OID.fullmatch(oid) for oid in oids):
            raise Refused(f"{name!r}: must go from one object to another, got {oids}")
