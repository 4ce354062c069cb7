"""Three-way merge of texts by lines, as `git merge` does it: it runs git's `merge-file`."""

from __future__ import annotations

import os
import tempfile

from krmkit.kpt.merge.threeway import UPSTREAM, Conflict, MergedValue
from krmkit.krm.errors import Refused
from krmkit.libraries.process.program import ChildError, run_bounded, words

_MARKER = 41  # characters: longer than any marker in a text
_SECONDS = 60.0
_BINARY = 255  # merge-file's exit code if it cannot merge
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "LC_ALL": "C",
}


def merge_lines(base: bytes, upstream: bytes, local: bytes, prefer: str = UPSTREAM) -> MergedValue | None:
    r"""Merge by lines; a conflict takes the lines of `prefer`. Raises Refused.

    Return None if a version is not text. Example: base `a\nb\nc\n`, upstream `A\nb\nc\n`, local
    `a\nb\nC\n`: the result is `A\nb\nC\n`.
    """
    versions = (local, base, upstream)
    if any(b"\0" in version for version in versions):
        return None
    with tempfile.TemporaryDirectory(prefix="krmkit-merge-") as folder:
        for name, version in zip(("local", "base", "upstream"), versions, strict=True):
            with open(os.path.join(folder, name), "wb") as stream:
                stream.write(version)
        marked = _merge_file(folder)
    return None if marked is None else _resolved(marked, upstream, local, prefer)


def _merge_file(folder: str) -> bytes | None:
    command = ["git", "-c", "merge.conflictStyle=merge", "merge-file", "-p", f"--marker-size={_MARKER}"]
    # Git must not search for a repository, and its config, around the folder.
    around = {"GIT_CEILING_DIRECTORIES": os.path.dirname(os.path.realpath(folder)), "PATH": os.environ.get("PATH", os.defpath)}  # fmt: skip
    try:
        output, errors, code = run_bounded(
            words(command, ["local", "base", "upstream"]),
            seconds=_SECONDS,
            folder=folder,
            environment={**_ENVIRONMENT, **around},
        )
    except FileNotFoundError:
        raise Refused(
            "texts that were changed on both sides are merged by git, which is not on PATH"
        ) from None
    except ChildError as error:
        raise Refused(f"git merge-file {error}") from None
    if code == _BINARY:
        return None
    if code < 0 or code > 127:
        raise Refused("git merge-file: " + errors.strip())
    return output


def _resolved(marked: bytes, upstream: bytes, local: bytes, prefer: str) -> MergedValue:
    signs = {sign: bytes([sign]) * _MARKER for sign in b"<=>"}
    merged: list[bytes] = []
    conflicts: list[Conflict] = []
    sides: list[list[bytes]] = []
    lines = _lines(marked)
    for number, line in enumerate(lines):
        if not sides and line.startswith(signs[ord("<")]):
            sides = [[]]
        elif len(sides) == 1 and line.startswith(signs[ord("=")]):
            sides.append([])
        elif len(sides) == 2 and line.startswith(signs[ord(">")]):
            taken = sides[1 if prefer == UPSTREAM else 0]
            whole = upstream if prefer == UPSTREAM else local
            if number == len(lines) - 1 and taken and not whole.endswith(b"\n"):
                # git ends the last line of a side before it closes the conflict.
                taken = [*taken[:-1], taken[-1].rstrip(b"\r\n")]
            new, here, chosen = (
                b"".join(side).decode("utf-8", "replace") for side in (sides[1], sides[0], taken)
            )
            conflicts.append(Conflict((), None, new, here, chosen, len(merged) + 1))
            merged += taken
            sides = []
        else:
            (sides[-1] if sides else merged).append(line)
    return MergedValue(b"".join(merged), conflicts)


def _lines(content: bytes) -> list[bytes]:
    """Split content into lines as git does: a lone carriage return does not end a line."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return [line for line in lines if line]
