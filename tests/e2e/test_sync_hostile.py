"""`krmkit variants` over repositories that somebody made to do harm, or that hold what git itself would not write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.gitfleet import GitFleet, git

NOTHING = "0" * 40


@pytest.fixture
def fleet(tmp_path: Path, project: Path) -> GitFleet:
    return GitFleet(tmp_path, project)


def test_a_missing_object_is_not_fetched(fleet: GitFleet) -> None:
    """A partial clone whose remote is a command: the variants fail, and the command does not run."""
    git(fleet.root, "clone", "-q", "up", "good")
    marker = fleet.root / "ran"
    for key, value in (
        ("core.repositoryFormatVersion", "1"), ("extensions.partialClone", "origin"), ("remote.origin.promisor", "true"),
        ("remote.origin.url", str(fleet.root / "good")), ("remote.origin.uploadpack", f"touch {marker}; git-upload-pack"),
    ):  # fmt: skip
        git(fleet.upstream, "config", key, value)
    oid = git(fleet.upstream, "rev-parse", "HEAD:web/app.yaml")
    (fleet.upstream / ".git/objects" / oid[:2] / oid[2:]).unlink()

    said = fleet.run("status", code=1)

    assert f"{oid} must be a blob, got nothing" in said
    assert not marker.exists()


@pytest.mark.parametrize("command", ["status", "sync"])
@pytest.mark.parametrize(
    "name",
    ["{victim}/poetry", "../victim/poetry", "refs/heads/../../../victim/poetry", "refs/heads/out/poetry"],
)
def test_a_journal_names_a_file_elsewhere(fleet: GitFleet, command: str, name: str) -> None:
    """No lock outside of the repository is removed, by an absolute path, dots or a link."""
    victim = fleet.root / "victim"
    victim.mkdir()
    (victim / "poetry.lock").touch()
    (fleet.shops / "refs/heads/out").symlink_to(victim)
    journal = {name.format(victim=victim): [NOTHING, NOTHING]}
    (fleet.shops / "krmkit-sync.json").write_text(json.dumps(journal), encoding="utf-8")

    said = fleet.run(command, code=0 if command == "status" else 1)

    assert (victim / "poetry.lock").exists() and "Traceback" not in said
    if command == "sync":
        assert "krmkit-sync.json: cannot be read" in said


def test_a_command_that_reads_completes_nothing(fleet: GitFleet) -> None:
    """`status`, `--check` and `--dry-run` leave a killed sync's journal where it is, and say so."""
    fleet.sync()
    main = fleet.refs()["refs/heads/" + sorted(fleet.branches())[0]]
    (fleet.shops / "krmkit-sync.json").write_text(
        json.dumps({"refs/heads/x": [NOTHING, main]}), encoding="utf-8"
    )

    for name, *words in (("status",), ("sync", "--check"), ("sync", "--dry-run")):
        assert "the next sync completes it" in fleet.run(name, *words)

    assert "x" not in fleet.branches()
    assert "completed a sync that was killed: 1 of 1 refs" in fleet.sync()
    assert "x" in fleet.branches()


@pytest.mark.parametrize("char", ["\u2028", "\u0085", "\u001d", "\x0b"])
def test_a_branch_with_a_line_separator(fleet: GitFleet, char: str) -> None:
    """git takes such names; they are one name, not two lines."""
    name = f"x{char}y"
    with open(fleet.upstream / ".git/packed-refs", "a", encoding="utf-8") as stream:
        stream.write(f"{git(fleet.upstream, 'rev-parse', 'HEAD')} refs/heads/{name}\n")

    assert "Traceback" not in fleet.run("status")
    fleet.sync()
    assert "0 variants changed" in fleet.sync()


@pytest.mark.parametrize("place", ["fd::17", "ext::sh -c touch% ran"])
def test_an_address_is_no_helper(fleet: GitFleet, place: str) -> None:
    """An address that names a helper or a descriptor is refused at once, and waited for by nobody."""
    fleet.address = place

    said = fleet.run("status", code=1)

    assert "the repository shops at" in said and "not allowed" in said
    assert not (fleet.root / "ran").exists()
