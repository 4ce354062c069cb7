"""Names of files and texts that a shell or a log would run: the action and the hooks take them as names."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.e2e.test_ci_files import CONTEXT, HOOKS, KPTFILE, run, script, tree

__all__ = ["tree"]
BASH = ("bash", "-e", "-o", "pipefail", "-c")
NAMES = [
    "$(touch owned)",
    "; touch owned #",
    "`touch owned`",
    "a\ntouch owned\n",
    "a && touch owned",
    "'; touch owned; '",
    '"; touch owned; "',
    "--write",
    "-rf",
    "${IFS}touch${IFS}owned",
    "::stop-commands::x",
    "a\n::stop-commands::x",
    "##[stop-commands]x",
]
CONTENT = "  text: |\n    ::stop-commands::evil\n     ##[add-mask]evil\n"


def packages(tree: Path, name: str) -> None:
    """A package of that name, with a file of that name, in the work folder."""
    package = tree / "work" / name
    package.mkdir(parents=True)
    (package / "Kptfile").write_text(KPTFILE, encoding="utf-8")
    (package / "package-context.yaml").write_text(CONTEXT + CONTENT, encoding="utf-8")
    (package / f"{name}.yaml").write_text(CONTEXT.replace("kptfile.kpt.dev", "other"), encoding="utf-8")


def commands(said: str) -> list[str]:
    """The lines that GitHub would take for a command, but for krmkit's own."""
    lines = [line.lstrip() for line in said.replace("\r", "\n").split("\n")]
    found = [line for line in lines if line.startswith("::") or "##[" in line]
    return [
        line for line in found if not line.startswith(("::error ", "::warning ", "::notice ", "::error::"))
    ]


def check_action(tree: Path, path: str) -> None:
    """The action checks what is below a path, and runs nothing of it."""
    inputs = {
        "INPUT_PATH": path,
        "INPUT_SINCE": "",
        "INPUT_ARGUMENTS": "",
        "GITHUB_STEP_SUMMARY": f"{tree}/summary",
    }
    done = run(tree, *BASH, script(), **inputs)
    assert done.returncode == 2, done.stderr
    assert not commands(done.stdout) and not commands(done.stderr), done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert not [*tree.rglob("owned")]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_packages_and_files(tree: Path, name: str) -> None:
    """The action over the package itself."""
    packages(tree, name)

    check_action(tree, name)


def test_a_folder_of_such_packages(tree: Path) -> None:
    """The action and both hooks over a folder that holds a package of each name."""
    for name in NAMES:
        packages(tree, name)

    check_action(tree, ".")
    for hook in ("krmkit-check", "krmkit-render"):
        done = run(tree, *shlex.split(HOOKS[hook]["entry"]), GITHUB_ACTIONS="true")
        assert done.returncode == (2 if hook == "krmkit-check" else 0), done.stderr
        assert not commands(done.stderr)

    assert not [*tree.rglob("owned")]
    for name in NAMES:
        context = (tree / "work" / name / "package-context.yaml").read_text(encoding="utf-8")
        assert (
            "site: north" in context
        )  # the render wrote it, and the action with a path like --write had not


@pytest.mark.parametrize("since", NAMES)
def test_names_of_revisions(tree: Path, since: str) -> None:
    """A revision of such a name is one that does not exist."""
    run(tree, "git", "init", "-q", "-b", "main", ".")

    done = run(tree, *BASH, script(), INPUT_PATH=".", INPUT_SINCE=since, INPUT_ARGUMENTS="")

    assert done.returncode == 1, done.stdout + done.stderr
    assert "there is no such commit" in done.stderr
    assert not [*tree.rglob("owned")]


@pytest.mark.parametrize("name", NAMES)
def test_other_inputs(tree: Path, name: str) -> None:
    """More flags and extras are words, whatever they hold."""
    run(tree, *BASH, script(), INPUT_PATH=".", INPUT_SINCE="", INPUT_ARGUMENTS=name)
    python = tree / "python3"
    python.write_text('#!/bin/sh\nmkdir -p "$3/bin"\ncp /bin/true "$3/bin/pip"\n', encoding="utf-8")
    python.chmod(0o755)

    done = run(
        tree, *BASH, script("Install"), PYTHON=str(python), INPUT_EXTRAS=name, GITHUB_ACTION_PATH="ACTION"
    )

    assert done.returncode == 0, done.stderr
    assert not [*tree.rglob("owned")]
