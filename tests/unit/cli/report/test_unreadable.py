"""A package that cannot be read, as a report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.cli.report.unreadable import unreadable

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package `p` whose file `a.yaml` is no YAML; its parent is the working directory."""
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "Kptfile").write_text(KPTFILE, encoding="utf-8")
    (tmp_path / "p" / "a.yaml").write_text("a: [", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "p"


@pytest.mark.parametrize(
    ("problem", "place"),
    [
        ("a.yaml: line 2, column 1: no node", "p/a.yaml:2:1"),
        ("a.yaml: line 3: byte 0xff is not UTF-8", "p/a.yaml:3:1"),
        ("a.yaml: has no apiVersion", "p/a.yaml"),
        ("gone.yaml: line 2: no node", None),
        ("a.yaml (document 2) is a list", None),
        ("other runs of krmkit keep writing", None),
    ],
    ids=["column", "line", "file", "no such file", "no colon", "no place"],
)
def test_place(folder: Path, problem: str, place: str | None) -> None:
    """The file that a message begins with is the place, if the package has it."""
    report = unreadable("p", problem)

    assert report.failure == problem
    assert [one.place for one in report.results] == ([place] if place else [])


@pytest.mark.parametrize("words", [["render", "p"], ["render", "-r", "."]], ids=["one", "many"])
def test_formats(folder: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Editors and CI find the line, whether one package is rendered or many."""
    assert main([*words, "-f", "text"]) == 1
    assert "p/a.yaml:2:1: error: did not find" in capsys.readouterr().out
    assert main([*words, "-f", "github"]) == 1
    assert capsys.readouterr().out.startswith(
        "::error file=p/a.yaml,line=2,col=1,title=unreadable::did not find"
    )
    assert main([*words, "-f", "json"]) == 1
    found = json.loads(capsys.readouterr().out)["packages"][0]["results"]
    assert [(one["path"], one["line"], one["column"]) for one in found] == [("p/a.yaml", 2, 1)]


def test_from_a_subfolder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The path is relative to where the command was called."""
    (folder / "deep").mkdir()
    monkeypatch.chdir(folder / "deep")

    assert main(["render", "-f", "text"]) == 1
    assert f"{folder}/a.yaml:2:1: error: " in capsys.readouterr().out
