"""A function outside of this repository: docs/sdk.md is followed with krmkit installed from its wheel, in a fresh environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from krmkit import REGISTRY, TAG
from tests.e2e import test_tutorial as tutorial
from tests.e2e.installs import sources_in

# Builds a wheel, and installs it.
pytestmark = pytest.mark.slow
IMAGE = f"{REGISTRY}/catalog:{TAG}"


@pytest.fixture(scope="module")
def installed(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment that has krmkit from its wheel, and the dependencies of this one."""
    place = tmp_path_factory.mktemp("installed")
    copy = sources_in(place / "checkout")
    pip = ["-m", "pip", "--disable-pip-version-check", "--quiet"]
    wheel = ["wheel", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", str(place), str(copy)]
    subprocess.run([sys.executable, *pip, *wheel], check=True)
    subprocess.run([sys.executable, "-m", "venv", str(place / "venv")], check=True)
    python = place / "venv/bin/python"
    (found,) = place.glob("krmkit-*.whl")
    subprocess.run([python, *pip, "install", "--no-index", "--no-deps", str(found)], check=True)
    # What pip would fetch is there already; behind the environment's own packages.
    (site,) = (place / "venv/lib").glob("*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    shutil.rmtree(copy)
    pytest_command = place / "venv/bin/pytest"
    pytest_command.write_text(f'#!/bin/sh\nexec "{python}" -m pytest -p no:cacheprovider "$@"\n')
    pytest_command.chmod(0o755)
    return place / "venv/bin"


@pytest.fixture(scope="module")
def followed(installed: Path, tmp_path_factory: pytest.TempPathFactory, project: Path) -> Path:
    """The folder in which the boxes of the page were run, with the installed commands only."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.delenv("PYTHONPATH", raising=False)
        assert tutorial.follow(home, kpt=False, page=project / "docs/sdk.md", commands=installed) >= 5
    return home / "checkout/label-teams"


def run(folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False, env=environment
    )


def test_page(installed: Path, followed: Path) -> None:
    """Every box of the page prints what the page shows; the program runs by itself too, in any folder."""
    python = installed / "python"

    done = run(followed.parent, python, followed / "main.py", "--version")
    assert (done.returncode, done.stdout.partition(" (")[0]) == (0, "label-teams")
    listed = run(followed, installed / "krmkit", "list", "--functions", ".", "-f", "json")
    assert '"platform.example.com/v1"' in listed.stdout
    wrong = run(
        followed,
        installed / "krmkit",
        "render",
        "examples/basic",
        "--functions",
        ".",
        "--functions",
        "../nope",
    )
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert "../nope: does not exist" in wrong.stderr


def test_all_processes_know_it(installed: Path, followed: Path) -> None:
    """Renders of many packages on several processes know the functions too."""
    many = followed.parent / "many"
    for number in range(4):
        shutil.copytree(followed / "examples/basic", many / str(number))

    done = run(many, installed / "krmkit", "render", "-r", ".", "--jobs", "2", "--functions", followed)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 packages: 4 files changed in 4" in done.stdout


@pytest.mark.images
def test_image(followed: Path, tmp_path: Path) -> None:
    """The image file makes an image that answers as the program does."""
    podman = shutil.which("podman")
    if podman is None or run(tmp_path, podman, "image", "exists", IMAGE).returncode:
        pytest.skip(f"needs podman and the image {IMAGE}: make base-image image FUNCTION=catalog")
    built = run(followed, podman, "build", "--quiet", "--pull=never", ".")
    assert built.returncode == 0, built.stderr
    image = built.stdout.strip().splitlines()[-1]
    try:
        done = run(tmp_path, podman, "run", "--rm", "--network=none", image, "--version")
    finally:
        run(tmp_path, podman, "rmi", image)

    assert (done.returncode, done.stdout.partition(" (")[0]) == (0, "label-teams"), done.stderr
