"""krmkit pkg diff --diff-type: a package beside its upstream, as `kpt pkg diff` compares them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.fleet.follow import package_kptfile
from krmkit.storage.git.treeupdate import File
from krmkit.storage.git.upstream import Upstream as Origin
from tests.unit.cli.test_pkg import APP, Upstream, contents, edit, package, upstream

__all__ = ["package", "upstream"]


@pytest.fixture
def both(upstream: Upstream, package: Path) -> Path:
    """A package that people and upstream have changed since the fetch."""
    upstream.release(
        "v2", {"app.yaml": APP.replace("small", "medium"), "new.yaml": APP, "logo.bin": b"\xff\x01"}
    )
    edit(package / "app.yaml", "small", "large # ours")
    edit(
        package / "app.yaml",
        "metadata:\n",
        "metadata:\n  annotations:\n    internal.kpt.dev/upstream-identifier: a|b|c|d\n",
    )
    (package / "mine.md").write_text("mine\n", encoding="utf-8")
    return package  # fmt: skip


def shown(package: Path, form: str, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    before = contents(package)
    assert main(["pkg", "diff", f"{package}@v2", "--diff-type", form, *more]) == 0
    assert contents(package) == before
    return capsys.readouterr().out


HERE = "-  size: small\n+  size: large # ours\n"
THERE = "-  size: small\n+  size: medium\n"


def test_local(both: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The edits here, without marks and what a fetch wrote into the Kptfile."""
    said = shown(both, "local", capsys)

    assert HERE in said and "+++ b/mine.md" in said and "2 differences" in said
    assert "medium" not in said and "upstream-identifier" not in said and "Kptfile" not in said


def test_remote(both: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Upstream's changes; a binary file is named."""
    said = shown(both, "remote", capsys)

    assert "\nlogo.bin: changed, without lines of text\n" in said
    assert THERE in said and "+++ b/new.yaml" in said and "3 differences" in said
    assert "ours" not in said and "mine.md" not in said


def test_combined(both: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From the revision to what is here."""
    said = shown(both, "combined", capsys)

    assert "-  size: medium\n+  size: large # ours\n" in said and "--- a/new.yaml" in said


def test_three_ways(both: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both sides' changes, one after the other."""
    said = shown(both, "3way", capsys)

    assert said.index("# edited here since") < said.index(HERE) < said.index("# changed upstream from")
    assert THERE in said and "to v2" in said


def test_files_without_lines(both: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A binary file that differs, one that went and an empty one are named: a diff shows nothing of them."""
    shown(both, "local", capsys)
    (both / "logo.bin").write_bytes(b"\xff\x02")
    (both / "empty").write_bytes(b"")

    said = shown(both, "combined", capsys)

    assert "\nempty: created, without lines of text\nlogo.bin: changed, without lines of text\n" in said


def test_edits_of_a_kptfile(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pipeline of one's own is an edit; the status of a render is none."""
    with (package / "Kptfile").open("a", encoding="utf-8") as stream:
        stream.write("info:\n  description: ours\nstatus:\n  renderStatus: {}\n")

    assert main(["pkg", "diff", str(package), "--diff-type", "local", "--check", "-f", "json"]) == 2

    said = capsys.readouterr()
    assert "+  description: ours\n" in said.err and "renderStatus" not in said.err
    assert [one["path"].rpartition("/")[2] for one in json.loads(said.out)["changes"]] == ["Kptfile"]


def test_nothing_differs(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A package as it was fetched."""
    assert main(["pkg", "diff", str(package), "--diff-type", "3way", "--check"]) == 0
    assert "no difference" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["local", "3way"])
def test_a_revision_must_exist(both: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where nothing is compared with it."""
    assert main(["pkg", "diff", f"{both}@nope", "--diff-type", form]) == 1
    assert "nope" in capsys.readouterr().err


def test_a_commit_of_digits_is_a_text(both: Path) -> None:
    """As in Go, where the field is a string: YAML would read 1234567 and 12e4567 as numbers."""
    kptfile = (both / "Kptfile").read_bytes()
    lock = re.sub(rb"commit: \S+", b"commit: 0012e4567", kptfile)
    assert Origin.of(package_kptfile({"Kptfile": File(lock)})).commit == "0012e4567"
