"""krmkit as users install it: from its sources, by pip, into an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def sources_in(folder: Path) -> Path:
    """A copy of what a build needs, as a build leaves files beside the sources; returns the folder."""
    for name in ("shared", "functions"):
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, folder)
    return folder


def install(place: Path, extras: str = "") -> Path:
    """`pip install .[extras]` into a new environment in `place`; returns its folder of commands.

    The interpreter is that of the tests, or the one that KRMKIT_BASE_PYTHON names.
    """
    sources = sources_in(place / "sources")
    python = os.environ.get("KRMKIT_BASE_PYTHON") or sys.executable
    subprocess.run([python, "-m", "venv", str(place / "environment")], check=True)
    commands = place / "environment/bin"
    what = f"{sources}[{extras}]" if extras else str(sources)
    pip = ["-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    subprocess.run([str(commands / "python"), *pip, what], check=True)
    shutil.rmtree(sources)
    return commands
