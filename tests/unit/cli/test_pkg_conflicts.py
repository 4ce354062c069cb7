"""krmkit.cli.pkg: conflicts that nobody has decided, and subpackages that upstream deleted."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from krmkit.cli import main
from tests.unit.cli.test_pkg import APP, KPTFILE, Upstream, contents, edit, fetched_kptfile, package, upstream

__all__ = ["package", "upstream"]
MARKED = "<<<<<<< local\n  size: large\n=======\n  size: medium\n>>>>>>> upstream\n"


def test_markers_stay_an_error(upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The next update and a render name the file and the line, until a person has decided."""
    upstream.release("v2", {"app.yaml": APP.replace("small", "medium")})
    edit(package / "app.yaml", "small", "large")
    assert main(["pkg", "update", f"{package}@v2", "--on-conflict", "markers"]) == 1
    assert MARKED in (package / "app.yaml").read_text("utf-8")
    before = contents(package)
    capsys.readouterr()

    for words in (["pkg", "update", str(package)], ["pkg", "update", str(package), "--check"]):
        assert main(words) == 1
        assert "app.yaml: line 8: a conflict is not resolved" in capsys.readouterr().err
    assert main(["render", str(package), "--check"]) == 1
    assert "app.yaml: line 8: a conflict is not resolved" in capsys.readouterr().err
    assert contents(package) == before

    edit(package / "app.yaml", MARKED, "  size: large\n")
    assert main(["pkg", "update", str(package)]) == 0
    assert main(["render", str(package), "--check"]) == 0


def test_markers_in_other_files(
    upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A text that is no resource is named too; one that comes so from upstream, as an example, is none."""
    example = "How it looks:\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"
    upstream.release("v2", {"howto.md": example})
    assert main(["pkg", "update", f"{package}@v2"]) == 0
    assert main(["pkg", "update", str(package)]) == 0

    (package / "note.md").write_text(f"1\n{MARKED}", encoding="utf-8")

    assert main(["pkg", "update", str(package)]) == 1
    assert "note.md: line 2: a conflict is not resolved" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["Title\n=======\n", "<<<<<<< a\n=======\n", "<<<<<<<\n=======\n>>>>>>>\n", ">>>>>>> a\n"]
)
def test_what_is_no_conflict(upstream: Upstream, package: Path, text: str) -> None:
    """Headings and arrows are texts like others."""
    (package / "note.md").write_text(text, encoding="utf-8")

    assert main(["pkg", "update", str(package)]) == 0


@pytest.mark.parametrize("name", ["mine.md", "testdata/merge.txt", "docs/how.rst"])
def test_files_of_ones_own(upstream: Upstream, package: Path, name: str) -> None:
    """A file that upstream never had may show a conflict: no update could have left one there."""
    (package / name).parent.mkdir(exist_ok=True)
    (package / name).write_text(f"How it looks\n=======\n\n```\n{MARKED}```\n", encoding="utf-8")
    upstream.release("v2", {"app.yaml": APP.replace("small", "medium")})

    assert main(["pkg", "update", f"{package}@v2"]) == 0
    assert MARKED in (package / name).read_text("utf-8")


def test_an_example_that_upstream_deleted(upstream: Upstream, package: Path) -> None:
    """A file that came with markers from upstream, and was edited elsewhere, holds no conflict of ours."""
    commit = upstream.release("v1.1", {"howto.md": f"1\n{MARKED}"})
    (package / "howto.md").write_text(f"2\n{MARKED}", encoding="utf-8")
    edit(package / "Kptfile", "ref: v1\n    commit: ", f"ref: v1.1\n    commit: {commit} # ")
    upstream.release("v2", {"howto.md": None})

    assert main(["pkg", "update", f"{package}@v2"]) == 0
    assert (package / "howto.md").read_text("utf-8") == f"2\n{MARKED}"


def test_markers_in_a_subpackage(
    upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A subpackage that follows an upstream of its own is looked at, too."""
    below(upstream, package, upstream.release("v1.1", {}))
    upstream.release("v2", {})
    edit(package / "sub/app.yaml", "  size: large\n", MARKED)

    assert main(["pkg", "update", str(package)]) == 1
    assert "subpackage sub: app.yaml: line 8: a conflict is not resolved" in capsys.readouterr().err


def below(upstream: Upstream, package: Path, commit: str) -> None:
    """A subpackage with an upstream of its own, fetched at v1, whose app.yaml was edited here."""
    (package / "sub").mkdir()
    (package / "sub/Kptfile").write_text(
        fetched_kptfile(upstream, commit).replace("ref: v1", "ref: v2", 1), encoding="utf-8"
    )
    (package / "sub/app.yaml").write_text(APP.replace("small", "large"), encoding="utf-8")
    for name in ("logo.bin", "note.md"):
        shutil.copy(package / name, package / "sub" / name)


def test_stop_in_a_subpackage(upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file is named with its folder, and programs get a result for each conflict."""
    below(upstream, package, upstream.release("v1.1", {}))
    upstream.release("v2", {"app.yaml": APP.replace("small", "medium")})
    before = contents(package)

    assert main(["pkg", "update", str(package), "--on-conflict", "stop", "-f", "json"]) == 1

    said = capsys.readouterr()
    (result,) = json.loads(said.out)["results"]
    assert result["severity"] == "error" and result["path"].endswith("/sub/app.yaml") and result["line"] == 8
    assert "sub/app.yaml:8:" in said.err and "upstream wins" not in said.out + said.err
    assert contents(package) == before


def test_a_deleted_subpackage_with_an_upstream_of_its_own(
    upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its files are there because of that, and not because somebody edited them."""
    commit = upstream.release("v1.1", {"sub/Kptfile": KPTFILE})
    below(upstream, package, commit)
    (package / "sub/app.yaml").write_text(APP, encoding="utf-8")
    edit(package / "Kptfile", "ref: v1\n    commit: ", f"ref: v1.1\n    commit: {commit} # ")
    upstream.release("v2", {"sub/Kptfile": None})

    assert main(["pkg", "update", f"{package}@v2"]) == 0

    assert "deleted upstream, with files from an upstream of its own: kept" in capsys.readouterr().out


@pytest.mark.kpt
def test_a_deleted_subpackage_that_kpt_wrote_anew(
    upstream: Upstream, tmp_path: Path, kpt: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """kpt formats each file that it renders: that is no edit, of a Kptfile neither."""
    odd = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n    name: sub\n"
    upstream.release("v1", {"Kptfile": KPTFILE, "sub/Kptfile": odd, "sub/app.yaml": APP})
    upstream.release("v2", {"sub/Kptfile": None, "sub/app.yaml": None})
    got = tmp_path / "got"
    for words in (
        ["pkg", "get", f"file://{upstream.folder}/.git/shop@v1", str(got)],
        ["fn", "render", str(got)],
    ):
        subprocess.run([kpt, *words], check=True, capture_output=True, cwd=tmp_path)
    (got / "sub/Kptfile").write_text(odd.replace("    name", "  name"), encoding="utf-8")

    assert main(["pkg", "update", f"{got}@v2"]) == 0

    assert not [path for path in contents(got) if path.startswith("sub/")], capsys.readouterr().out


def test_markers_in_a_kptfile(upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both sides are there, the lock is moved, and nothing goes on until a person has decided."""
    told = KPTFILE + "info:\n  description: two\n  keywords: [b]\n"
    upstream.release("v2", {"Kptfile": told})
    with (package / "Kptfile").open("a", encoding="utf-8") as stream:
        stream.write("info:\n  description: mine # ours\n  keywords: [c]\n")

    assert main(["pkg", "update", f"{package}@v2", "--on-conflict", "markers"]) == 1

    said, text = capsys.readouterr(), (package / "Kptfile").read_text("utf-8")
    assert "upstream wins" not in said.out and "between <<<<<<< and >>>>>>>" in said.err
    assert "<<<<<<< local\n  description: mine # ours\n" in text and "  description: two" in text
    assert text.count("ref: v2") == 2 and "<<<<<<<" not in text.split("info:")[0]
    line = text[: text.index("<<<<<<<")].count("\n") + 1
    for words in (["pkg", "update", str(package)], ["render", str(package)]):
        assert main(words) == 1
        assert f"Kptfile: line {line}: a conflict is not resolved" in capsys.readouterr().err


def test_markers_in_the_kptfile_of_a_subpackage(
    upstream: Upstream, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It follows its own upstream after a person has decided, and an update without that says so."""
    below(upstream, package, upstream.release("v1.1", {}))
    kptfile = (package / "sub/Kptfile").read_text("utf-8")
    commit = upstream.release("v1.2", {"sub/Kptfile": kptfile, "sub/app.yaml": APP})
    edit(package / "Kptfile", "ref: v1\n    commit: ", f"ref: v1.2\n    commit: {commit} # ")
    (package / "sub/Kptfile").write_text(kptfile + "info:\n  description: mine\n", encoding="utf-8")
    upstream.release("v2", {"sub/Kptfile": kptfile + "info:\n  description: two\n"})

    assert main(["pkg", "update", f"{package}@v2", "--on-conflict", "markers"]) == 1

    assert "<<<<<<< local\n  description: mine\n" in (package / "sub/Kptfile").read_text("utf-8")
    assert main(["pkg", "update", str(package)]) == 1
    assert "Kptfile: line" in capsys.readouterr().err
