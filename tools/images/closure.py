"""Copy the parts of Debian that a Python program needs, and nothing else, into a new root file system.

The interpreter and its standard library, every shared library that they or a manylinux wheel may load (found with ldd, in the Debian),
time zones, users, and for scanners and licences the records and copyright files of the packages that all this comes from.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

from tools.images.engine import ImageError

# Parts of the standard library that no function has a use for: tests, windows, terminals, databases, sound, build tools, debuggers,
# clients of old protocols (pip needs xmlrpc, the server of extensions needs wsgiref), and encodings other than Unicode, ASCII,
# Latin-1 and that of zip archives.
DROPPED = (
    "config-*", "curses", "dbm", "distutils", "ensurepip", "idlelib", "lib2to3", "pydoc_data", "sqlite3", "test",
    "tkinter", "turtledemo", "turtle.py", "unittest", "venv", "__phello__", "__hello__.py",
    "sitecustomize.py", "EXTERNALLY-MANAGED",
    "_pyio.py", "aifc.py", "antigravity.py", "asynchat.py", "asyncore.py", "cgi.py", "cgitb.py", "chunk.py", "crypt.py", "doctest.py",
    "ftplib.py", "imaplib.py", "imghdr.py", "mailbox.py", "mailcap.py", "modulefinder.py", "nntplib.py", "pdb.py", "pickletools.py",
    "pipes.py", "poplib.py", "profile.py", "pstats.py", "pyclbr.py", "pydoc.py", "smtpd.py", "smtplib.py", "sndhdr.py", "sunau.py",
    "symtable.py", "tabnanny.py", "telnetlib.py", "this.py", "trace.py", "uu.py", "wave.py", "webbrowser.py", "xdrlib.py", "zipapp.py",
    "encodings/big5*", "encodings/cp[0-35-9]*", "encodings/cp4[0-24-9]*", "encodings/cp43[0-68-9]*", "encodings/euc_*", "encodings/gb*",
    "encodings/hp_roman8.py", "encodings/hz.py", "encodings/iso*", "encodings/johab.py", "encodings/k*", "encodings/mac_*",
    "encodings/p[at]*", "encodings/shift_*", "encodings/t*",
    "lib-dynload/*test*", "lib-dynload/_ctypes_test*", "lib-dynload/xx*", "lib-dynload/_xx*",
    "lib-dynload/_codecs_*", "lib-dynload/_crypt.*", "lib-dynload/_curses*", "lib-dynload/_dbm.*", "lib-dynload/_gdbm.*",
    "lib-dynload/_multibytecodec.*", "lib-dynload/_sqlite3.*", "lib-dynload/_tkinter*", "lib-dynload/audioop.*", "lib-dynload/nis.*",
    "lib-dynload/ossaudiodev.*", "lib-dynload/readline.*",
)  # fmt: skip
# Libraries that manylinux wheels may need beside those of the interpreter.
FOR_WHEELS = (
    "libpthread.so.0",
    "libdl.so.2",
    "librt.so.1",
    "libutil.so.1",
    "libstdc++.so.6",
    "libgcc_s.so.1",
    "libm.so.6",
)

PASSWD = "root:x:0:0:root:/:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\n"
GROUP = "root:x:0:\nnogroup:x:65534:\n"


def copy(debian: Path, rootfs: Path) -> None:
    """Fill `rootfs` anew from a Debian that has python3."""
    shutil.rmtree(rootfs, ignore_errors=True)
    for folder in (
        "etc",
        "tmp",
        "proc",
        "sys",
        "dev",
        "var/lib/dpkg/status.d",
        "usr/bin",
        "usr/lib",
        "usr/share/doc",
    ):
        (rootfs / folder).mkdir(parents=True, exist_ok=True)
    (rootfs / "tmp").chmod(0o1777)
    for name in ("bin", "lib", "lib64"):
        (rootfs / name).symlink_to(f"usr/{name}")
    (rootfs / "etc/passwd").write_text(PASSWD, "utf-8")
    (rootfs / "etc/group").write_text(GROUP, "utf-8")

    python = (debian / "usr/bin/python3").resolve().name
    library = f"usr/lib/{python}"
    if not (debian / library).is_dir():
        raise ImageError(f"there is no standard library of {python} in {debian}")
    shutil.copytree(
        debian / library,
        rootfs / library,
        symlinks=False,
        ignore=dropped(debian / library),
        ignore_dangling_symlinks=True,
    )
    shutil.copytree(
        debian / "usr/share/zoneinfo", rootfs / "usr/share/zoneinfo", symlinks=True, ignore=_zones
    )
    _copy_file(debian, rootfs, f"usr/bin/{python}")
    (rootfs / "usr/bin/python3").symlink_to(python)
    extensions = [
        f"/{path.relative_to(rootfs)}" for path in sorted((rootfs / library / "lib-dynload").glob("*.so"))
    ]
    for path in libraries(debian, [f"/usr/bin/{python}", *extensions]):
        _copy_file(debian, rootfs, path)
    shutil.copy2(debian / "etc/os-release", rootfs / "etc/os-release")
    copy_records(debian, rootfs)
    compile_library(rootfs, f"/{library}")


def libraries(debian: Path, programs: list[str]) -> list[str]:
    """Paths below the root, without a leading slash and links resolved by name: all that `programs` load, and the loader."""
    folders = {
        Path(line.split(" => ")[1].split(" (")[0]).parent
        for line in _ldd(debian, programs[:1])
        if " => /" in line
    }
    wanted = [f"{folder}/{name}" for folder in sorted(folders) for name in FOR_WHEELS]
    lines = _ldd(debian, [*programs, *(path for path in wanted if _inside(debian, path).exists())])
    missing = sorted({line.split(" => ")[0].strip() for line in lines if "not found" in line})
    if missing:
        raise ImageError(f"libraries that are not in {debian}: {', '.join(missing)}")
    found = {match[1].lstrip("/") for line in lines if (match := re.search(r"(/\S+) \(0x", line))}
    found.update(path.lstrip("/") for path in wanted if _inside(debian, path).exists())
    return sorted(path if path.startswith("usr/") else f"usr/{path}" for path in found)


def copy_records(debian: Path, rootfs: Path) -> None:
    """For each package that gave a file: its record, where scanners of images look for it, and its copyright file."""
    owners = {
        line.removeprefix("/usr"): record.name.removesuffix(".list").split(":")[0]
        for record in sorted((debian / "var/lib/dpkg/info").glob("*.list"))
        for line in record.read_text("utf-8").splitlines()
    }
    files = (
        f"/{path.relative_to(rootfs)}".removeprefix("/usr") for path in rootfs.rglob("*") if not path.is_dir()
    )
    used = {owners[path] for path in files if path in owners}
    for stanza in (debian / "var/lib/dpkg/status").read_text("utf-8").split("\n\n"):
        name = stanza.partition("\n")[0].removeprefix("Package: ")
        if name in used:
            (rootfs / "var/lib/dpkg/status.d" / name).write_text(stanza + "\n", "utf-8")
            rights = (debian / "usr/share/doc" / name).resolve() / "copyright"
            if rights.exists():
                (rootfs / "usr/share/doc" / name).mkdir()
                shutil.copy(rights, rootfs / "usr/share/doc" / name / "copyright")


def compile_library(rootfs: Path, library: str) -> None:
    """Replace the standard library by its compiled modules, with the interpreter that will run it; this also shows that it starts.

    `-b` writes json.pyc in place of json.py, so the source can be removed: a fifth of the image, and one file lookup
    less for each import.
    """
    done = subprocess.run(
        ["chroot", str(rootfs), "/usr/bin/python3", "-I", "-S", "-m", "compileall", "-q", "-b", library],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ImageError(f"the interpreter of the new root does not work:\n{done.stdout}{done.stderr}")
    folder = rootfs / library.lstrip("/")
    for path in folder.rglob("*.py"):
        path.unlink()
    for path in folder.rglob("__pycache__"):
        shutil.rmtree(path)


def dropped(library: Path) -> Callable[[str, list[str]], set[str]]:
    def ignore(folder: str, names: list[str]) -> set[str]:
        inside = os.path.relpath(folder, library)
        paths = {name: os.path.normpath(f"{inside}/{name}") for name in names}
        return {
            name
            for name, path in paths.items()
            if name == "__pycache__" or any(fnmatch(path, pattern) for pattern in DROPPED)
        }

    return ignore


def _zones(folder: str, names: list[str]) -> set[str]:
    """The zones once: not again with leap seconds, not again under another name."""
    return {"posix", "right", "leap-seconds.list", "tzdata.zi", "leapseconds"} & set(names)


def _ldd(debian: Path, programs: list[str]) -> list[str]:
    done = subprocess.run(
        ["chroot", str(debian), "ldd", *programs], capture_output=True, text=True, check=False
    )
    return done.stdout.splitlines()


def _inside(debian: Path, path: str) -> Path:
    return debian / path.lstrip("/")


def _copy_file(debian: Path, rootfs: Path, path: str) -> None:
    target = rootfs / path
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(debian / path, target)
    target.chmod(0o755)
