"""Runs inside the build of an image (see Dockerfile.template), with the base image's own interpreter and nothing else.

`install.py library` lays out /krmkit/shared; `install.py function` lays out /krmkit/functions with the function that FUNCTION names (all of
them for `catalog`, none for a program) and /krmkit/site with its dependencies from the copied wheels. Both compile. Dependencies and library
stay as compiled modules alone; the functions, which are loaded by path, keep their sources. Every file has the same time, so that the
layers of all images are the same bytes where their content is, and what was compiled fits its source in every copy.
"""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path("/build")
TARGET = Path("/krmkit")
TIME = 315532800  # 1980-01-01, as old as archives can say
# The same call as that of a program which `krmkit link` writes.
ENTRY = """\
import sys

sys.path.insert(0, {library!r})
from krmkit.start import function

function({name!r})
"""


def lay_out(function: str) -> None:
    """Copy the functions; functions/entry.py is what the image runs."""
    every = sorted(path.parent.name for path in SOURCE.glob("functions/*/function.yaml"))
    # The entry points of images that are not one function, beside this file in the build.
    special = {path.stem.replace("_", "-"): path for path in SOURCE.glob("*.py") if path.name != "install.py"}
    if function not in (*every, *special):
        there = ", ".join([*every, *special])
        sys.exit(f"build with --build-arg FUNCTION=NAME, and not {function!r}; there are {there}")
    (TARGET / "functions").mkdir(parents=True)
    for name in every if function == "catalog" else {function} - set(special):
        (TARGET / "functions" / name).mkdir()
        for file in ("main.py", "definition.py", "function.yaml", "rules.yaml"):
            shutil.copyfile(SOURCE / "functions" / name / file, TARGET / "functions" / name / file)
    entry = TARGET / "functions" / "entry.py"
    if function in special:
        shutil.copyfile(special[function], entry)
    else:
        entry.write_text(ENTRY.format(library=str(TARGET / "shared"), name=function), "utf-8")


def install() -> None:
    """Install the wheels, by their hashes, with the pip that came along; what it leaves for commands goes."""
    wheels = SOURCE / "wheels"
    [pip] = wheels.glob("pip-*.whl")
    site = TARGET / "site"
    command = [
        sys.executable,
        "-I",
        f"{pip}/pip",
        "--disable-pip-version-check",
        "--no-cache-dir",
        "install",
        "--quiet",
    ]
    command += [
        "--no-index",
        "--find-links",
        str(wheels),
        "--require-hashes",
        "--no-deps",
        "--only-binary",
        ":all:",
    ]
    command += ["--no-compile", "--root-user-action", "ignore", "--target", str(site)]
    subprocess.run([*command, "--requirement", str(wheels / "requirements.txt")], check=True)
    shutil.rmtree(site / "bin", ignore_errors=True)


def same_times(*folders: Path) -> None:
    """One time and the usual rights for everything."""
    for folder in folders:
        for path in [folder, *folder.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.name == "main.py" else 0o644)
            os.utime(path, (TIME, TIME), follow_symlinks=False)


def compile_modules(folder: Path) -> None:
    """Compile all modules of a folder; they replace their sources, but not those of functions, saving room and a lookup of each."""
    keeps_sources = folder.name == "functions"
    if not compileall.compile_dir(folder, quiet=1, legacy=not keeps_sources):
        sys.exit("not everything compiles")
    if not keeps_sources:
        for path in folder.rglob("*.py"):
            path.unlink()


def main() -> None:
    if sys.argv[1] == "library":
        shutil.copytree(SOURCE / "shared", TARGET / "shared")
    else:
        lay_out(os.environ.get("FUNCTION", ""))
        install()
    same_times(TARGET)
    for folder in sorted(TARGET.iterdir()):
        compile_modules(folder)
    same_times(TARGET)


if __name__ == "__main__":
    main()
