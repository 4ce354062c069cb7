"""The sdist and the wheel of the commit, the same bytes for the same commit: python -m tools.release.distributions [FOLDER]

What git has at HEAD is built, whatever else lies in the checkout: first the sdist, and of that the wheel, twice, in two places and with
different rights for new files. The two must be equal. Times are that of the commit (SOURCE_DATE_EPOCH).
"""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.definitions import ROOT

DIST = ROOT / "dist"
_BUILD = "import sys; from setuptools import build_meta; print(getattr(build_meta, 'build_' + sys.argv[1])(sys.argv[2]))"


class ReleaseError(Exception):
    """A part of a release cannot be made; the message names it and the reason."""


def run(command: list[str], folder: Path, **settings: str) -> bytes:
    """The stdout of a program. Raises ReleaseError with its stderr if it fails."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **settings},
        umask=0o022,  # the rights of new files go into archives
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise ReleaseError(f"{command[0]} {command[1]}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def commit_time(root: Path = ROOT) -> int:
    """Seconds since 1970 of HEAD."""
    return int(run(["git", "log", "-1", "--format=%ct"], root))


def same_tar(archive: Path, time: int) -> None:
    """Write a .tar.gz again: sorted, with one time, the usual modes and no owner's name."""
    written = io.BytesIO()
    with (
        tarfile.open(archive) as old,
        tarfile.open(fileobj=written, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for entry in sorted(old.getmembers(), key=lambda entry: entry.name):
            clean = tarfile.TarInfo(entry.name)
            clean.type, clean.size, clean.mtime = entry.type, entry.size, time
            clean.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            new.addfile(clean, old.extractfile(entry) if entry.isfile() else None)
    with archive.open("wb") as stream, gzip.GzipFile("", "wb", 9, stream, time) as packed:
        packed.write(written.getvalue())


def unpack(archive: tarfile.TarFile, target: Path) -> None:
    """Unpack an archive of this project: nobody but its owner may write, as one may with any umask."""
    # Since Python 3.11.4, and wanted from 3.12 on; before, attribute and filter are unknown.
    archive.extraction_filter = getattr(tarfile, "data_filter", None)
    for entry in archive.getmembers():
        entry.mode &= 0o755
    archive.extractall(target)


def setuptools(what: str, source: Path, target: Path, time: int) -> Path:
    """Build an sdist or a wheel of a source tree, with the pinned setuptools of this environment; returns its path."""
    target.mkdir(parents=True, exist_ok=True)
    run([sys.executable, "-c", _BUILD, what, str(target)], source, SOURCE_DATE_EPOCH=str(time))
    [made] = target.glob("*.tar.gz" if what == "sdist" else "*.whl")
    return made


def build(place: Path, time: int, root: Path = ROOT) -> dict[str, bytes]:
    """The sdist of HEAD and the wheel of that sdist, by name; `place` is an empty folder to work in."""
    source, unpacked = place / "source", place / "unpacked"
    with tarfile.open(fileobj=io.BytesIO(run(["git", "archive", "HEAD"], root))) as archive:
        unpack(archive, source)
    sdist = setuptools("sdist", source, place / "sdist", time)
    same_tar(sdist, time)
    with tarfile.open(sdist) as archive:
        unpack(archive, unpacked)
    [tree] = unpacked.iterdir()
    wheel = setuptools("wheel", tree, place / "wheel", time)
    return {path.name: path.read_bytes() for path in (sdist, wheel)}


def distributions(root: Path = ROOT) -> dict[str, bytes]:
    """Both, built twice. Raises ReleaseError where the two differ."""
    time = commit_time(root)
    built = []
    for umask in (0o022, 0o077):
        before = os.umask(umask)
        try:
            with TemporaryDirectory(prefix="krmkit-release-") as place:
                built.append(build(Path(place), time, root))
        finally:
            os.umask(before)
    differing = sorted(name for name in {*built[0], *built[1]} if built[0].get(name) != built[1].get(name))
    if differing:
        raise ReleaseError(f"two builds of one commit differ: {', '.join(differing)}")
    return built[0]


def main(arguments: list[str]) -> int:
    """Write both below the folder (default: dist)."""
    folder = Path(arguments[0]) if arguments else DIST
    try:
        made = distributions()
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in made.items():
        (folder / name).write_bytes(content)
        print(f"{folder.name}/{name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
