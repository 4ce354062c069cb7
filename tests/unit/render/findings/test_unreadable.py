"""A package that cannot be read, as a report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from krmkit.cli import main
from krmkit.render.findings.unreadable import unreadable

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package `p` whose file `a.yaml` is not YAML; its parent is the working directory."""
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

    assert report.failure == ("" if place else problem)
    assert [one.place for one in report.results] == ([place] if place else [])


PIPELINE = """pipeline:
  mutators:
  - image: ghcr.io/krmkit/apply-presets
    configpath: a.yaml
  validator: []
"""


@pytest.mark.parametrize("words", [["render", "p"], ["render", "-r", "."]], ids=["one", "many"])
def test_a_wrong_kptfile(folder: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Each mistake is said once, at its line."""
    (folder / "Kptfile").write_text("# ours\n---\n" + KPTFILE + PIPELINE)

    assert main([*words, "-f", "github"]) == 1
    said = capsys.readouterr()
    lines = [line for line in said.out.splitlines() if line.startswith("::error")]
    assert [line.partition(",title")[0] for line in lines] == [
        "::error file=p/Kptfile,line=10,col=5",
        "::error file=p/Kptfile,line=11,col=3",
    ]
    assert (said.out + said.err).count('did you mean "configPath"?') == 1

    assert main([*words, "-f", "table"]) == 1
    said = capsys.readouterr()
    assert (said.out + said.err).count('did you mean "configPath"?') == 1


def test_a_config_of_another_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The nearest file is named, and the line of configPath."""
    (folder / "a.yaml").rename(folder / "presets.yaml")
    (folder / "presets.yaml").write_text("apiVersion: v1\nkind: X\nmetadata: {name: x}\n")
    (folder / "Kptfile").write_text(
        KPTFILE + PIPELINE.replace("configpath: a", "configPath: preset").replace("  validator: []\n", "")
    )

    assert main(["render", "p"]) == 1
    assert capsys.readouterr().err == (
        "krmkit render: Kptfile: line 8, column 5: pipeline.mutators[0].configPath:"
        ' the package has no "preset.yaml"; did you mean "presets.yaml"?\n'
    )


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
    assert "../a.yaml:2:1: error: " in capsys.readouterr().out
