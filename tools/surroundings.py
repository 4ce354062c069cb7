"""Runs tests where others run them: in other places, as another user, with other versions of Python.

python -m tools.surroundings [--full] [NAME...] makes a clone of HEAD below the temporary folder for each surrounding. Without --full it
runs the tests that a surrounding can break, against packages that are installed once, in build/surroundings; with --full it runs
`make test` and `make run`, which install everything in the clone. What cannot be had here is named and left out.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tools.definitions import ROOT

NOBODY = 65534
OWN = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
# Where a Python of another version may lie that on the PATH is absent, or no more than a version manager's shim.
VERSIONS = Path("~/.pyenv/versions")
# The tests of `make test`.
MARKS = "not kpt and not images and not browser and not slow"


class Surrounding(NamedTuple):
    """The test files that it can break, where the clone lies, the version of Python ("" for any), and whether nobody runs them."""

    files: Sequence[str]
    place: str = "krmkit"
    python: str = ""
    nobody: bool = False


STREAMS = "tests/contract/test_process.py::test_closed_streams"
LANGUAGE = (
    STREAMS,
    "tests/meta/test_wheel.py",
    "tests/unit/fn",
    "tests/unit/libraries/json",
    "tests/unit/libraries/yaml",
)
SURROUNDINGS = {
    "place": Surrounding(
        (
            STREAMS,
            "tests/live/test_harness.py",
            "tests/unit/analysis/why/test_states.py",
            "tests/unit/cli/test_cli.py",
            "tests/unit/cli/test_pipes.py",
            "tests/unit/cli/test_schema.py",
            "tests/unit/fn/test_masking.py",
            "tests/unit/render/findings/test_places.py",
            "tests/unit/render/programs",
            "tests/unit/services/extension/test_client.py",
            "tests/unit/services/preview/test_choices.py",
        ),
        place="a place with ü/krm kit",
    ),
    "nobody": Surrounding(
        (
            STREAMS,
            "tests/meta/test_release.py",
            "tests/meta/test_tools.py",
            "tests/unit/cli/test_variants_safety.py",
            "tests/unit/storage/disk",
        ),
        nobody=True,
    ),
    "python3.12": Surrounding(LANGUAGE, python="3.12"),
    "python3.13": Surrounding(LANGUAGE, python="3.13"),
}


class AbsentError(Exception):
    """A surrounding that cannot be had on this machine; the message says what is missing."""


def identity(nobody: bool) -> dict[str, Any]:
    """The arguments of subprocess.run for a command that nobody runs; none where the caller is not root, who alone can become nobody."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if nobody and os.geteuid() == 0 else {}


def said(words: Sequence[str], nobody: bool = False) -> str:
    """What a command prints, "" where it cannot be run."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=True, cwd="/", **identity(nobody))
    except (OSError, subprocess.CalledProcessError):
        return ""
    return str(done.stdout).strip()


def interpreter(surrounding: Surrounding) -> str:
    """The interpreter for a surrounding. Raises AbsentError."""
    wanted = surrounding.python
    if wanted:
        names = [*sorted(map(str, VERSIONS.expanduser().glob(f"{wanted}*/bin/python"))), f"python{wanted}"]
    else:
        names = [OWN, "/usr/bin/python3"]
    ask = "import ensurepip, sys; print('%d.%d' % sys.version_info[:2], sys._base_executable)"
    for name in names:
        words = [name, "-I", "-c", ask]
        found, _, path = said(words, surrounding.nobody).partition(" ")
        if path and (found == wanted or (not wanted and int(found.partition(".")[2]) >= 11)):
            return os.path.realpath(path)
    raise AbsentError(
        f"there is no Python {wanted}" if wanted else f"nobody may not run {' or '.join(names)}"
    )


def borrow(python: str, clone: Path, nobody: bool) -> None:
    """Give a clone an environment with the packages of one that is made once for each interpreter. Raises AbsentError."""
    kept = ".venv"
    if python != OWN:
        version = said([python, "-I", "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"])
        kept = f"build/surroundings/python{version}"
        make = ["sh", "tools/venv.sh", kept, "requirements/dev.txt"]
        subprocess.run(make, cwd=ROOT, env={**os.environ, "PYTHON": python}, check=True)
    [packages] = (ROOT / kept).glob("lib/python*/site-packages")
    read = [python, "-I", "-c", "import os, sys; print(os.listdir(sys.argv[1]))", str(packages)]
    if nobody and not said(read, nobody):
        raise AbsentError(f"nobody may not read {packages}")
    subprocess.run([python, "-m", "venv", "--without-pip", ".venv"], cwd=clone, check=True)
    [site] = clone.glob(".venv/lib/python*/site-packages")
    for path in packages.iterdir():
        if not (site / path.name).exists():
            (site / path.name).symlink_to(path)
    (site / "krmkit-sources.pth").unlink()
    (site / "krmkit-sources.pth").write_text(f"{clone / 'shared'}\n", "utf-8")


def run(surrounding: Surrounding, full: bool) -> int:
    """Run the tests in a surrounding; returns the exit code. Raises AbsentError."""
    python = interpreter(surrounding)
    with tempfile.TemporaryDirectory(prefix="krmkit-surroundings-") as folder:
        top = Path(folder)
        clone, home = top / surrounding.place, top / "home"
        home.mkdir()
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True)
        environment = {**os.environ, "PYTHON": python}
        if full:
            commands = [["make", "test"], ["make", "run"]]
        else:
            borrow(python, clone, surrounding.nobody)
            commands = [
                [".venv/bin/python", "-m", "pytest", "-q", "-m", MARKS, "-n", "auto", *surrounding.files]
            ]
        if surrounding.nobody:
            environment["HOME"] = str(home)
            if os.geteuid() == 0:
                for path in (top, *top.rglob("*")):
                    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
            home.chmod(0o555)
        for words in commands:
            code = subprocess.run(
                words, cwd=clone, env=environment, check=False, **identity(surrounding.nobody)
            ).returncode
            if code:
                return code
    return 0


def main(arguments: list[str]) -> int:
    """Run the named surroundings, or all; say what each came to."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.surroundings", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"some of {', '.join(SURROUNDINGS)}; all where none is named"
    )
    parser.add_argument(
        "--full", action="store_true", help="`make test` and `make run` instead of the affected tests"
    )
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(SURROUNDINGS))
    if unknown:
        parser.error(f"NAME must be one of {', '.join(SURROUNDINGS)}, got {', '.join(unknown)}")
    worst = 0
    for name in options.names or SURROUNDINGS:
        print(f"== {name}", flush=True)
        begun = time.monotonic()
        try:
            code = run(SURROUNDINGS[name], options.full)
        except AbsentError as error:
            print(f"{name}: left out: {error}", flush=True)
            continue
        print(
            f"{name}: {f'exit code {code}' if code else 'passed'} in {time.monotonic() - begun:.0f} s",
            flush=True,
        )
        worst = max(worst, code)
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
