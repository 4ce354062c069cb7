"""krmkit.storage.git: objects, packs, trees and refs of a real repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from krmkit.storage.git.objects import FILE, FOLDER, LINK, SUBMODULE, Objects, TreeEntry
from krmkit.storage.git.packfile import PackFile
from krmkit.storage.git.program import GitError, GitRepository
from krmkit.storage.git.refnames import check_ref
from krmkit.storage.git.refs import RefChanges, list_refs
from krmkit.storage.git.treeupdate import File, read_files, replace_folders, write_files
from tests.programs import shell, write_script

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

    with pytest.raises(GitError, match="run this one again"):
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


def test_trees_too_deep(repository: GitRepository) -> None:
    """Folders lie at most 64 deep, and git's own limit on paths is not what ends a package."""
    pack = PackFile()
    tree = pack.tree([TreeEntry(FILE, "f", pack.blob(b"x"))])
    trees = [tree]
    for _ in range(65):
        trees.append(pack.tree([TreeEntry(FOLDER, "d", trees[-1])]))
    pack.store(repository)

    with Objects(repository) as objects:
        assert list(read_files(objects, trees[64])) == ["d/" * 64 + "f"]
        with pytest.raises(GitError, match="must have at most 64 levels"):
            read_files(objects, trees[65])


def test_too_many_folders(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders without files are counted too: 2 on each of 10 levels are 1,023."""
    monkeypatch.setattr("krmkit.storage.git.objects.MOST_FOLDERS", 1000)
    pack = PackFile()
    tree = pack.tree([])
    for _ in range(9):
        tree = pack.tree([TreeEntry(FOLDER, name, tree) for name in "ab"])
    pack.store(repository)

    with Objects(repository) as objects, pytest.raises(GitError, match="must have at most 1000 folders"):
        read_files(objects, tree)


def test_too_many_bytes(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """One blob of many names counts as often as it would lie on a disk."""
    monkeypatch.setattr("krmkit.storage.git.treeupdate.MOST_BYTES", 1000)
    pack = PackFile()
    blob = pack.blob(b"x" * 300)
    three, four = (pack.tree([TreeEntry(FILE, f"f{n}", blob) for n in range(number)]) for number in (3, 4))
    pack.store(repository)

    with Objects(repository) as objects:
        assert len(read_files(objects, three)) == len("abc")
        with pytest.raises(GitError, match="f3: a package must have at most 1000 bytes"):
            read_files(objects, four)


def test_a_huge_blob(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused, and what it holds is not taken for the answer to the next question."""
    commit_files(repository, {"big": File(b"0" * 40 + b" commit 5\nhello\n" * 100_000), "small": File(b"1")})
    monkeypatch.setattr("krmkit.storage.git.objects.BIGGEST_BLOB", 1_000_000)

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
    write_script(hook, f"touch {shell(tmp_path / 'ran')}\n")

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


def raw_object(repository: GitRepository, kind: str, content: bytes) -> str:
    """Write an object as it is, however broken."""
    said = repository.run("hash-object", "-t", kind, "-w", "--stdin", "--literally", stdin=content)
    return said.decode().strip()


@pytest.mark.parametrize(
    "content",
    [
        b"\xff00644 x\0" + bytes(20),
        b"100644 x",
        b"100644",
        b"100644 x\0" + bytes(19),
        b"\xc2\xb2 x\0" + bytes(20),
    ],
    ids=["mode is not UTF-8", "no NUL", "no blank", "short oid", "digit of another kind"],
)
def test_a_broken_tree(repository: GitRepository, content: bytes) -> None:
    """What git would not write is an error that names the tree."""
    oid = raw_object(repository, "tree", content)

    with Objects(repository) as objects, pytest.raises(GitError, match=f"{oid}"):
        objects.tree(oid)


@pytest.mark.parametrize("date", ["\u00b2", "\u0663", "1" * 26, "1" * 5000, "-1", "x", ""])
def test_an_odd_date(repository: GitRepository, date: str) -> None:
    """A committer's date that is not a number of git's is 1970."""
    tree = PackFile()
    oid = tree.tree([])
    tree.store(repository)
    text = f"tree {oid}\nauthor t <t@e> 0 +0000\ncommitter t <t@e> {date} +0000\n\nx\n"
    commit = raw_object(repository, "commit", text.encode())

    with Objects(repository) as objects:
        assert objects.commit(commit)[1].time == 0


def test_a_revision_that_is_not_utf_8(repository: GitRepository) -> None:
    """A name of the command line with foreign bytes is looked up as it is."""
    with Objects(repository) as objects:
        assert objects.read("\udcff") is None


def test_a_lock_and_a_journal_that_are_links(repository: GitRepository, tmp_path: Path) -> None:
    """Nothing is written through a link that lies in a repository."""
    victim = tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    (repository.folder / "krmkit-sync.new").symlink_to(victim)

    commit_files(repository, {"x": File(b"1")})
    assert victim.read_text(encoding="utf-8") == "mine"

    (repository.folder / "krmkit-sync.lock").unlink()
    (repository.folder / "krmkit-sync.lock").symlink_to(tmp_path / "new")
    with pytest.raises(OSError, match=r"krmkit-sync\.lock"):
        commit_files(repository, {"x": File(b"2")})
    assert not (tmp_path / "new").exists()
