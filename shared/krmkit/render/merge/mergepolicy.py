"""What becomes of a value that both sides changed: one of them is taken, nothing is merged, or a person decides in the file."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher
from io import StringIO

from krmkit.porch.merge.threeway import LOCAL, UPSTREAM

STOP, MARKERS = "stop", "markers"
POLICIES = (UPSTREAM, LOCAL, STOP, MARKERS)
_SIGNS = 7


def marked_files(upstream: Mapping[str, bytes], local: Mapping[str, bytes]) -> dict[str, bytes]:
    """Files with both sides of every conflict between git's markers.

    upstream, local: the merged package, once with upstream's and once with the local values taken, so that they differ in
    the conflicts alone. What is not text, or is in one of them only, is taken as it is locally.
    """
    marked = dict(local)
    for path in {*upstream} & {*local}:
        if local[path] != upstream[path]:
            marked[path] = _marked(local[path], upstream[path])
    return marked


def _marked(local: bytes, upstream: bytes) -> bytes:
    try:
        # At line feeds only: what else is a line break to Python, such as U+2028, is a character of a text.
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
