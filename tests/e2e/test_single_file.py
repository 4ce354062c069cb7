"""krmkit.pyz with its real dependencies, in an interpreter that has neither pip nor packages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.packages import contents
from tools.release import singlefile

pytestmark = pytest.mark.slow  # fetches wheels
LIST = """apiVersion: config.kubernetes.io/v1
kind: ResourceList
items: []
functionConfig:
  apiVersion: krmkit.dev/v1alpha1
  kind: ApplyPresets
  metadata: {name: x}
"""


@pytest.fixture(scope="module")
def program(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file, for this interpreter only."""
    folder = tmp_path_factory.mktemp("single")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
    # A copy, as a build leaves files beside the sources.
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        (folder / "source").mkdir(exist_ok=True)
        shutil.copy(project / name, folder / "source")
    for name in ("shared", "functions"):
        shutil.copytree(
            project / name, folder / "source" / name, ignore=shutil.ignore_patterns("__pycache__", "examples")
        )
    subprocess.run(
        [*pip, "--no-build-isolation", "--wheel-dir", str(folder), str(folder / "source")], check=True
    )
    [wheel] = folder.glob("*.whl")
    assert singlefile.main([str(wheel), str(folder / "krmkit.pyz"), "--here"]) == 0
    return folder / "krmkit.pyz"


def start(program: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run it as on a machine that has nothing: no site packages, and a home of its own."""
    environment = {"HOME": str(program.parent), "PATH": os.defpath}
    command = [sys.executable, "-I", "-S", str(program), *arguments]
    return subprocess.run(command, input=stdin, env=environment, capture_output=True, text=True, check=False)


def test_a_function(program: Path) -> None:
    """One list in, one out."""
    done = start(program, "run", "apply-presets", stdin=LIST)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n")


@pytest.mark.parametrize(
    "package",
    [
        pytest.param("examples/edge-cluster-profile", id="packs"),
        pytest.param("functions/render-installation/examples/greeter", id="an Installation"),
        pytest.param("functions/render-cluster-topology/examples/quick-start", id="topologies"),
    ],
)
def test_a_package(program: Path, project: Path, tmp_path: Path, package: str) -> None:
    """Rendered to what the checkout's krmkit makes of it."""
    for name in ("one", "other"):
        shutil.copytree(project / package, tmp_path / name)

    done = start(program, "render", str(tmp_path / "one"))

    assert done.returncode == 0, done.stderr
    subprocess.run(
        [sys.executable, "-m", "krmkit", "render", str(tmp_path / "other")],
        env={**os.environ, "PYTHONPATH": str(project / "shared")},
        capture_output=True,
        check=True,
    )
    assert contents(tmp_path / "one") == contents(tmp_path / "other") != contents(project / package)


def test_many_packages_in_many_processes(program: Path, project: Path, tmp_path: Path) -> None:
    """Processes that krmkit starts find it as well."""
    for number in range(4):
        shutil.copytree(project / "examples/edge-cluster-profile", tmp_path / f"all/{number}")

    done = start(program, "render", "--recursive", str(tmp_path / "all"), "--jobs", "2")

    assert done.returncode == 0, done.stderr
    assert "4 packages" in done.stdout


def test_what_it_has_not_brought(program: Path, tmp_path: Path) -> None:
    """A heavy extra is named, without a traceback."""
    done = start(program, "serve", "evaluator")

    assert done.returncode == 1
    assert "Traceback" not in done.stderr and "pip install" in done.stderr
