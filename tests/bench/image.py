"""The functions laid out and compiled as in their images (Dockerfile.template), and the command that an image starts."""

from __future__ import annotations

import compileall
import shutil
import sysconfig
from pathlib import Path

from tests.bench.timing import INTERPRETER, Command
from tools.images.install import ENTRY

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
    for name in ("shared", "functions"):
        compileall.compile_dir(place / name, quiet=1)
    for folder in sorted(functions.iterdir()):
        entry = ENTRY.format(library=str(place / "shared"), name=folder.name)
        (functions / f"{folder.name}.py").write_text(entry, "utf-8")
    return functions


def command(folder: Path, stdin: Path) -> Command:
    """The command that runs a function on a list: the interpreter itself, isolated, without site-packages."""
    return Command([INTERPRETER, "-I", "-S", f"{folder}.py"], stdin)
