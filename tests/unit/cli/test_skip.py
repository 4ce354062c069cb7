"""render --skip and --only: what does not run is named, and never counts as done."""

from __future__ import annotations

from pathlib import Path

import pytest

from krmkit.cli import main

KPTFILE = """apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: p}
pipeline:
  mutators:
  - image: ghcr.io/krmkit/set-namespace
    configMap: {namespace: shop}
  - image: example.dev/of-others:v1
    configMap: {wrong: config}
  - image: ghcr.io/krmkit/set-labels
    configMap: {team: doors}
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package whose second function needs a container, and there is none that can run it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "Kptfile").write_text(KPTFILE)
    (tmp_path / "p" / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n")
    return tmp_path / "p"


@pytest.mark.parametrize("where", [["p"], ["-r", "."]], ids=["one", "many"])
def test_skip(package: Path, where: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The others run and are written; a warning of the function says what is missing."""
    assert main(["render", *where]) == 1
    capsys.readouterr()

    assert main(["render", *where, "--skip", "of-others", "-f", "text"]) == 0
    out = capsys.readouterr().out
    assert "p/Kptfile:8:5: warning: this function did not run (--skip of-others): " in out
    assert "[skipped]" in out
    text = (package / "a.yaml").read_text()
    assert "namespace: shop" in text
    assert "team: doors" in text


def test_only(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One runs, and each of the others is named."""
    assert main(["render", "p", "--only", "set-labels", "-f", "text"]) == 0

    assert capsys.readouterr().out.count("this function did not run (--only)") == 2
    text = (package / "a.yaml").read_text()
    assert "namespace" not in text
    assert "team: doors" in text


@pytest.mark.parametrize("flag", ["--skip", "--only"])
def test_a_wrong_name(package: Path, flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is no reason to run everything, or nothing."""
    assert main(["render", "p", flag, "set-label"]) == 1
    assert capsys.readouterr().err == (
        'krmkit render: no function of the pipeline is called "set-label"; did you mean "set-labels"?\n'
    )
