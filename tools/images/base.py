"""The base image, made of Debian's packages: python3 -m tools.images.base [SUITE]

debootstrap installs a small Debian (as root, from the machine's own package sources). What the interpreter needs of it is copied into a
root file system of its own: python3, its standard library, the shared libraries they load, time zones, users. No shell, no package
manager. What is left out of the standard library is named in `closure.DROPPED`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from tools.definitions import ROOT
from tools.images import closure
from tools.images.build import image_name, source
from tools.images.engine import Engine, ImageError

SUITE = "bookworm"  # its python3 is 3.11, what `tools.images.wheels` chooses wheels for
FOLDER = ROOT / "build" / "base"

DOCKERFILE = """\
FROM scratch
ADD rootfs.tar /
LABEL org.opencontainers.image.title="base" \\
      org.opencontainers.image.description="python3, its standard library and what they load; no shell" \\
      org.opencontainers.image.base.name="debian:{suite}"
USER 65534:65534
CMD ["/usr/bin/python3", "-I", "-S"]
"""


def debian(suite: str) -> Path:
    """A Debian with python3, made once."""
    place = FOLDER / f"debian-{suite}"
    done = FOLDER / f"debian-{suite}.done"
    if done.exists():
        return place
    if os.geteuid() != 0:
        raise ImageError("debootstrap makes a root file system, and only root can: sudo make base-image")
    if shutil.which("debootstrap") is None:
        raise ImageError(
            "debootstrap is missing. Install it, on Debian or Ubuntu: apt-get install debootstrap"
        )
    # An interrupted debootstrap may have left file systems of the machine mounted in there.
    if f" {place}" in Path("/proc/self/mounts").read_text("utf-8"):
        raise ImageError(f"something is mounted below {place}: unmount it first")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    log = FOLDER / "debootstrap.log"
    print(f"debootstrap {suite} (its output: {log.relative_to(ROOT)})", flush=True)
    with log.open("w") as output:
        code = subprocess.run(
            ["debootstrap", "--variant=minbase", "--include=python3,tzdata", suite, str(place)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode
    if code:
        raise ImageError(f"debootstrap failed:\n{''.join(log.read_text('utf-8').splitlines(True)[-8:])}")
    done.touch()
    return place


def pack(rootfs: Path, target: Path) -> None:
    """The root file system as a tar file that is the same for the same files."""
    with tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(rootfs.rglob("*")):
            entry = archive.gettarinfo(path, path.relative_to(rootfs).as_posix())
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            # Compiled modules know the times of their sources in seconds; fractions would only differ from machine to machine.
            entry.mtime = int(entry.mtime) if entry.isfile() else 0
            if entry.isfile():
                with path.open("rb") as stream:
                    archive.addfile(entry, stream)
            else:
                archive.addfile(entry)


def main(arguments: list[str]) -> int:
    if len(arguments) > 1:
        print("usage: python -m tools.images.base [SUITE]", file=sys.stderr)
        return 2
    suite = arguments[0] if arguments else SUITE
    try:
        engine = Engine.find()
        rootfs = FOLDER / "rootfs"
        closure.copy(debian(suite), rootfs)
        context = FOLDER / "context"
        shutil.rmtree(context, ignore_errors=True)
        context.mkdir()
        pack(rootfs, context / "rootfs.tar")
        (context / "Dockerfile").write_text(DOCKERFILE.format(suite=suite), "utf-8")
        name = image_name("base")
        engine.build(context / "Dockerfile", context, [name], labels=source())
    except ImageError as error:
        print(error, file=sys.stderr)
        return 1
    archive = context / "rootfs.tar"
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    print(f"{name}  {archive.stat().st_size / 1e6:.1f} MB  sha256:{digest} (of its files)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
