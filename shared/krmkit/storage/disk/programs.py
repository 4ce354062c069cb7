"""Programs that run one function each, for `exec:` of a Kptfile: what `krmkit link` writes."""

from __future__ import annotations

import io
import os
import shlex
import sys
import tempfile
import zipfile
from pathlib import Path

from krmkit.krm.errors import Refused

_LONGEST_LINE = 127  # bytes of a first line that every kernel reads
_BODY = """\
import sys

sys.path.insert(0, {library!r})
from krmkit.start import function

function({name!r})
"""


def link(folder: str, names: list[str]) -> list[str]:
    """Write a program for each function into `folder`, and return their paths. Raises Refused, OSError.

    A program starts as pip's commands do, but without their import of `re`, a third of a small run. On
    Windows it is an .exe: the launcher of krmkit.exe with another script appended.
    """
    library = str(Path(__file__).absolute().parents[3])
    launcher = _launcher(sys.argv[0]) if _is_windows() else None
    if not folder or (os.path.lexists(folder) and not os.path.isdir(folder)):
        raise Refused(f'DIR must be a folder, or the name of a new one, got "{folder}"')
    os.makedirs(folder, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Refused(f"cannot write into {folder}: it must be writable for who runs krmkit")
    paths = [os.path.join(folder, name + ".exe" * (launcher is not None)) for name in names]
    for path in paths:
        if os.path.lexists(path) and not _is_ours(path):
            raise Refused(f"{path} is there already, and krmkit link did not write it; nothing was written")
    for path, name in zip(paths, names, strict=True):
        script = _BODY.format(library=library, name=name).encode()
        _put(path, _first_line(sys.executable) + script if launcher is None else launcher + _archive(script))
    return paths


def _is_windows() -> bool:
    return os.name == "nt"


def _first_line(python: str) -> bytes:
    """Return the `#!` line for an interpreter, through a shell if the path is long or has spaces."""
    line = f"#!{python}\n".encode()
    if b" " not in line and len(line) <= _LONGEST_LINE:
        return line
    return f"#!/bin/sh\n'''exec' {shlex.quote(python)} \"$0\" \"$@\"\n' '''\n".encode()


def _launcher(command: str) -> bytes:
    """Return the part of krmkit.exe before its script: pip's launcher and the interpreter's line."""
    path = command if command.lower().endswith(".exe") else command + ".exe"
    try:
        with open(path, "rb") as file, zipfile.ZipFile(file) as archive:
            start = min(entry.header_offset for entry in archive.infolist())
            file.seek(0)
            return file.read(start)
    except (OSError, ValueError, zipfile.BadZipFile):
        raise Refused("programs of Windows are made of pip's krmkit.exe: call `krmkit link` itself") from None


def _archive(script: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("__main__.py", script)
    return made.getvalue()


def _is_ours(path: str) -> bool:
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return b"from krmkit.start import function\n" in file.read()


def _put(path: str, content: bytes) -> None:
    """Replace an executable file by a rename, because a pipeline may be starting the earlier one."""
    number, new = tempfile.mkstemp(prefix=".krmkit-", dir=os.path.dirname(path) or os.curdir)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
        os.chmod(new, 0o755)
        os.replace(new, path)
    except BaseException:
        os.unlink(new)
        raise
