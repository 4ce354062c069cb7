"""krmkit in one file, for machines without pip: python -m tools.release.singlefile WHEEL TARGET [--here]

The file holds the wheel of krmkit and, fetched by hash, the wheels of its dependencies for each interpreter of INTERPRETERS; --here: only for
the one that runs this. tools/release/unpack.py runs when it is started. The same wheels make the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.definitions import ROOT
from tools.release import unpack
from tools.release.distributions import ReleaseError

LOCK = ROOT / "requirements" / "run.txt"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# sys.platform and machine, and what wheels call that, the newest first.
PLATFORMS: dict[str, tuple[str, ...]] = {
    "linux-x86_64": (
        "manylinux_2_28_x86_64",
        "manylinux_2_27_x86_64",
        "manylinux_2_17_x86_64",
        "manylinux2014_x86_64",
    ),
    "linux-aarch64": (
        "manylinux_2_28_aarch64",
        "manylinux_2_26_aarch64",
        "manylinux_2_17_aarch64",
        "manylinux2014_aarch64",
    ),
    "darwin-aarch64": ("macosx_14_0_arm64", "macosx_11_0_arm64"),
    "darwin-x86_64": ("macosx_14_0_x86_64", "macosx_10_13_x86_64"),
    "win32-x86_64": ("win_amd64",),
}
INTERPRETERS = {
    f"cp{python.replace('.', '')}-{platform}": (python, platform)
    for platform, python in product(PLATFORMS, PYTHONS)
}
TIME = (1980, 1, 1, 0, 0, 0)


def fetch(key: str, target: Path) -> list[Path]:
    """The wheels of the dependencies for one interpreter, by name. Raises ReleaseError."""
    python, platform = INTERPRETERS[key]
    folder = target / key
    command = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--no-input",
        "download",
        "--quiet",
    ]
    command += ["--require-hashes", "--no-deps", "--only-binary", ":all:", "--requirement", str(LOCK)]
    command += ["--dest", str(folder), "--implementation", "cp", "--python-version", python]
    for abi in ("cp" + python.replace(".", ""), "abi3", "none"):
        command += ["--abi", abi]
    for name in (*PLATFORMS[platform], "any"):
        command += ["--platform", name]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"the wheels for {key}: {done.stderr}")
    return sorted(folder.glob("*.whl"))


def written(target: Path, own: Path, wheels: dict[str, list[Path]]) -> None:
    """Write the file: krmkit's own wheel, and the others by interpreter."""
    every = {path.name: path.read_bytes() for paths in [[own], *wheels.values()] for path in paths}
    digests = [hashlib.sha256(every[name]).hexdigest() for name in sorted(every)]
    content = {
        "version": own.name.split("-")[1],
        "digest": hashlib.sha256("".join(digests).encode()).hexdigest()[:16],
        "wheels": {key: [path.name for path in [own, *paths]] for key, paths in sorted(wheels.items())},
    }
    files = {
        "__main__.py": Path(unpack.__file__).read_bytes(),
        "wheels.json": json.dumps(content, indent=1).encode(),
        **dict(sorted(every.items())),
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as stream:
        stream.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(stream, "w") as archive:
            for name, text in files.items():
                entry = zipfile.ZipInfo(name, TIME)
                entry.create_system, entry.external_attr = 3, 0o100644 << 16
                archive.writestr(entry, text)
    target.chmod(0o755)


def main(arguments: list[str]) -> int:
    here = "--here" in arguments
    places = [Path(one) for one in arguments if one != "--here"]
    if len(places) != 2:
        print("usage: python -m tools.release.singlefile WHEEL TARGET [--here]", file=sys.stderr)
        return 2
    wheel, target = places
    keys = [unpack.interpreter()] if here else list(INTERPRETERS)
    try:
        with TemporaryDirectory(prefix="krmkit-release-") as place:
            written(target, wheel, {key: fetch(key, Path(place)) for key in keys})
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return 1
    print(
        f"{target.parent.name}/{target.name}: {target.stat().st_size >> 20} MiB, for {len(keys)} interpreters"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
