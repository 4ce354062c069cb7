"""Rules about the examples: rendering one gives its `.expected`, in the layout of kpt's test runner.

.expected/
  diff.patch     what `krmkit render` changes, as `git diff` writes it
  results.yaml   the results of all functions
  config.yaml    testType, and the exit code unless it is 0
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from krmkit.fn.contract.contractrules import each_example, folder_of, rule
from krmkit.fn.testing import Example
from krmkit.krm.errors import Refused

FOLDER = ".expected"
_LIBRARY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


@rule(each_example)
def example_comes_to_what_is_expected(example: Example) -> None:
    """Check that changed files, results and exit code equal `.expected`."""
    place = example.folder / FOLDER
    assert place.is_dir(), f"{place} is missing; pytest --krm-write-expected writes it"
    for name, text in observe(example.folder, folder_of(example)).items():
        assert text == (place / name).read_text("utf-8"), name


def write(package: Path, function: Path) -> dict[str, str]:
    """Write .expected of an example package and return its files. Raises Refused."""
    files = observe(package, function)
    (package / FOLDER).mkdir(exist_ok=True)
    for name, text in files.items():
        (package / FOLDER / name).write_text(text, "utf-8")
    return files


def observe(package: Path, function: Path) -> dict[str, str]:
    """Render a copy of a function's example. Return the content of the files of `.expected` by name.

    Raises Refused.
    """
    with tempfile.TemporaryDirectory() as place:
        copy, results = Path(place, package.name), Path(place, "results")
        shutil.copytree(package, copy, ignore=shutil.ignore_patterns(FOLDER))
        index = Path(place, "index.git")
        before = snapshot(index, copy)
        done = subprocess.run(
            [sys.executable, "-m", "krmkit", "render", str(copy), "--results-dir", str(results)]
            + ["--functions", str(function)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": _LIBRARY, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        report = results / "results.yaml"
        if done.returncode not in {0, 1} or not report.exists():
            raise Refused(f"{package}: exit code {done.returncode}, and no results\n{done.stderr}")
        return {
            "diff.patch": difference(index, copy, before),
            "results.yaml": report.read_text("utf-8"),
            "config.yaml": "testType: render\n"
            + (f"exitCode: {done.returncode}\n" if done.returncode else ""),
        }


def snapshot(index: Path, package: Path) -> str:
    """Store the files of a package in a git tree, and return its name."""
    if not index.exists():
        git(index, package, "init", "--quiet")
    git(index, package, "add", "--all", "--force")
    return git(index, package, "write-tree").strip()


def difference(index: Path, package: Path, before: str) -> str:
    """Return the `git diff` of the package since a snapshot."""
    settings = "-c core.abbrev=7 -c core.quotepath=off diff --no-color --no-renames".split()
    return git(index, package, *settings, before, snapshot(index, package))


def git(index: Path, package: Path, *arguments: str) -> str:
    """Run git on the package, with a repository outside it and without the settings of this machine."""
    try:
        done = subprocess.run(
            ["git", f"--git-dir={index}", f"--work-tree={package}", *arguments],
            cwd=package,
            capture_output=True,
            check=False,
            env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
        )
    except FileNotFoundError:
        raise Refused("git is not on PATH; the diff of an example is git's") from None
    if done.returncode:
        raise Refused(f"git {arguments[0]}: {done.stderr.decode('utf-8', 'replace')}")
    return done.stdout.decode("utf-8")
