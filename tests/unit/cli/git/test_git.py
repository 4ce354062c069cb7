"""krmkit.cli.git: objects, packs, trees and refs of a real repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from krmkit.cli.git.objects import LINK, SUBMODULE, Objects, TreeEntry
from krmkit.cli.git.packfile import PackFile
from krmkit.cli.git.program import GitError, GitRepository
from krmkit.cli.git.refs import RefChanges, check_ref, list_refs
from krmkit.cli.git.treeupdate import File, read_files, replace_folders, write_files

AUTHOR = "t <t@example.com> 0 +0000"


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    folder = tmp_path / "store.git"
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    return GitRepository.open(folder)


def commit_files(repository: GitRepository, files: dict[str, File], ref: str = "refs/heads/main") -> str:
    """Store one commit that holds the files, and let `ref` point at it."""
    pack = PackFile()
    oid = pack.commit(write_files(pack, files), [], AUTHOR, "files\n")
    pack.store(repository)
    changes = RefChanges(repository, list_refs(repository))
    changes.set(ref, oid)
    changes.commit()
    return oid


def test_files_come_back(repository: GitRepository) -> None:
    """What is written is read again: content, folders, names beyond ASCII, the executable bit."""
    files = {
        "Kptfile": File(b"a\n"),
        "sub/run.sh": File(b"#!/bin/sh\n", executable=True),
        "sub.d/x": File(b""),
        "straße/ü.yaml": File(b"\xff\0" * 100_000),
    }
    oid = commit_files(repository, files)

    with Objects(repository) as objects:
        found, commit = objects.commit("main")
        assert found == oid and commit.message == "files\n" and commit.parents == ()
        assert read_files(objects, commit.tree) == files
    repository.run("fsck", "--strict")


def test_trees_are_git_s_own(repository: GitRepository, tmp_path: Path) -> None:
    """A tree has the oid that git itself gives to the same files."""
    files = {"b": File(b"1"), "a/b": File(b"2"), "a.b": File(b"3"), "a0": File(b"4")}
    pack = PackFile()
    tree = write_files(pack, files)
    work = tmp_path / "work"
    for path, file in files.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_bytes(file.content)
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    subprocess.run(["git", "add", "."], cwd=work, check=True)

    written = subprocess.run(["git", "write-tree"], cwd=work, check=True, capture_output=True, text=True)

    assert written.stdout.strip() == tree


def test_only_the_folder_changes(repository: GitRepository) -> None:
    """Folders are put in and taken out; neighbours keep their trees, and an emptied folder goes."""
    files = {"a/x": File(b"1"), "b/c/x": File(b"2"), "b/d/x": File(b"3"), "e/f/x": File(b"4")}
    commit_files(repository, files)
    pack = PackFile()
    with Objects(repository) as objects:
        _, commit = objects.commit("main")
        new = write_files(pack, {"y": File(b"5")})
        root = replace_folders(objects, pack, commit.tree, {"b/c": new, "e/f": None, "g/h": new})
        assert root is not None
        pack.store(repository)
    with Objects(repository) as objects:
        kept = {"a/x": files["a/x"], "b/d/x": files["b/d/x"]}
        assert read_files(objects, root) == {**kept, "b/c/y": File(b"5"), "g/h/y": File(b"5")}


def test_refs_change_together(repository: GitRepository) -> None:
    """One ref that somebody else moved stops the whole transaction."""
    first = commit_files(repository, {"x": File(b"1")})
    changes = RefChanges(repository, list_refs(repository))
    second = commit_files(repository, {"x": File(b"2")}, "refs/heads/other")
    repository.run("update-ref", "refs/heads/main", second)
    changes.set("refs/heads/new", first)
    changes.set("refs/heads/main", second)

    with pytest.raises(GitError, match="update-ref"):
        changes.commit()

    assert list_refs(repository) == {"refs/heads/main": second, "refs/heads/other": second}


def test_deleting_and_taking_back(repository: GitRepository) -> None:
    """A change back to what is there is no change; a deleted ref is gone."""
    oid = commit_files(repository, {"x": File(b"1")})
    changes = RefChanges(repository, list_refs(repository))
    changes.delete("refs/heads/main")
    changes.set("refs/heads/main", oid)
    changes.delete("refs/heads/unknown")
    assert not changes.changes and changes.get("refs/heads/main") == oid

    changes.delete("refs/heads/main")
    changes.commit()

    assert list_refs(repository) == {}


def test_push_is_atomic(repository: GitRepository, tmp_path: Path) -> None:
    """Where the remote has moved one ref, none arrives; else all do."""
    oid = commit_files(repository, {"x": File(b"1")})
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    changes = RefChanges(repository, {})
    changes.set("refs/heads/main", oid)
    changes.set("refs/tags/p/v1", oid)
    changes.push(str(remote))
    assert set(list_refs(GitRepository(remote))) == {"refs/heads/main", "refs/tags/p/v1"}

    newer = commit_files(repository, {"x": File(b"2")})
    stale = RefChanges(repository, {"refs/heads/main": "1" * 40})
    stale.set("refs/heads/main", newer)
    stale.set("refs/heads/later", newer)

    with pytest.raises(GitError, match="push"):
        stale.push(str(remote))
    assert "refs/heads/later" not in list_refs(GitRepository(remote))


@pytest.mark.parametrize(
    ("mode", "name", "message"),
    [
        (LINK, "link", "is a symbolic link; a package must hold files only"),
        (SUBMODULE, "module", "is a submodule; a package must hold files only"),
        ("100644", "a\nb", "must be a plain path"),
    ],
)
def test_hostile_trees(repository: GitRepository, mode: str, name: str, message: str) -> None:
    """Links, submodules and odd names in a package are refused with the reason."""
    pack = PackFile()
    blob = pack.blob(b"../../etc/passwd")
    tree = pack.tree([TreeEntry(mode, name, blob if mode != SUBMODULE else "1" * 40)])
    pack.store(repository)

    with Objects(repository) as objects, pytest.raises(GitError, match=message):
        read_files(objects, tree)


def test_a_huge_blob(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused, and what it holds is not taken for the answer to the next question."""
    commit_files(repository, {"big": File(b"0" * 40 + b" commit 5\nhello\n" * 100_000), "small": File(b"1")})
    monkeypatch.setattr("krmkit.cli.git.objects.BIGGEST_BLOB", 1_000_000)

    with Objects(repository) as objects:
        tree = objects.tree(objects.commit("main")[1].tree)
        big, small = (one.oid for one in tree)
        with pytest.raises(GitError, match="at most 1000000 are read"):
            objects.blob(big)

        assert objects.blob(small) == b"1"
        assert objects.commit("main")[1].message == "files\n"


NAMES = ["a", "a/b", "a.b", "-a", "a@b", "ü", "a..b", "a.lock", "a.lock/b", ".a", "a/.b", "a.", "a./b", "/a", "a/", "a//b", "@", "a/@", "a@{b",
         "a b", "a\tb", "a\nb", "a~b", "a^b", "a:b", "a?b", "a*b", "a[b", "a\\b", "a\x7fb", ".", "..", "../a"]  # fmt: skip


def test_names_of_refs(repository: GitRepository) -> None:
    """What is refused is what git refuses; a name with a line break would be a command of its own to `git update-ref`."""
    for name in NAMES:
        git_says = subprocess.run(["git", "check-ref-format", "refs/heads/" + name], check=False).returncode
        try:
            check_ref(name)
            refused = False
        except GitError:
            refused = True

        assert refused is bool(git_says), name


def test_hooks_do_not_run(repository: GitRepository, tmp_path: Path) -> None:
    """A hook that lies in a repository is not started by a change of its refs."""
    hook = repository.folder / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", encoding="utf-8")
    hook.chmod(0o755)

    commit_files(repository, {"x": File(b"1")})

    assert not (tmp_path / "ran").exists()


def test_an_environment_that_leads_elsewhere(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIT_DIR of a surrounding git command, as in a hook, does not change which repository is read."""
    commit_files(repository, {"x": File(b"1")})
    monkeypatch.setitem(os.environ, "GIT_DIR", "/nowhere")

    assert list(list_refs(repository)) == ["refs/heads/main"]


def test_errors_say_what_is_wrong(repository: GitRepository, tmp_path: Path) -> None:
    """A missing folder and a missing revision are errors with their names."""
    with pytest.raises(GitError, match="there is no such folder"):
        GitRepository.open(tmp_path / "absent")
    with Objects(repository) as objects:
        assert objects.read("absent") is None
        with pytest.raises(GitError, match="there is no commit v9"):
            objects.commit("v9")
