"""Every command that reads a repository, over repositories of odd forms: a right answer or a clear error, and nothing else happens."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from krmkit.cli import main
from tests.e2e.gitfleet import GitFleet, git
from tests.e2e.hostilecommands import COMMANDS, hostile_fleet, used
from tests.e2e.hostiletrees import FILE, blob, package, release, stored

pytestmark = pytest.mark.slow
NOWHERE = "1" * 40


@pytest.fixture
def fleet(tmp_path: Path, project: Path, capfd: pytest.CaptureFixture[str]) -> GitFleet:
    return hostile_fleet(tmp_path, project, capfd)


def line(path: str, content: str | bytes) -> Callable[[GitFleet], None]:
    """Write a file of the repository's own folder."""

    def prepare(fleet: GitFleet) -> None:
        place = fleet.upstream / ".git" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.format(root=fleet.root).encode())

    return prepare


def config(*pairs: tuple[str, str]) -> Callable[[GitFleet], None]:
    def prepare(fleet: GitFleet) -> None:
        for key, value in pairs:
            git(fleet.upstream, "config", key, value.format(root=fleet.root))

    return prepare


def refs(*names: str) -> Callable[[GitFleet], None]:
    def prepare(fleet: GitFleet) -> None:
        tip = git(fleet.upstream, "rev-parse", "main")
        with open(fleet.upstream / ".git/packed-refs", "a", encoding="utf-8") as stream:
            stream.writelines(f"{tip} {name}\n" for name in names)

    return prepare


def replaced(fleet: GitFleet) -> None:
    """A replace ref of app.yaml's content, and a graft of the newest commit."""
    old = git(fleet.upstream, "rev-parse", "web/v2:web/app.yaml")
    git(fleet.upstream, "update-ref", f"refs/replace/{old}", blob(fleet.upstream, "evil: true\n"))
    line("info/grafts", git(fleet.upstream, "rev-parse", "web/v2") + "\n")(fleet)


def instead(*words: str) -> Callable[[GitFleet], None]:
    """The upstream is what `git words` makes of it, in a folder `other`."""

    def prepare(fleet: GitFleet) -> None:
        git(fleet.root, *(word.format(root=fleet.root) for word in words))
        fleet.upstream = fleet.root / "other"

    return prepare


def sha256(fleet: GitFleet) -> None:
    instead("init", "-q", "-b", "main", "--object-format=sha256", "other")(fleet)
    git(fleet.upstream, "commit", "-q", "--allow-empty", "-m", "x")
    git(fleet.upstream, "tag", "web/v2")


def cut(fleet: GitFleet) -> None:
    """Half of a file's object is there, as after a full disk."""
    oid = stored(fleet.upstream, "blob", os.urandom(30_000).hex().encode())
    place = fleet.upstream / ".git/objects" / oid[:2] / oid[2:]
    place.chmod(0o600)
    place.write_bytes(place.read_bytes()[:9000])
    release(fleet.upstream, 2, package(fleet.upstream, (FILE, b"cut.yaml", oid)))


def tags_of_tags(fleet: GitFleet) -> None:
    for number in range(4):
        git(
            fleet.upstream,
            "tag",
            "-a",
            "-m",
            "x",
            f"deep{number}",
            f"deep{number - 1}" if number else "web/v2",
        )
    git(fleet.upstream, "tag", "-f", "-a", "-m", "x", "web/v2", "deep3")


def tag_of_a_tree(fleet: GitFleet) -> None:
    git(fleet.upstream, "update-ref", "refs/tags/web/v2", git(fleet.upstream, "rev-parse", "web/v2^{tree}"))


def gitfile(fleet: GitFleet) -> None:
    (fleet.upstream / ".git").rename(fleet.root / "real.git")
    (fleet.upstream / ".git").write_text("gitdir: ../real.git\n")


NO_COMMIT = "no commit|must name a commit|no tag, branch or commit|no such commit|got nothing"
# What is odd about the repository, and what variants, pkg and the commands over the work tree say; "" where they give the right answer.
FORMS: dict[str, tuple[Callable[[GitFleet], None], str, str, str]] = {
    "as it should be": (lambda fleet: None, "", "", ""),
    "a HEAD that names nothing": (line("HEAD", "ref: refs/heads/none\n"), "", "", ""),
    "a HEAD that is broken": (line("HEAD", "garbage\n"), "not in a git repository|must be a .*git", "git", "not in a git repository"),
    "a broken ref": (line("refs/heads/broken", "garbage\n"), "", "git fetch", ""),
    "a ref to nothing": (line("refs/heads/gone", NOWHERE + "\n"), "missing object", "git fetch|missing", ""),
    "refs in a ring": (line("refs/heads/ring", "ref: refs/heads/ring\n"), "", "", ""),
    "broken packed refs": (line("packed-refs", "garbage\n"), "packed-refs", "packed-refs", "no such commit|git cat-file ended"),
    "refs like options": (refs("refs/heads/-x", "refs/tags/--upload-pack=touch", "refs/tags/web/-o"), "", "", ""),
    "refs with line separators": (refs("refs/heads/\u2028"), "", "", ""),
    "thousands of refs": (refs(*(f"refs/heads/x{number:05}" for number in range(5000))), "", "", ""),
    "tags of tags": (tags_of_tags, "", "", ""),
    "a tag of a tree": (tag_of_a_tree, NO_COMMIT, NO_COMMIT, NO_COMMIT),
    "replaced objects": (replaced, "", "", ""),
    "an object that is cut": (cut, "is broken|must be a blob", "git fetch", "is broken|must be a blob|unchanged, 0 failed"),
    "alternates outside": (line("objects/info/alternates", "{root}/shops.git/objects\n"), "alternates names", "", "alternates names"),
    "alternates in a ring": (line("objects/info/alternates", "../objects\n"), "", "", ""),
    "a broken commit graph": (line("objects/info/commit-graph", b"CGPH\1\1\0\0" + b"x" * 40), "", "", ""),
    "a broken index": (line("index", b"garbage" * 9), "", "", "index|held none"),
    "reftable": (config(("core.repositoryformatversion", "1"), ("extensions.refstorage", "reftable")),) + ("(?i)refstorage",) * 3,
    "a format of the future": (config(("core.repositoryformatversion", "99")),) + ("version",) * 3,
    "a work tree elsewhere": (config(("core.worktree", "{root}")), "name a repository", "", "core.worktree must lead to"),
    "sha256": (sha256, "object format must be sha1, got sha256", "git fetch", "sha256|no-package|must be a package"),
    "a bare clone": (instead("clone", "-q", "--bare", "up", "other"), "", "", "bare|must be a folder|no such|not a folder"),
    "a shallow clone": (instead("clone", "-q", "--depth=1", "file://{root}/up", "other"), "", "^got: |it is a shallow clone, so fetch its history", ""),
    "a work tree of its own": (instead("-C", "up", "worktree", "add", "-q", "-f", "../other", "main"), "", "", ""),
    "a .git that leads elsewhere": (gitfile, "", "", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_forms(
    fleet: GitFleet, name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command over a repository of an odd form, one after the other: none changes what the next one reads."""
    monkeypatch.chdir(fleet.root)
    release(fleet.upstream, 2, package(fleet.upstream))
    fleet.want(revision=2)
    prepare, *wanted = FORMS[name]
    prepare(fleet)
    kptfile = fleet.root / "down/Kptfile"
    kptfile.write_text(
        kptfile.read_text(encoding="utf-8").replace(f"{fleet.root}/up", str(fleet.upstream)), encoding="utf-8"
    )

    for command in COMMANDS:
        code, said = used(fleet, command, capfd)

        right = wanted[0 if command in ("status", "sync") else 2 if command in ("since", "plan") else 1]
        assert re.search(right, said) if right else code == 0, f"{command}: {said}"
        if command == "get" and code == 0:
            assert 'release: "2"' in (fleet.root / "got/app.yaml").read_text(encoding="utf-8")
        if command == "sync" and code == 0:
            assert 'release: "2"' in fleet.read("drafts/north/packagevariant-1", "north/app.yaml")


def test_refs_that_come_and_go(
    fleet: GitFleet, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process makes, moves, packs and deletes refs all the time: every command gives its answer, or says what it did not find."""
    monkeypatch.chdir(fleet.root)
    release(fleet.upstream, 2, package(fleet.upstream))
    fleet.want(revision=2)
    tip = git(fleet.upstream, "rev-parse", "main")
    over = threading.Event()

    def restless() -> None:
        number = 0
        while not over.is_set():
            number += 1
            for folder in (fleet.upstream, fleet.shops):
                lines = [f"{verb} refs/heads/come/{number % 7}" for verb in ("delete",)]
                if number % 2:
                    lines = [f"update refs/heads/come/{number % 7} {tip}"] if folder == fleet.upstream else []
                words = ["pack-refs", "--all"] if number % 5 == 0 else ["update-ref", "--stdin"]
                subprocess.run(
                    ["git", *words],
                    check=False,
                    cwd=folder,
                    input="".join(f"{one}\n" for one in lines),
                    text=True,
                    capture_output=True,
                )

    other = threading.Thread(target=restless)
    other.start()
    try:
        for _ in range(5):
            for command, (_, words) in COMMANDS.items():
                if words.startswith("variants"):
                    assert main(fleet.command(command)[3:]) in (0, 1)
                elif command != "get":
                    assert main(
                        [
                            word.replace("UP", str(fleet.upstream)).replace("DOWN", f"{fleet.root}/down")
                            for word in words.split(" ")
                        ]
                    ) in (0, 1)
                out, err = capfd.readouterr()
                assert "Traceback" not in out + err
    finally:
        over.set()
        other.join()
    fleet.sync()
    assert 'release: "2"' in fleet.read("drafts/north/packagevariant-1", "north/app.yaml")
