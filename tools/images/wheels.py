"""The wheels that an image needs, fetched by hash: python -m tools.images.wheels FUNCTION... | --into FOLDER (for $FUNCTION)

build/wheels/<function>/ then holds the wheels, requirements.txt with exactly their hashes, and the wheel of pip that installs them inside
the build, where nothing is fetched. A function gets PyYAML and what its function.yaml names in runtime.requires, `catalog` what all need, a
program (tools/images/programs.py) its locks.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools.definitions import ROOT, definitions
from tools.images.engine import ImageError
from tools.images.programs import PROGRAMS

FOLDER = ROOT / "build" / "wheels"
CATALOG = "catalog"
PYTHON = "3.11"  # of the base image
# The name in function.yaml, and its packages in the locks below requirements/. Those of ALWAYS are for every function.
EXTRAS: dict[str, tuple[str, ...]] = {
    "": ("run", "pyyaml"),
    "re2": ("run", "google-re2"),
    "cel": ("cel", "cel-expr-python"),
    "jsonschema": ("run", "jsonschema-rs"),
    "protobuf": ("cel", "protobuf"),
    "starlark": ("starlark", "starlark-pyo3"),
}
ALWAYS = ("",)  # every image needs it for reading YAML
# The oldest C library that a wheel may ask for, newest first; the base image has 2.36.
GLIBC = ("2_34", "2_31", "2_28", "2_27", "2_26", "2_24", "2_17", "2_12", "2_5")


def lock(name: str) -> dict[str, str]:
    """The entries of requirements/<name>.txt by package: `name==version` with its hashes, on one line."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8").replace("\\\n", "")
    return {line.partition("==")[0]: line for line in text.splitlines() if "==" in line}


def extras(function: str) -> list[str]:
    """Keys of EXTRAS that an image of functions needs. Raises ImageError if there is no such function."""
    known = {definition.name: definition.requires for definition in definitions()}
    if function != CATALOG and function not in known:
        there = ", ".join([*known, CATALOG, *PROGRAMS])
        raise ImageError(f'there is no function "{function}"; there are {there}')
    wanted = known.get(function) or []
    if function == CATALOG:
        wanted = [extra for required in known.values() for extra in required]
    unknown = sorted(set(wanted) - set(EXTRAS))
    if unknown:
        raise ImageError(
            f"{function}: runtime.requires names {', '.join(unknown)}; known are {', '.join(filter(None, EXTRAS))}"
        )
    return [*ALWAYS, *sorted(set(wanted) - set(ALWAYS))]


def requirements(function: str) -> list[str]:
    """The entries of the locks for one image."""
    if function in PROGRAMS:
        basic = [lock(EXTRAS[extra][0])[EXTRAS[extra][1]] for extra in ("", "re2")]
        return [*basic, *(entry for name in PROGRAMS[function].locks for entry in lock(name).values())]
    return [lock(EXTRAS[extra][0])[EXTRAS[extra][1]] for extra in extras(function)]


def fetch(function: str, into: Path | None = None) -> Path:
    """Fill build/wheels/<function>, or `into`, unless it is already what the locks say; returns it."""
    entries = requirements(function)
    installer = lock("image")["pip"]
    target = into or FOLDER / function
    key = hashlib.sha256("\n".join([*entries, installer, machine(), PYTHON]).encode()).hexdigest()
    stamp = target / ".made-from"
    if stamp.exists() and stamp.read_text("utf-8") == key:
        return target
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    download([*entries, installer], target)
    found = {path.name.partition("-")[0].replace("_", "-").lower(): path for path in target.glob("*.whl")}
    lines = []
    for entry in entries:
        pin = entry.split()[0]
        digest = hashlib.sha256(found[pin.partition("==")[0]].read_bytes()).hexdigest()
        if f"sha256:{digest}" not in entry:
            raise ImageError(f"{pin}: the wheel that was fetched is not in the lock")
        lines.append(f"{pin} --hash=sha256:{digest}\n")
    (target / "requirements.txt").write_text("".join(lines), "utf-8")
    stamp.write_text(key, "utf-8")
    return target


def download(entries: list[str], target: Path) -> None:
    """Fetch wheels for the interpreter of the base image, whatever interpreter this is."""
    wanted = target / "wanted.txt"
    wanted.write_text("".join(f"{entry}\n" for entry in entries), "utf-8")
    command = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--no-input",
        "download",
        "--quiet",
    ]
    command += [
        "--require-hashes",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--dest",
        str(target),
        "--requirement",
        str(wanted),
    ]
    command += [
        "--implementation",
        "cp",
        "--python-version",
        PYTHON,
        "--abi",
        "cp" + PYTHON.replace(".", ""),
        "--abi",
        "none",
    ]
    for version in GLIBC:
        command += ["--platform", f"manylinux_{version}_{machine()}"]
    command += ["--platform", f"manylinux2014_{machine()}", "--platform", "any"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    wanted.unlink()
    if done.returncode:
        raise ImageError(f"pip download: {done.stdout}{done.stderr}")


def machine() -> str:
    """The architecture as wheels name it."""
    return re.sub("^(arm64)$", "aarch64", platform.machine().lower().replace("amd64", "x86_64"))


def main(arguments: list[str]) -> int:
    # Inside a build, which has no shell: Dockerfile.template.
    into = Path(arguments[1]) if len(arguments) == 2 and arguments[0] == "--into" else None
    functions = arguments if into is None else [os.environ.get("FUNCTION", "")]
    if not functions:
        print("usage: python -m tools.images.wheels FUNCTION... | --into FOLDER", file=sys.stderr)
        return 2
    for function in functions:
        try:
            target = fetch(function, into)
        except ImageError as error:
            print(error, file=sys.stderr)
            return 1
        print(
            f"{os.path.relpath(target, ROOT)}: {', '.join(sorted(path.name for path in target.glob('*.whl')))}"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
