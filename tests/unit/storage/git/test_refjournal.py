"""krmkit.storage.git.refjournal: transactions of refs that survive a kill."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from krmkit.storage.disk import primitives
from krmkit.storage.git.packfile import PackFile
from krmkit.storage.git.program import GitError, GitRepository
from krmkit.storage.git.refjournal import RepositoryLock
from krmkit.storage.git.refnames import NOTHING
from krmkit.storage.git.refs import list_refs
from tests.opened import openings_and_renames


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "r.git")], check=True)
    return GitRepository.open(tmp_path / "r.git")


@pytest.fixture
def commits(repository: GitRepository) -> list[str]:
    pack = PackFile()
    tree = pack.tree([])
    made = [pack.commit(tree, [], f"t <t@example.com> {number} +0000", "x") for number in range(2)]
    pack.store(repository)
    return made


def test_the_journal_appears_whole(repository: GitRepository, commits: list[str]) -> None:
    """It gets its name when it is complete: nobody opens it under that name to write, where a kill would leave half of it."""
    journal = str(repository.folder / "krmkit-sync.json")
    with openings_and_renames(journal) as (opened, renamed), RepositoryLock(repository) as lock:
        lock.update({"refs/heads/a": (NOTHING, commits[0])})

    assert len(renamed) == 1
    assert not opened


def leave(repository: GitRepository, changes: dict[str, tuple[str, str]]) -> None:
    """The journal of a run that was killed, with locks that git left behind."""
    (repository.folder / "krmkit-sync.json").write_text(json.dumps(changes), encoding="utf-8")
    (repository.folder / "refs" / "heads").mkdir(parents=True, exist_ok=True)
    for name in ("refs/heads/b", "HEAD", "packed-refs"):
        (repository.folder / f"{name}.lock").touch()
    (repository.folder / "packed-refs.new").touch()


def test_a_killed_run_is_completed(repository: GitRepository, commits: list[str]) -> None:
    """Refs with their old values get the new ones; those that were changed already stay."""
    first, second = commits
    repository.run("update-ref", "refs/heads/a", second)
    leave(repository, {"refs/heads/a": (first, second), "refs/heads/b": (NOTHING, second)})

    with RepositoryLock(repository) as lock:
        assert lock.note == "completed a sync that was killed: 1 of 2 refs were still to be changed"

    assert list_refs(repository) == {"refs/heads/a": second, "refs/heads/b": second}
    with RepositoryLock(repository) as lock:
        assert not lock.note


def test_a_run_that_was_killed_with_packed_refs(repository: GitRepository, commits: list[str]) -> None:
    """A ref that is packed goes: what git had begun to write of the others is no obstacle."""
    for name in ("a", "b"):
        repository.run("update-ref", f"refs/heads/{name}", commits[0])
    repository.run("pack-refs", "--all")
    leave(repository, {"refs/heads/b": (commits[0], NOTHING)})

    with RepositoryLock(repository):
        pass

    assert list_refs(repository) == {"refs/heads/a": commits[0]}


def test_what_somebody_moved_since_stays(repository: GitRepository, commits: list[str]) -> None:
    """A ref that has a third value belongs to whoever set it."""
    first, second = commits
    repository.run("update-ref", "refs/heads/a", second)
    leave(repository, {"refs/heads/a": (NOTHING, first), "refs/heads/b": (NOTHING, first)})

    with RepositoryLock(repository):
        pass

    assert list_refs(repository) == {"refs/heads/a": second, "refs/heads/b": first}


def test_one_at_a_time(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second sync waits, and then says that another one is at work."""
    monkeypatch.setattr(primitives, "PATIENCE", 0.1)
    with (
        RepositoryLock(repository),
        pytest.raises(GitError, match="another sync is running"),
        RepositoryLock(repository),
    ):
        pass


def test_a_refused_transaction_leaves_no_journal(repository: GitRepository, commits: list[str]) -> None:
    """A ref with another value than expected stops all, and nothing is left to be completed."""
    with RepositoryLock(repository) as lock, pytest.raises(GitError, match="update-ref"):
        lock.update({"refs/heads/a": (commits[0], commits[1])})

    assert not (repository.folder / "krmkit-sync.json").exists() and list_refs(repository) == {}


def test_an_unreadable_journal(repository: GitRepository) -> None:
    """A journal that cannot be read stops with its name; nothing is guessed."""
    (repository.folder / "krmkit-sync.json").write_text("{", encoding="utf-8")

    with pytest.raises(GitError, match=r"krmkit-sync\.json: cannot be read"), RepositoryLock(repository):
        pass


def test_a_journal_that_is_a_link(repository: GitRepository) -> None:
    """A link to a device is not read."""
    (repository.folder / "krmkit-sync.json").symlink_to("/dev/zero")

    with pytest.raises(GitError, match=r"krmkit-sync\.json: cannot be read .*must be a regular file"):
        RepositoryLock(repository).__enter__()
