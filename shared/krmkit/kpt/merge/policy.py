"""The policies for conflicts: take one side, merge nothing, or let a person decide in the file."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher
from io import StringIO

from krmkit.kpt.merge.threeway import LOCAL, UPSTREAM

STOP, MARKERS = "stop", "markers"
POLICIES = (UPSTREAM, LOCAL, STOP, MARKERS)
_SIGNS = 7
UNRESOLVED = "a conflict is not resolved; keep one side, and remove the lines <<<<<<<, ======= and >>>>>>>"


def marked_files(upstream: Mapping[str, bytes], local: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return files with both sides of every conflict between git's markers.

    upstream, local: the merged package with every conflict decided for that side. Binary files, and files
    that only one of them has, come from `local`.
    """
    marked = dict(local)
    for path in {*upstream} & {*local}:
        if local[path] != upstream[path]:
            marked[path] = _marked(local[path], upstream[path])
    return marked


def unresolved_line(text: str) -> int:
    """Return the line, from 1, of the first undecided conflict; 0 if there is none.

    A conflict has a line that begins with `<<<<<<< `, a later line `=======`, and a later one that begins
    with `>>>>>>> `.
    """
    if "<" * _SIGNS not in text:
        return 0
    start = 0
    sides = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("<" * _SIGNS + " "):
            start, sides = number, False
        elif start and line.rstrip("\r") == "=" * _SIGNS:
            sides = True
        elif sides and line.startswith(">" * _SIGNS + " "):
            return start
    return 0


def _marked(local: bytes, upstream: bytes) -> bytes:
    try:
        # Split at line feeds only: Python's other line breaks, such as U+2028, are characters of a text.
        ours, theirs = (list(StringIO(text.decode("utf-8"), newline="\n")) for text in (local, upstream))
    except UnicodeDecodeError:
        return local
    found: list[str] = []
    for what, start, end, other_start, other_end in SequenceMatcher(
        None, ours, theirs, autojunk=False
    ).get_opcodes():
        if what == "equal":
            found += ours[start:end]
            continue
        sides = (("<", "local", ours[start:end]), ("=", "", theirs[other_start:other_end]))
        for sign, name, lines in sides:
            found.append(f"{sign * _SIGNS} {name}".rstrip() + "\n")
            found += [line if line.endswith("\n") else line + "\n" for line in lines]
        found.append(f"{'>' * _SIGNS} upstream\n")
    return "".join(found).encode()
