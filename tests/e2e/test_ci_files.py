"""What CI systems get: the hooks of pre-commit and the action, run as these run them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
KPTFILE = """apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: p
pipeline:
  mutators:
  - image: example.dev/set-package-context:v1
    configMap: {site: north}
"""
CONTEXT = """apiVersion: v1
kind: ConfigMap
metadata:
  name: kptfile.kpt.dev
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  name: p
  site: none
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with a package, and an installed krmkit where the action has it."""
    package = tmp_path / "work" / "p"
    package.mkdir(parents=True)
    (package / "Kptfile").write_text(KPTFILE)
    (package / "package-context.yaml").write_text(CONTEXT)
    command = tmp_path / "krmkit" / "bin" / "krmkit"
    command.parent.mkdir(parents=True)
    command.write_text(f"#!/bin/sh\nPYTHONPATH='{ROOT}/shared' exec '{sys.executable}' -m krmkit \"$@\"\n")
    command.chmod(0o755)
    return tmp_path


def run(tree: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    path = f"{tree}/krmkit/bin{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "HOME": str(tree), "RUNNER_TEMP": str(tree), **variables}
    return subprocess.run(
        command, cwd=tree / "work", env=environment, capture_output=True, text=True, check=False
    )


def test_hooks(tree: Path) -> None:
    """The check says 2 and writes nothing until the other hook has rendered."""
    check, render = (shlex.split(HOOKS[name]["entry"]) for name in ("krmkit-check", "krmkit-render"))

    assert run(tree, *check).returncode == 2
    assert (tree / "work/p/package-context.yaml").read_text() == CONTEXT
    assert run(tree, *render).returncode == 0
    assert run(tree, *check).returncode == 0


def script() -> str:
    text: str = ACTION["runs"]["steps"][1]["run"]
    assert "${{" not in text  # texts of others must not become commands
    return text


@pytest.mark.parametrize(
    ("variables", "code", "expected"),
    [
        pytest.param(
            {},
            2,
            "::error file=p/package-context.yaml,title=not-rendered::",
            id="a package that is not rendered",
        ),
        pytest.param({"INPUT_ARGUMENTS": "--results-dir out --explain"}, 2, "", id="more flags"),
        pytest.param({"INPUT_PATH": "nowhere"}, 1, "nowhere: does not exist", id="a wrong folder"),
        pytest.param({"INPUT_PATH": "$(touch owned)"}, 1, "does not exist", id="a text is no command"),
    ],
)
def test_action(tree: Path, variables: dict[str, str], code: int, expected: str) -> None:
    """The script of the action, with the inputs as GitHub gives them."""
    inputs = {"INPUT_PATH": ".", "INPUT_SINCE": "", "INPUT_ARGUMENTS": "", **variables}

    done = run(tree, "bash", "-e", "-o", "pipefail", "-c", script(), **inputs)

    assert done.returncode == code, done.stderr
    assert expected in done.stdout + done.stderr
    assert not (tree / "work" / "owned").exists()


def test_the_action_names_its_inputs() -> None:
    """Every input reaches the script, through a variable."""
    environment = ACTION["runs"]["steps"][1]["env"]

    assert environment == {f"INPUT_{name.upper()}": f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}
