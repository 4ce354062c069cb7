"""The versions that krmkit follows: the table is true of the repository, and a newer checkout is compared with it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from krmkit.cli import main as krmkit
from tools import upstream
from tools.definitions import ROOT

BUILTINS = "pkg/lib/builtins/pkg_context.go"


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=writer", "-c", "user.email=writer@example.com")
    done = subprocess.run(
        ["git", "-C", folder, *identity, *words], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "change")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository laid out as kpt's, and a table whose kpt is at its first commit."""
    folder = tmp_path / "kpt"
    folder.mkdir()
    git(folder, "init", "--quiet")
    write(folder, {BUILTINS: "a", "pkg/api/kptfile/v1/types.go": "a", "pkg/lib/kptops/render.go": "a"})
    table = tmp_path / "followed.yaml"
    text = upstream.TABLE.read_text("utf-8")
    assert "commit: 23c57d7f" in text
    table.write_text(text.replace("23c57d7f", git(folder, "rev-parse", "HEAD")), "utf-8")
    monkeypatch.setattr(upstream.systems, "__defaults__", (table,))
    return folder


def test_what_changed(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Changed, new and removed files are listed below the room that follows them; tests and other files are not."""
    (checkout / "pkg/lib/kptops/render.go").unlink()
    write(
        checkout,
        {
            "pkg/api/kptfile/v1/types.go": "b",
            "pkg/api/kptfile/v1/when.go": "a",
            "pkg/lib/kptops/render_test.go": "a",
            "pkg/lib/kptops/testdata/x.yaml": "a",
            "commands/help.go": "a",
        },
    )

    assert upstream.main([str(checkout)]) == 0

    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("kpt: 3 followed files changed between ")
    assert told[1:6] == [
        "shared/krmkit/kpt",
        "  M pkg/api/kptfile/v1/types.go",
        "  A pkg/api/kptfile/v1/when.go",
        "shared/krmkit/render",
        "  D pkg/lib/kptops/render.go",
    ]


def test_another_repository(checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder without followed files, and a checkout without the followed commit, are told what would help."""
    assert upstream.main([str(tmp_path)]) == 2
    assert "has no file that krmkit follows" in capsys.readouterr().err

    shallow = tmp_path / "shallow"
    write(checkout, {BUILTINS: "b"})
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{checkout}", str(shallow))
    assert upstream.main([str(shallow)]) == 2
    assert "fetch --unshallow" in capsys.readouterr().err


def test_rooms_of_the_table_exist() -> None:
    """A room that follows a file of theirs is a folder of ours."""
    rooms = {room for one in upstream.systems() for room in one.files.values()}

    assert rooms
    assert [room for room in sorted(rooms) if not (ROOT / "shared/krmkit" / room).is_dir()] == []


def test_version_lists_the_systems(capsys: pytest.CaptureFixture[str]) -> None:
    """`krmkit version --systems` prints each system of the table with the version that is followed."""
    assert krmkit(["version", "--systems"]) == 0

    told = capsys.readouterr().out
    assert all(one.name in told and one.followed in told for one in upstream.systems())
