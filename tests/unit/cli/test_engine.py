"""The flag --on: where it is refused before anything is read or written."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.cli import main

RENDER = ["variants", "render", "set.yaml", "--packages", "in", "--out", "out"]
SYNC = ["variants", "sync", "set.yaml", "--repo", "a=a.git"]


@pytest.mark.parametrize("words", [RENDER, SYNC], ids=["render", "sync"])
def test_on_and_jobs(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only one of them says who works; the message says which one to leave out."""
    monkeypatch.chdir(tmp_path)

    assert main([*words, "--on", "tcp://127.0.0.1:1", "--jobs", "2"]) == 1
    assert "leave out --jobs, or --on to work here" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [RENDER, SYNC], ids=["render", "sync"])
def test_on_without_an_address(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """An empty address, of a variable that is not set say, must not mean this machine."""
    with pytest.raises(SystemExit) as ended:
        main([*words, "--on", ""])

    assert ended.value.code == 1
    assert "argument --on: must be the address of a scheduler" in capsys.readouterr().err
