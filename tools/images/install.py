"""Runs inside the build of an image (see Dockerfile.template), with the base image's own interpreter and nothing else.

Lays out /krmkit: the function (all of them for `catalog`), the library, and the dependencies from the copied wheels; then compiles. Every
file has the same time, so that the layers of all images are the same bytes where their content is, and what was compiled fits its source
in every copy.
"""

from __future__ import annotations

import compileall
import os
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path("/build")
TARGET = Path("/krmkit")
TIME = 315532800  # 1980-01-01, as old as archives can say


def lay_out(function: str) -> None:
    """Copy the functions; the compiled main.py in `functions/entry` is what the image runs."""
    every = sorted(path.parent.name for path in SOURCE.glob("functions/*/function.yaml"))
    chosen = every if function == "catalog" else [function]
    if not set(chosen) <= set(every):
        sys.exit(
            f"build with --build-arg FUNCTION=NAME, and not {function!r}; there are {', '.join(every)}, catalog"
        )
    for name in chosen:
        (TARGET / "functions" / name).mkdir(parents=True)
        for file in ("main.py", "function.yaml"):
            shutil.copyfile(SOURCE / "functions" / name / file, TARGET / "functions" / name / file)
    entry = TARGET / "functions" / "entry"
    if function == "catalog":
        entry.mkdir()
        shutil.copyfile(SOURCE / "catalog.py", entry / "main.py")
    else:
        entry.symlink_to(function)
    shutil.copytree(SOURCE / "shared", TARGET / "shared")


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


def main() -> None:
    lay_out(os.environ.get("FUNCTION", ""))
    install()
    same_times(TARGET)
    sys.path[:0] = [str(TARGET / "shared"), str(TARGET / "site")]
    from krmkit.fn import compile as compiler

    if compiler.main(["--programs"]) or not compileall.compile_dir(TARGET / "site", quiet=1):
        sys.exit("not everything compiles")
    entry = TARGET / "functions" / "entry"
    if not entry.is_symlink():
        py_compile.compile(str(entry / "main.py"), str(entry / "main.pyc"), doraise=True)
    same_times(TARGET)


if __name__ == "__main__":
    main()
