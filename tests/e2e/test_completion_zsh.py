"""The completion script in a real zsh, loaded in each of the ways that zsh knows."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from krmkit.cli import main

ZSH = shutil.which("zsh")


@pytest.fixture
def script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A folder for fpath that holds the script."""
    assert main(["completion", "zsh"]) == 0
    (tmp_path / "_krmkit").write_text(capsys.readouterr().out)
    return tmp_path


def test_the_end_of_the_script(script: Path) -> None:
    """It registers itself unless zsh calls it from fpath."""
    text = (script / "_krmkit").read_text()

    assert text.startswith("#compdef krmkit\n")
    assert text.rstrip().endswith("compdef _shtab_krmkit -N krmkit\nfi")
    assert "zsh_eval_context" not in text


@pytest.mark.skipif(ZSH is None, reason="zsh is not on PATH")
@pytest.mark.parametrize(
    "load",
    [
        "source FOLDER/_krmkit",
        "autoload -Uz compinit; compinit -u; source <(cat FOLDER/_krmkit)",
        'eval "$(cat FOLDER/_krmkit)"',
    ],
    ids=["source", "source after compinit", "eval"],
)
def test_zsh(script: Path, load: str) -> None:
    """`source <(krmkit completion zsh)` registers the completion, with or without compinit before."""
    assert ZSH is not None
    command = f"{load.replace('FOLDER', str(script))}; print -r -- $_comps[krmkit]"
    done = subprocess.run(
        [ZSH, "-f", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        env={"HOME": str(script), "PATH": "/usr/bin:/bin"},
    )

    assert (done.stdout.strip(), done.stderr) == ("_shtab_krmkit", "")
