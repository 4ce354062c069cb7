"""The __main__.py of krmkit.pyz: unpacks the wheels for this interpreter once, into a cache, and runs krmkit from
there.

Compiled modules cannot be imported from a zip file, so they have to be files. wheels.json beside this file names the wheels of each
interpreter. No dependency but the standard library, and no syntax newer than that of the oldest Python that should get a message.
"""

import json
import os
import platform
import shutil
import sys
import sysconfig
import tempfile
import zipfile

ARCHIVE = os.path.dirname(os.path.abspath(__file__))
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
OLDEST_GLIBC = (2, 28)  # of the compiled wheels
OLDEST_MACOS = (14, 0)


def interpreter() -> str:
    """This interpreter as wheels.json names it, as in cp311-linux-x86_64."""
    implementation = platform.python_implementation().lower()
    name = "cp" if implementation == "cpython" else implementation
    threads = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    machine = platform.machine().lower()
    return f"{name}{sys.version_info[0]}{sys.version_info[1]}{threads}-{sys.platform}-{MACHINES.get(machine, machine)}"


def too_old() -> str:
    """A requirement of the wheels that this machine lacks, "" for none."""
    if sys.platform == "linux":
        library, version = platform.libc_ver()
        if library != "glibc" or numbers(version) < OLDEST_GLIBC:
            return f"glibc {OLDEST_GLIBC[0]}.{OLDEST_GLIBC[1]} or newer, and here is {f'{library} {version}'.strip() or 'another library'}"
    if sys.platform == "darwin" and numbers(platform.mac_ver()[0]) < OLDEST_MACOS:
        return f"macOS {OLDEST_MACOS[0]} or newer, and here is {platform.mac_ver()[0]}"
    return ""


def numbers(version: str) -> "tuple[int, ...]":
    """The first two numbers of a version."""
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def cache() -> str:
    """The folder that holds what was unpacked, of every version."""
    home = os.path.expanduser("~")
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or os.path.join(home, ".cache")
    return os.environ.get("KRMKIT_CACHE") or os.path.join(base, "krmkit")


def unpacked(archive: zipfile.ZipFile, names: "list[str]", folder: str) -> str:
    """Where the wheels `names` of the archive are unpacked: `folder`, which is there complete or not at all."""
    if os.path.isdir(folder):
        return folder
    os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
    work = tempfile.mkdtemp(prefix=os.path.basename(folder) + "-", dir=os.path.dirname(folder))
    try:
        for name in names:
            with archive.open(name) as stream, zipfile.ZipFile(stream) as wheel:
                wheel.extractall(work)
        try:
            os.rename(work, folder)
        except OSError:
            # Another process was faster.
            if not os.path.isdir(folder):
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return folder


def main() -> None:
    with zipfile.ZipFile(ARCHIVE) as archive:
        found = json.loads(archive.read("wheels.json").decode("utf-8"))
        key = interpreter()
        if key not in found["wheels"]:
            pythons = ", ".join(sorted({name.partition("-")[0] for name in found["wheels"]}))
            platforms = ", ".join(sorted({name.partition("-")[2] for name in found["wheels"]}))
            sys.exit(
                f"krmkit.pyz must be run by {pythons} on {platforms}, and this is {key}: take another Python, or install krmkit with pip"
            )
        missing = too_old()
        if missing:
            sys.exit(f"krmkit.pyz needs {missing}")
        folder = os.path.join(cache(), f"{found['version']}-{key}-{found['digest']}")
        try:
            site = unpacked(archive, found["wheels"][key], folder)
        except OSError as error:
            sys.exit(
                f"krmkit.pyz unpacks itself once, below {cache()}, and cannot: {error}; KRMKIT_CACHE names another folder"
            )
    sys.path[0] = site
    from krmkit.start import command

    command()


if __name__ == "__main__":
    main()
