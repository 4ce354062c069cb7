"""`krmkit init --platform DIR`: a repository in which everything works at once."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.fleet.newplatform import FILES, HERE

NAMES = {
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@e",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@e",
}


def git(folder: Path, *words: str) -> str:
    command = ["git", "-c", "init.defaultBranch=main", "-C", str(folder), *words]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, **NAMES}
    ).stdout


@pytest.fixture
def platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A new platform, committed and tagged; the working directory is its own."""
    for name, value in NAMES.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / "platform"
    assert main(["init", "--platform", str(root)]) == 0
    assert "blueprints/site/v1" in capsys.readouterr().err
    git(tmp_path, "init", "-q", str(root))
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    git(root, "tag", "blueprints/site/v1")
    monkeypatch.chdir(root)
    return root


def test_it_is_rendered_and_right(platform: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A check finds nothing to do, no error and no warning."""
    assert main(["render", "-r", ".", "--check", "-f", "text"]) == 0

    said = capsys.readouterr().out
    assert "3 packages: 0 files changed in 0, 3 unchanged, 0 failed" in said
    assert ": warning: " not in said and ": error: " not in said


def test_what_rolls(platform: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing at first; after a change of the version, the machines of both sites."""
    assert main(["topology", "plan", "-r", "."]) == 0
    for name in ("versions.yaml", "packs.yaml"):
        place = platform / "blueprints/site" / name
        place.write_text(place.read_text("utf-8").replace("1.33.1", "1.34.0"), "utf-8")
    fleet = ["--packages", ".", "--objects", "fleet/objects", "-o", "sites"]
    assert main(["variants", "render", "fleet/sites.yaml", *fleet]) == 0
    capsys.readouterr()

    assert main(["topology", "plan", "-r", "."]) == 2

    assert "2 Clusters: 2 with changes, 2 with rolling machines; 6 machines roll" in capsys.readouterr().out


def test_a_sync(platform: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The sites get drafts, and a second sync has nothing to do."""
    words = ["variants", "sync", "fleet/sites.yaml", "--objects", "fleet/objects"]
    for name in ("north", "south"):
        git(platform.parent, "init", "-q", name)
        git(platform.parent / name, "commit", "-q", "--allow-empty", "-m", "one")
        words += ["--repo", f"{name}=../{name}"]

    assert main(words) == 0

    assert "drafts/site/" in git(platform.parent / "north", "for-each-ref")
    assert main([*words, "--check"]) == 0


def test_an_error_across_systems(platform: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """validate-platform is at work."""
    place = platform / "blueprints/site/packs.yaml"
    place.write_text(place.read_text("utf-8").replace("1.33.1", "1.34.0"), "utf-8")

    assert main(["render", "blueprints/site", "-f", "text"]) == 1

    assert "blueprints/site/cluster.yaml:10:5: error:" in capsys.readouterr().out


def test_a_folder_with_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing in it is touched."""
    (tmp_path / "mine.yaml").write_text("a: b\n")

    assert main(["init", "--platform", str(tmp_path)]) == 1

    assert "holds files already" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["mine.yaml"]


def test_every_file_is_listed() -> None:
    """What lies beside the module is written."""
    assert sorted(path.relative_to(HERE).as_posix() for path in HERE.glob("*.yaml")) == sorted(FILES)
