"""krmkit.storage.git.foreign: a given repository is data, whatever its config, hooks and links say."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from krmkit.analysis.plans.sources import read_revision
from krmkit.cli.recursive import changed_since
from krmkit.krm.errors import Refused
from krmkit.storage.git.foreign import ELSEWHERE, allowed_protocols, overrides, settings_environment
from krmkit.storage.git.objects import Objects
from krmkit.storage.git.packfile import PackFile
from krmkit.storage.git.program import GitError, GitRepository
from krmkit.storage.git.refs import RefChanges, list_refs
from krmkit.storage.git.treeupdate import File, read_files, write_files

# Every key of git-config(1) that names a program, or leads to one.
PROGRAMS = (
    "core.fsmonitor",
    "core.sshCommand",
    "core.pager",
    "core.editor",
    "core.askPass",
    "core.gitProxy",
    "core.alternateRefsCommand",
    "sequence.editor",
    "pager.diff",
    "pager.cat-file",
    "pager.for-each-ref",
    "credential.helper",
    "credential.https://git.example.com.helper",
    "gpg.program",
    "gpg.ssh.program",
    "gpg.ssh.defaultKeyCommand",
    "remote.origin.uploadpack",
    "remote.origin.receivepack",
    "remote.origin.vcs",
    "uploadpack.packObjectsHook",
    "diff.external",
    "diff.evil.command",
    "diff.evil.textconv",
    "filter.evil.clean",
    "filter.evil.smudge",
    "filter.evil.process",
    "filter.a=b.clean",
    "merge.evil.driver",
    "mergetool.evil.cmd",
    "difftool.evil.cmd",
    "trailer.evil.command",
    "interactive.diffFilter",
    "tar.evil.command",
    "hook.evil.command",
    "alias.rev-parse",
    "alias.cat-file",
    "submodule.sub.update",
    "sendemail.smtpServer",
    "man.evil.cmd",
    "browser.evil.cmd",
    "receive.procReceiveRefs",
)


def git(folder: Path, *words: str) -> str:
    who = {
        f"GIT_{role}_{what}": "t@example.com"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    done = subprocess.run(
        ["git", *words], cwd=folder, env={**os.environ, **who}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """A checkout with one commit, whose object of app.yaml is missing, with a promisor remote that could bring it."""
    good, folder = tmp_path / "good", tmp_path / "evil"
    good.mkdir()
    git(good, "init", "-q", "-b", "main")
    (good / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n", encoding="utf-8"
    )
    (good / "app.yaml").write_text("a: b\n", encoding="utf-8")
    (good / ".gitattributes").write_text(
        "*.yaml filter=evil diff=evil merge=evil\n*file filter=a=b\n", encoding="utf-8"
    )
    git(good, "add", "-A")
    git(good, "commit", "-q", "-m", "first")
    git(tmp_path, "clone", "-q", "--no-local", "good", "evil")
    for key, value in (
        ("core.repositoryFormatVersion", "1"), ("extensions.partialClone", "origin"), ("remote.origin.promisor", "true"),
        ("uploadpack.allowAnySHA1InWant", "true"),
    ):  # fmt: skip
        git(folder, "config", key, value)
    for pack in (folder / ".git/objects/pack").glob("*"):
        pack.chmod(0o600)
        pack.rename(tmp_path / pack.name)
    with open(next(tmp_path.glob("*.pack")), "rb") as stream:
        subprocess.run(["git", "unpack-objects", "-q"], cwd=folder, stdin=stream, check=True)
    oid = git(folder, "rev-parse", "HEAD:app.yaml")
    (folder / ".git/objects" / oid[:2] / oid[2:]).unlink()
    (folder / "Kptfile").write_text("changed: true\n", encoding="utf-8")
    return folder


def use(folder: Path) -> None:
    """Do to a repository whatever a command of krmkit does."""

    def files() -> None:
        repository = GitRepository.open(folder)
        with Objects(repository) as objects:
            read_files(objects, objects.commit("main")[1].tree)

    def store() -> None:
        repository = GitRepository.open(folder)
        pack = PackFile()
        oid = pack.commit(write_files(pack, {"x": File(b"1")}), [], "t <t@example.com> 0 +0000", "x")
        pack.store(repository)
        changes = RefChanges(repository, list_refs(repository))
        changes.set("refs/heads/other", oid)
        changes.protocols = ELSEWHERE
        with suppress(GitError):
            changes.push(repository.run("remote", "get-url", "origin").decode().strip())
        changes.commit()

    def identity() -> None:
        GitRepository.open(folder).run("var", "GIT_COMMITTER_IDENT")

    uses: tuple[Callable[[], object], ...] = (
        files, store, identity, lambda: changed_since(str(folder), [str(folder)], "HEAD"),
        lambda: read_revision(str(folder), "HEAD"),
    )  # fmt: skip
    for one in uses:
        with suppress(GitError, Refused):
            one()


@pytest.mark.parametrize(
    ("key", "value"),
    [(key, "touch {}; cat") for key in PROGRAMS]
    # In the others a "!" is no sign, but a part of the program's name.
    + [
        (key, "!touch {}; cat") for key in PROGRAMS if key.startswith(("alias.", "credential.", "submodule."))
    ],
)
def test_no_program_of_a_config_runs(evil: Path, tmp_path: Path, key: str, value: str) -> None:
    """No command that a given repository names is started, whichever key names it."""
    marker = tmp_path / "ran"
    git(evil, "config", key, value.format(marker))
    if key.startswith("hook."):
        git(evil, "config", "hook.evil.event", "reference-transaction")

    use(evil)

    assert not marker.exists()


@pytest.mark.parametrize(
    "url",
    ["ext::sh -c touch% {}", "{0}/good", "file://{0}/good", "evil::x", "ssh://-oProxyCommand=touch%20{}/x"],
)
def test_no_transport_that_nobody_named(evil: Path, tmp_path: Path, url: str) -> None:
    """A missing object is not fetched, and nothing is pushed to a folder that only the repository names."""
    marker = tmp_path / "ran"
    hook = tmp_path / "good/.git/hooks/update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {marker}\n", encoding="utf-8")
    hook.chmod(0o755)
    git(evil, "config", "remote.origin.url", url.format(tmp_path if "{0}" in url else marker))

    use(evil)

    assert not marker.exists()


def test_hooks_and_settings_of_a_submodule(evil: Path, tmp_path: Path) -> None:
    """What a submodule's own config names is not run either when the work tree is compared."""
    marker = tmp_path / "ran"
    git(
        evil,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "--name",
        "sub",
        str(tmp_path / "good"),
        "sub",
    )
    git(evil, "config", "--file", ".git/modules/sub/config", "core.fsmonitor", f"touch {marker}; false")

    use(evil)

    assert not marker.exists()


def test_overrides_are_of_what_the_repository_names() -> None:
    """Filters of the user's own config stay, and a name with an equals sign reaches git whole."""
    listed = b"global\0filter.lfs.clean\ngit-lfs\0local\0filter.a=b.clean\nx\0worktree\0hook.h.command\nx\0local\0core.bare\ntrue\0"

    found = overrides(listed)

    assert found == (
        ("filter.a=b.clean", ""), ("filter.a=b.smudge", ""), ("filter.a=b.process", ""),
        ("filter.a=b.required", "false"), ("hook.h.enabled", "false"),
    )  # fmt: skip
    given = settings_environment(found[-1:], {"GIT_CONFIG_COUNT": "2"})
    assert given == {
        "GIT_CONFIG_KEY_2": "hook.h.enabled",
        "GIT_CONFIG_VALUE_2": "false",
        "GIT_CONFIG_COUNT": "3",
    }


def test_the_user_s_own_protocols_hold() -> None:
    """A caller who allows less than krmkit gets less."""
    assert allowed_protocols(("https", "ssh"), {}) == "https:ssh"
    assert allowed_protocols(("https", "ssh"), {"GIT_ALLOW_PROTOCOL": "ssh:ext"}) == "ssh"


@pytest.mark.parametrize(
    "name", ["HEAD", "config", "config.worktree", "packed-refs", "shallow", "objects/info/alternates"]
)
def test_what_git_reads_first_is_a_file(evil: Path, name: str) -> None:
    """Each of these, before git is asked anything; a folder is none."""
    place = evil / ".git" / name
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    place.mkdir()

    with pytest.raises(GitError, match=f"/{name} must be a regular file"):
        GitRepository.open(evil)


def test_alternates_outside(evil: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Objects outside of a given repository are read only where the user names their folder."""
    outside = tmp_path / "good/.git/objects"
    (evil / ".git/objects/info/alternates").write_text(f"# a comment\n{outside}\n", encoding="utf-8")

    with pytest.raises(GitError, match=r"alternates names .* outside; if it is yours"):
        GitRepository.open(evil)
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", str(outside))
    GitRepository.open(evil)


@pytest.mark.parametrize("name", ["refs/heads", "objects"])
def test_links_outside(evil: Path, tmp_path: Path, name: str) -> None:
    """A folder of the repository that is a link to somewhere else is refused: refs would be written there."""
    place = evil / ".git" / name
    place.rename(tmp_path / "moved")
    place.symlink_to(tmp_path / "moved")

    with pytest.raises(GitError, match=f"{name} is a link to"):
        GitRepository.open(evil)


def test_a_push_from_a_clean_repository(tmp_path: Path) -> None:
    """Objects and leases work as in the repository itself, for a shallow one too."""
    git(tmp_path, "init", "-q", "-b", "main", "up")
    for number in range(3):
        git(tmp_path / "up", "commit", "-q", "--allow-empty", "-m", str(number))
    git(tmp_path, "clone", "-q", "--bare", "up", "target")
    git(tmp_path, "clone", "-q", "--bare", "--depth=1", f"file://{tmp_path}/up", "shallow")
    repository = GitRepository.open(tmp_path / "shallow")
    tip = git(tmp_path / "shallow", "rev-parse", "HEAD")
    pack = PackFile()
    oid = pack.commit(write_files(pack, {"x": File(b"1")}), [tip], "t <t@example.com> 0 +0000", "x")
    pack.store(repository)
    changes = RefChanges(repository, list_refs(repository))
    changes.set("refs/heads/main", oid)

    changes.push(str(tmp_path / "target"))

    assert git(tmp_path / "target", "rev-parse", "main", "main^") == f"{oid}\n{tip}"
