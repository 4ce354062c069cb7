"""Runs mypy --strict over everything, the functions included.

A function's folder is not a package (its name has dashes) and every function is called main.py, so mypy sees each through a link of its own.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FUNCTIONS = ("functions/*/*.py", "tests/functions/*/main.py", "tests/bench/*/main.py")
LINKS = ROOT / "build" / "typecheck"


def main() -> int:
    shutil.rmtree(LINKS, ignore_errors=True)
    LINKS.mkdir(parents=True)
    places: dict[str, str] = {}
    for path in sorted(path for pattern in FUNCTIONS for path in ROOT.glob(pattern)):
        link = LINKS / f"{path.parent.name}_{path.name}".replace("-", "_")
        link.symlink_to(path)
        places[link.relative_to(ROOT).as_posix()] = path.relative_to(ROOT).as_posix()
    sources = ["shared/krmkit", "tests", "tools", "setup.py", *places]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--exclude", r"/(main|definition)\.py$", *sources],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    text = done.stdout
    for link_name, name in places.items():
        text = text.replace(link_name, name)
    print(text, end="")
    return done.returncode


if __name__ == "__main__":
    raise SystemExit(main())
