"""krmkit schema, explain, completion and version."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.cli import COMMANDS, main
from krmkit.cli.completion import SHELLS, whole
from tests.unit.cli.packages import PACK


def test_schema(capsys: pytest.CaptureFixture[str]) -> None:
    """By kind or by the function's name, whatever the case."""
    texts = set()
    for name in ("ApplyPresets", "applypresets", "apply-presets"):
        assert main(["schema", name]) == 0
        texts.add(capsys.readouterr().out)

    assert len(texts) == 1
    assert json.loads(texts.pop())["properties"]["spec"]


def test_modeline(tmp_path: Path) -> None:
    """Editors get the schema beside the file, and a comment on its first line; twice is once."""
    file = tmp_path / "config.yaml"
    file.write_text(PACK)

    for _ in range(2):
        assert main(["schema", "ApplyPresets", "--modeline", str(file)]) == 0
        assert file.read_text() == "# yaml-language-server: $schema=.schemas/ApplyPresets.json\n" + PACK
    assert json.loads((tmp_path / ".schemas" / "ApplyPresets.json").read_text())["properties"]


@pytest.mark.parametrize(
    ("field", "code", "expected"),
    [
        ("ApplyPresets", 0, "function: apply-presets\n"),
        ("ApplyPresets.spec.selections.presets", 0, "selections.presets  list of string  (required)\n"),
        ("ResolveMacros.spec.macros.any", 0, "ResolveMacros.spec.macros.any  "),
        ("ApplyPresets.spec.selektions", 1, 'has no field "selektions"; did you mean "selections"?'),
        ("nosuch", 1, 'there is no rule, function or kind "nosuch"'),
        ("ApplyPreset", 1, 'there is no kind "ApplyPreset"; did you mean "ApplyPresets"?'),
        (
            "pack.json",
            1,
            "pack.json is a pack's file, not a function's; krmkit schema pack.json prints its schema",
        ),
        ("schema.yaml", 1, "krmkit schema schema.yaml prints its schema"),
    ],
)
def test_explain(field: str, code: int, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Type, meaning and fields below, or the nearest name; no line over 80 columns."""
    assert main(["explain", field]) == code

    out, err = capsys.readouterr()
    assert expected in out + err
    assert all(len(line) <= 80 for line in out.splitlines())


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    """As a flag and as a command."""
    main(["version"])
    main(["--version"])

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == lines[1]
    assert lines[0].startswith("krmkit ")


@pytest.mark.parametrize("shell", SHELLS)
def test_completion(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The script knows commands, flags and functions."""
    assert main(["completion", shell]) == 0

    script = capsys.readouterr().out
    assert all(word in script for word in ("render", "check", "results", "apply-presets", "sarif"))


def test_completion_of_bash(tmp_path: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bash itself completes with it: a flag, the name of a function, a resource and a field of it."""
    krmkit = tmp_path / "bin/krmkit"
    krmkit.parent.mkdir()
    krmkit.write_text(f'#!/bin/sh\nPYTHONPATH="{project}/shared" exec "{sys.executable}" -m krmkit "$@"\n')
    krmkit.chmod(0o755)
    main(["completion", "bash"])
    script = tmp_path / "completion"
    script.write_text(capsys.readouterr().out)
    ask = (
        'source "$1"; function="$(complete -p krmkit | sed "s/.*-F \\([^ ]*\\).*/\\1/")"; shift\n'
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_TYPE=9; "$function" krmkit; echo "${COMPREPLY[*]}"\n'
    )

    def completed(*words: str) -> list[str]:
        done = subprocess.run(
            ["bash", "-c", ask, "bash", str(script), *words], capture_output=True, text=True, check=True,
            cwd=project, env={"PATH": f"{krmkit.parent}{os.pathsep}{os.environ['PATH']}"},
        )  # fmt: skip
        return done.stdout.split()

    assert completed("krmkit", "rend") == ["render"]
    assert completed("krmkit", "render", "--che") == ["--check"]
    assert completed("krmkit", "doc", "apply-pre") == ["apply-presets"]
    edge = "examples/edge-cluster-profile"
    assert completed("krmkit", "why", edge, "ConfigMap/line") == ["ConfigMap/line-vision"]
    assert completed("krmkit", "why", edge, "packs/li") == ["packs/line-vision.yaml"]
    found = completed("krmkit", "why", edge, "ConfigMap/line-vision", "charts.line-vision.ing")
    assert "charts.line-vision.ingress.host" in found
    assert completed("krmkit", "why", "nowhere", "C") == []


def test_every_command_is_completed() -> None:
    """One parser holds them all."""
    (commands,) = [action.choices for action in whole(COMMANDS)._actions if action.dest == "command"]

    assert commands is not None
    assert set(commands) == set(COMMANDS)
