"""krmkit.cli.pkg: a package from git in a new folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.krm.resource import Resource
from tests.unit.cli.test_pkg import APP, KPTFILE, MARK, Upstream, upstream

__all__ = ["upstream"]  # a fixture

FILES: dict[str, str | bytes | None] = {
    "Kptfile": KPTFILE,
    "app.yaml": APP,
    "note.md": "apiVersion: v1\nkind: Note\nmetadata:\n  name: n\n",
    "logo.yaml": b"\xff\x00",
    "run.sh": "#!/bin/sh\n",
    "sub/Kptfile": KPTFILE.replace("shop # ours", "sub"),
    "sub/app.yaml": APP,
}


def test_what_comes(upstream: Upstream, tmp_path: Path) -> None:
    """Every file with its rights; resources in YAML get kpt's mark, and the Kptfile its name, upstream and lock."""
    commit = upstream.release("v1", FILES)
    folder = tmp_path / "mine"

    assert main(["pkg", "get", f"{upstream.folder}/shop@v1", str(folder)]) == 0

    there = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    assert sorted(there) == sorted(FILES)
    marked = APP.replace("name: app\n", f"name: app\n{MARK}")
    assert there["app.yaml"].read_text("utf-8") == there["sub/app.yaml"].read_text("utf-8") == marked
    assert there["note.md"].read_text("utf-8") == FILES["note.md"]
    assert there["logo.yaml"].read_bytes() == FILES["logo.yaml"]
    assert [path for path, place in there.items() if os.access(place, os.X_OK)] == ["run.sh"]
    kptfile = Resource(there["Kptfile"].read_text("utf-8"))
    git = {"repo": str(upstream.folder), "directory": "/shop", "ref": "v1"}
    assert kptfile.name == "mine"
    assert kptfile.get("upstream") == {"type": "git", "git": git, "updateStrategy": "resource-merge"}
    assert kptfile.get("upstreamLock") == {"type": "git", "git": {**git, "commit": commit}}
    assert [entry.name for entry in kptfile.root.entries][-2:] == ["upstream", "upstreamLock"]
    assert Resource(there["sub/Kptfile"].read_text("utf-8")).name == "sub"


def test_into_a_folder_that_is_there(
    upstream: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The package becomes a folder of it, unless that is there as well; the working directory itself must be empty."""
    upstream.release("v1", FILES)
    address = f"{upstream.folder}/shop@v1"
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    assert main(["pkg", "get", address, "."]) == 0
    assert Resource(Path("Kptfile").read_text("utf-8")).name == "here"
    assert main(["pkg", "get", address, "."]) == 1
    assert "the working directory must be empty" in capsys.readouterr().err
    assert main(["pkg", "get", address, "../here"]) == 0
    assert Resource(Path("shop/Kptfile").read_text("utf-8")).name == "shop"
    assert main(["pkg", "get", address, "../here"]) == 1
    assert "is there already" in capsys.readouterr().err


def test_for_deployment(upstream: Upstream, tmp_path: Path) -> None:
    """Each package without a package context gets one, with its own name."""
    upstream.release("v1", FILES)

    assert main(["pkg", "get", f"{upstream.folder}/shop@v1", str(tmp_path / "mine"), "--for-deployment"]) == 0

    for folder, name in ((tmp_path / "mine", "mine"), (tmp_path / "mine/sub", "sub")):
        context = Resource((folder / "package-context.yaml").read_text("utf-8"))
        assert (context.name, context.get("data", "name")) == ("kptfile.kpt.dev", name)


def test_the_default_branch(upstream: Upstream, tmp_path: Path) -> None:
    """Without a version it is the branch that the repository has by default; a whole repository can be a package."""
    upstream.release("v1", FILES)

    assert (
        main(["pkg", "get", f"{upstream.folder}/shop", str(tmp_path / "a"), "--strategy", "fast-forward"])
        == 0
    )
    assert main(["pkg", "get", str(upstream.folder), str(tmp_path / "b")]) == 0

    shop, whole = (Resource((tmp_path / name / "Kptfile").read_text("utf-8")) for name in "ab")
    assert shop.get("upstream", "updateStrategy") == "fast-forward"
    git = {"repo": str(upstream.folder), "directory": "/", "ref": "main"}
    assert (whole.name, whole.get("upstream", "git")) == ("b", git)
    assert shop.get("upstream", "git") == {**git, "directory": "/shop"}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("@v1", '"@v1" names no repository'),
        ("{}/shop@", "names no version: must be REPO[/PATH]@REF"),
        ("{}/shop@v9", "there is no tag, branch or commit v9"),
        ("{}/other@v1", "has no folder other"),
    ],
)
def test_what_cannot_be_fetched(
    upstream: Upstream, tmp_path: Path, capsys: pytest.CaptureFixture[str], source: str, message: str
) -> None:
    """The error says what is missing, and no folder is left."""
    upstream.release("v1", FILES)

    assert main(["pkg", "get", source.format(upstream.folder), str(tmp_path / "mine")]) == 1

    assert message in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()
