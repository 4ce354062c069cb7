"""SHA256SUMS of all that a release has: python -m tools.release.sums

One line for each file below dist, for `sha256sum --check` there.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from tools.definitions import ROOT

DIST = ROOT / "dist"
NAME = "SHA256SUMS"


def sums(folder: Path) -> list[str]:
    """A line for each file at and below a folder, but for the sums themselves."""
    lines = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / NAME):
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        lines.append(f"{digest}  {path.relative_to(folder).as_posix()}\n")
    return lines


def main(arguments: list[str], folder: Path = DIST) -> int:
    if arguments:
        print("usage: python -m tools.release.sums", file=sys.stderr)
        return 2
    lines = sums(folder)
    (folder / NAME).write_text("".join(lines), "utf-8")
    print(f"{folder.name}/{NAME}: {len(lines)} files")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
