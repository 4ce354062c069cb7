"""The functions laid out and compiled as in their images (Dockerfile.template), and the command that an image starts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from tests.bench.timing import INTERPRETER, Command

ROOT = Path(__file__).resolve().parents[2]


def lay_out(place: Path) -> Path:
    """Copy library and functions, the benchmark's own among them, to a folder, and compile them; returns the folder of functions."""
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc", "examples")
    functions = place / "functions"
    shutil.copytree(ROOT / "functions", functions, ignore=ignored)
    shutil.copytree(ROOT / "shared/krmkit", place / "shared/krmkit", ignore=ignored)
    for own in (ROOT / "tests/bench").glob("*/function.yaml"):
        shutil.copytree(own.parent, functions / own.parent.name, ignore=ignored)
    (place / "site").symlink_to(sysconfig.get_path("platlib"))
    subprocess.run(
        [sys.executable, "-m", "krmkit.fn.compile", "--programs"],
        check=True,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(place / "shared")},
    )
    return functions


def command(folder: Path, stdin: Path) -> Command:
    """The command that runs a function on a list: the interpreter itself, isolated, without site-packages."""
    return Command([INTERPRETER, "-I", "-S", str(folder / "main.pyc")], stdin)
