"""What a command reads of a folder or a revision: resources, not the settings of other tools; nothing is passed over in silence."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from krmkit.cli import main
from krmkit.render.package import read
from tests.unit.analysis.plans.test_verdicts import EXAMPLE, GIT

HOOKS = "repos:\n- repo: https://example.com/hooks\n  rev: v1\n"
FLOW = "name: ci\non: push\n"
CHART = "name: {{ .Release.Name }}\nkind: {{ .Values.kind }\n"


def commit(folder: Path) -> None:
    for words in (("init", "-q", "-b", "main", "."), ("add", "-A"), ("commit", "-qm", "one")):
        subprocess.run([*GIT, *words], cwd=folder, check=True)


@pytest.fixture
def sites(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that is one package of Clusters, with a workflow and hooks, and a file of settings that is no resource."""
    folder = tmp_path / "sites"
    shutil.copytree(project / EXAMPLE, folder, ignore=shutil.ignore_patterns(".expected"))
    (folder / ".github/workflows").mkdir(parents=True)
    (folder / ".github/workflows/ci.yaml").write_text(FLOW)
    (folder / ".pre-commit-config.yaml").write_text(HOOKS)
    monkeypatch.chdir(folder)
    return folder


def test_settings_of_other_tools_in_a_package(sites: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Hidden files that hold no resources are left out on every surface, and hidden resources are read, as kpt reads them."""
    (sites / ".more.yaml").write_text("apiVersion: v1\nkind: X\nmetadata: {name: hidden}\n")
    (sites / ".broken.yaml").write_text(CHART)
    commit(sites)

    package = read(".")
    assert ".more.yaml" in [file.path for file in package.files]
    assert {".github/workflows/ci.yaml", ".pre-commit-config.yaml", ".broken.yaml"} <= package.ignored
    for words, code in (
        (["topology", "plan", "."], 0),
        (["topology", "plan", "-r", "."], 0),
        (["report", ".", "-f", "json"], 0),
        (["render", ".", "--check", "-q"], 2),
    ):
        assert main(words) == code, capsys.readouterr()


def test_a_plain_folder(sites: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a Kptfile, YAML with neither apiVersion nor kind is left out and counted; .krmignore holds."""
    (sites / "Kptfile").unlink()
    (sites / "values.yaml").write_text("replicas: 3\n")
    (sites / "chart").mkdir()
    (sites / "chart/x.yaml").write_text(CHART)
    (sites / ".krmignore").write_text("/chart\n")
    commit(sites)

    assert main(["topology", "plan", "."]) == 0
    said = capsys.readouterr()
    assert "2 Clusters: 0 with changes" in said.out
    assert "1 YAML file is no resource and was left out: values.yaml\n" in said.err

    (sites / "slip.yaml").write_text("kind: Cluster\nmetadata: {name: x}\n")
    assert main(["topology", "plan", "."]) == 1
    assert (
        "slip.yaml: line 1: an object must have apiVersion and kind; apiVersion is missing"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("was_package", [True, False])
def test_rules_of_today_hold_for_the_revision(
    sites: Path, capsys: pytest.CaptureFixture[str], was_package: bool
) -> None:
    """The first pull request adds a .krmignore (and perhaps a Kptfile), and can be planned against main."""
    kptfile = (sites / "Kptfile").read_text()
    if not was_package:
        (sites / "Kptfile").unlink()
    (sites / "chart").mkdir()
    (sites / "chart/x.yaml").write_text(CHART)
    commit(sites)

    (sites / "Kptfile").write_text(kptfile)
    (sites / ".krmignore").write_text("/chart\n")
    assert main(["topology", "plan", ".", "--against", "main"]) == 0
    assert main(["report", ".", "--against", "main", "-f", "json"]) == 0
    capsys.readouterr()

    shutil.rmtree(sites / "chart")
    (sites / ".krmignore").unlink()
    assert main(["topology", "plan", ".", "--against", "main"]) == 1
    error = capsys.readouterr().err
    assert "as it was in main: chart/x.yaml: line" in error
    assert "list the file in .krmignore, whose rules of today hold" in error


@pytest.fixture
def shut(sites: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of two packages, one of which nobody may read; even root may not."""
    (sites / "Kptfile").unlink()
    for name in ("a", "b"):
        (sites / name).mkdir()
        (sites / name / "Kptfile").write_text(
            f"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {{name: {name}}}\n"
        )
    scandir = os.scandir

    def refused(path: Any = ".") -> Any:
        if os.path.basename(os.fspath(path)) == "b":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    return sites


@pytest.mark.parametrize(
    "words",
    [
        "render -r . --check --jobs 1",
        "check . --jobs 1",
        "report . -f json --jobs 1",
        "topology plan -r . --against . --jobs 1",
        "landscaper graph -r . --jobs 1",
        "render b --check",
        "check b",
        "topology plan b --against a",
        "why b ConfigMap/x",
    ],
)
def test_a_folder_that_cannot_be_read(shut: Path, capsys: pytest.CaptureFixture[str], words: str) -> None:
    """It is an error that names the folder; the other packages are still read."""
    code = main(words.split())

    said = capsys.readouterr()
    assert code == 1
    assert "b: Permission denied" in said.out + said.err
