"""The workflows: valid as the host's schema says, targets that exist, and no text of others that becomes a command."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.meta.test_docs_commands import TARGETS

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
each_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)


def valid(schema: str, path: Path) -> str:
    """What a schema that check-jsonschema carries has against a file, "" for nothing."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def runs(path: Path) -> list[str]:
    jobs: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text("utf-8"))["jobs"]
    return [step["run"] for job in jobs.values() for step in job.get("steps", []) if "run" in step]


def test_there_are_workflows() -> None:
    """The tests below run for something."""
    assert [path.name for path in WORKFLOWS] == ["ci.yml", "release.yml", "scorecard.yml"]


@each_workflow
def test_a_workflow_is_valid(path: Path) -> None:
    """As its schema says; so is the action."""
    assert valid("github-workflows", path) == ""
    assert valid("github-actions", ROOT / "action.yml") == ""


def test_a_wrong_workflow_is_found(tmp_path: Path) -> None:
    """The schema knows the names."""
    text = WORKFLOWS[0].read_text("utf-8")
    (tmp_path / "wrong.yml").write_text(text.replace("runs-on:", "run-on:"), "utf-8")

    assert "run-on" in valid("github-workflows", tmp_path / "wrong.yml")


@each_workflow
def test_commands_of_a_workflow(path: Path) -> None:
    """bash reads each, every target of make is there, and values come as variables."""
    scripts = runs(path)

    assert scripts or path.name == "scorecard.yml"
    for script in scripts:
        assert "${{" not in script
        assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
        for words in re.findall(r"\bmake ([a-z][^\n&|;]*)", script):
            assert [word for word in shlex.split(words) if "=" not in word and word not in TARGETS] == []


def test_who_may_publish() -> None:
    """Only for a tag, only the jobs that need it, and nobody by a password of the index."""
    path = ROOT / ".github/workflows/release.yml"
    workflow = yaml.safe_load(path.read_text("utf-8"))
    rights = {name: job.get("permissions", {}) for name, job in workflow["jobs"].items()}

    assert list(workflow[True]) == ["push"] and list(workflow[True]["push"]) == ["tags"]
    assert workflow["permissions"] == {"contents": "read"}
    assert [name for name, right in rights.items() if "id-token" in right] == [
        "provenance",
        "index",
        "registry",
    ]
    assert [name for name, right in rights.items() if right.get("packages") == "write"] == ["registry"]
    assert "password" not in path.read_text("utf-8").replace("--password-stdin", "")


def test_a_release_runs_the_checks_first() -> None:
    """Nothing is built, much less published, before all of CI has passed."""
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))["jobs"]

    def before(name: str) -> set[str]:
        needs = jobs[name].get("needs", [])
        direct = [needs] if isinstance(needs, str) else needs
        return {*direct, *(further for one in direct for further in before(one))}

    assert jobs["checks"] == {"uses": "./.github/workflows/ci.yml"}
    assert all("checks" in before(name) for name in jobs if name != "checks")


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml"], ids=lambda path: path.name)
def test_actions_of_others_are_pinned(path: Path) -> None:
    """By the whole commit, with the version that it is, so that nobody can move them."""
    used = re.findall(r"uses: (\S+)(.*)", path.read_text("utf-8"))

    assert used
    for action, comment in used:
        if not action.startswith("./"):
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action), action
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action


@pytest.mark.skipif(
    shutil.which("actionlint") is None, reason="actionlint is not on PATH; .ci/install-tools brings it"
)
def test_actionlint_finds_nothing(tmp_path: Path) -> None:
    """It reads expressions, shells and contexts, too; and it would find an error."""
    done = subprocess.run(["actionlint", *map(str, WORKFLOWS)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")

    wrong = tmp_path / "wrong.yml"
    wrong.write_text(WORKFLOWS[0].read_text("utf-8").replace("matrix.os", "matrix.nothing"), "utf-8")
    done = subprocess.run(["actionlint", str(wrong)], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "nothing" in done.stdout
