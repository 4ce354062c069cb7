"""Writes .expected of example packages: python -m tools.golden [FUNCTION]

An example is a kpt package, functions/<name>/examples/<case>. Its .expected folder, in the layout of kpt's own test runner, holds
  diff.patch     what `krmkit render` changes, as `git diff` writes it
  results.yaml   the results of all functions
  config.yaml    testType, and the exit code where it is not 0
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.definitions import ROOT


class RenderError(Exception):
    """`krmkit render` ended in a way that no golden file can be made of."""


def examples(function: str | None = None, root: Path = ROOT) -> list[Path]:
    """The example packages of one function, or of all."""
    return sorted(path.parent for path in root.glob(f"functions/{function or '*'}/examples/*/Kptfile"))


def observe(example: Path) -> dict[str, str]:
    """Renders a copy of an example; returns what belongs in .expected, by file name."""
    with tempfile.TemporaryDirectory() as place:
        package, results = Path(place, example.name), Path(place, "results")
        shutil.copytree(example, package, ignore=shutil.ignore_patterns(".expected"))
        index = Path(place, "index.git")
        before = snapshot(index, package)
        done = subprocess.run(
            [sys.executable, "-m", "krmkit.cli", "render", str(package), "--results-dir", str(results)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT / "shared")},
        )
        report = results / "results.yaml"
        if done.returncode not in {0, 1} or not report.exists():
            name = example.relative_to(ROOT)
            raise RenderError(f"{name}: exit code {done.returncode}, and no results\n{done.stderr}")
        return {
            "diff.patch": difference(index, package, before),
            "results.yaml": report.read_text("utf-8"),
            "config.yaml": "testType: render\n"
            + (f"exitCode: {done.returncode}\n" if done.returncode else ""),
        }


def snapshot(index: Path, package: Path) -> str:
    """Remembers the files of a package as they are; returns the name of that state."""
    if not index.exists():
        git(index, package, "init", "--quiet")
    git(index, package, "add", "--all", "--force")
    return git(index, package, "write-tree").strip()


def difference(index: Path, package: Path, before: str) -> str:
    """What `git diff` says of the package since a snapshot."""
    after = snapshot(index, package)
    return git(
        index,
        package,
        "-c",
        "core.abbrev=7",
        "-c",
        "core.quotepath=off",
        "diff",
        "--no-color",
        "--no-renames",
        before,
        after,
    )


def git(index: Path, package: Path, *arguments: str) -> str:
    """Runs git on the package with a repository of its own beside it, no matter how this machine's git is set up."""
    done = subprocess.run(
        ["git", f"--git-dir={index}", f"--work-tree={package}", *arguments],
        cwd=package,
        capture_output=True,
        check=False,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
    )
    if done.returncode:
        raise RenderError(f"git {arguments[0]}: {done.stderr.decode('utf-8', 'replace')}")
    return done.stdout.decode("utf-8")


def main(arguments: list[str]) -> int:
    if len(arguments) > 1:
        print("usage: python -m tools.golden [FUNCTION]", file=sys.stderr)
        return 2
    found = examples(arguments[0] if arguments else None)
    if not found:
        print(
            f"there is no example package in functions/{arguments[0] if arguments else '*'}/examples",
            file=sys.stderr,
        )
        return 1
    for example in found:
        try:
            files = observe(example)
        except RenderError as error:
            print(error, file=sys.stderr)
            return 1
        target = example / ".expected"
        target.mkdir(exist_ok=True)
        for name, text in files.items():
            (target / name).write_text(text, "utf-8")
        changed = sum(line.startswith("+++ ") for line in files["diff.patch"].splitlines())
        print(f"{example.relative_to(ROOT)}: {changed} files changed")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
