"""krmkit new function: what is made, and what is refused before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.cli import main


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The folder is whole, the program may be started, and the example renders with it."""
    assert main(["new", "function", "deep/set-colours", "--api-version", "colours.example.com/v2"]) == 0
    folder = tmp_path / "deep/set-colours"
    capsys.readouterr()

    assert (folder / "main.py").stat().st_mode & 0o111
    assert "apiVersion: colours.example.com/v2\n" in (folder / "function.yaml").read_text()
    assert '+    example: "true"' in (folder / "examples/basic/.expected/diff.patch").read_text()
    assert main(["render", "deep/set-colours/examples/basic", "--functions", "deep", "--check"]) == 2
    assert main(["explain", "SetColours.spec.label", "--functions", "deep"]) == 0
    assert "SetColours.spec.label  string  (required)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["one"], 'two words or more, such as label-teams; got "one"'),
        (["Two-Words"], 'got "Two-Words"'),
        (["two_words"], 'got "two_words"'),
        (["apply-presets"], "krmkit has a function apply-presets already"),
        (["there-already"], "there-already is there already; name a folder that does not exist yet"),
        (["new-one", "--api-version", "v1"], "--api-version: apiVersion must be a group and a version"),
    ],
)  # fmt: skip
def test_refused(tmp_path: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong name, a name that is taken, a version without a group: exit code 1, and nothing is written."""
    (tmp_path / "there-already").mkdir()

    assert main(["new", "function", *words]) == 1

    assert said in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["there-already"]
    assert not list((tmp_path / "there-already").iterdir())


def test_a_wrong_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command that takes --functions refuses a folder without functions in the same words."""
    (tmp_path / "Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n")
    said = "nowhere: does not exist; name the folder of a function, or one that holds such folders\n"
    calls = [
        ["render", "."],
        ["render", "-r", "."],
        ["why", ".", "Kptfile/p"],
        ["list"],
        ["doc", "apply-presets"],
        ["run", "apply-presets"],
        ["explain", "ApplyPresets"],
        ["schema", "ApplyPresets"],
    ]

    for words in calls:
        assert main([words[0], "--functions", "nowhere", *words[1:]]) == 1, words
        assert capsys.readouterr().err == f"krmkit {words[0]}: {said}"
