"""What changed in a system that krmkit follows: `make upstream REPO=checkout`, a git checkout of its newer version.

The system is the one most of whose followed files (shared/krmkit/analysis/systems/followed.yaml) the checkout has. Each followed file
that changed since the followed commit is printed with the room of krmkit that follows it: a list of what to read.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import yaml

from tools.definitions import ROOT

TABLE = ROOT / "shared/krmkit/analysis/systems/followed.yaml"
# Tests and generated code of Go: they change without a change of behaviour.
LEFT_OUT = ("*_test.go", "zz_generated.*", "testdata", "generated")


class UpstreamError(Exception):
    """A checkout that cannot be compared; the text says why and what would help."""


class System(NamedTuple):
    """A system of the table: what is followed, at which commit, in which files ({path of theirs: room of ours})."""

    name: str
    followed: str
    newest: str
    checked: str
    commit: str
    files: Mapping[str, str]
    licence: str


def systems(table: Path = TABLE) -> list[System]:
    """Read the table of followed versions."""
    return [
        System(
            one["name"],
            one["followed"],
            one["newest"],
            one["checked"],
            str(one.get("commit", "")),
            one.get("files", {}),
            one.get("licence", ""),
        )
        for one in yaml.safe_load(table.read_text("utf-8"))["systems"]
    ]


def notice(systems: list[System]) -> str:
    """NOTICE: whose behaviour the library reproduces, in which version, under which licence."""
    lines = [
        "krmkit",
        "Copyright 2026 the authors of krmkit",
        "",
        "krmkit reproduces the behaviour, and in places the messages, of these projects:",
        "",
    ]
    for system in systems:
        lines.append(f"- {system.name}, {system.followed}" + f" ({system.licence})" * bool(system.licence))
    return "\n".join(lines) + "\n"


def versions_table(known: list[System]) -> str:
    """The table of docs/compatibility.md, in Markdown."""
    rows = [f"| {one.name} | {_with_commit(one)} | {one.newest} | {one.checked} |" for one in known]
    head = [
        "| System | Answers are those of | Newest seen, and what differs | Checked by |",
        "|---|---|---|---|",
    ]
    return "\n".join([*head, *rows]) + "\n"


def _with_commit(system: System) -> str:
    named = not system.commit or system.commit in system.followed
    return system.followed if named else f"{system.followed}; commit {system.commit}"


def system_of(checkout: Path, known: list[System]) -> System:
    """The system whose sources a checkout holds. UpstreamError if it holds none."""
    counts = [(sum((checkout / path).exists() for path in one.files), one) for one in known]
    most, found = max(counts, key=lambda count: count[0])
    if not most:
        names = ", ".join(one.name for one in known if one.files)
        raise UpstreamError(
            f"{checkout} has no file that krmkit follows; it must be a checkout of one of: {names}"
        )
    return found


def changes(checkout: Path, system: System) -> list[tuple[str, str, str]]:
    """(what happened: A, M, D or R; path of theirs; room of ours) of each followed file, by room.

    UpstreamError if the checkout lacks the followed commit.
    """
    _git(checkout, "cat-file", "-e", f"{system.commit}^{{commit}}", without=system)
    without = [f":(exclude,glob)**/{name}" for name in LEFT_OUT]
    without += [f":(exclude,glob)**/{name}/**" for name in LEFT_OUT]
    told = _git(
        checkout,
        "diff",
        "--name-status",
        "--no-renames",
        system.commit,
        "HEAD",
        "--",
        *system.files,
        *without,
    )
    changed = []
    for line in told.splitlines():
        status, path = line.split("\t")
        followed = max((one for one in system.files if path == one or path.startswith(f"{one}/")), key=len)
        changed.append((status, path, system.files[followed]))
    return sorted(changed, key=lambda one: (one[2], one[1]))


def _git(checkout: Path, *words: str, without: System | None = None) -> str:
    done = subprocess.run(["git", "-C", checkout, *words], capture_output=True, text=True, check=False)
    if done.returncode and without:
        raise UpstreamError(
            f"{checkout} lacks {without.commit}, the commit of {without.name} that krmkit follows; fetch its history: "
            f"git -C {checkout} fetch --unshallow"
        )
    if done.returncode:
        raise UpstreamError(done.stderr.strip())
    return done.stdout


def main(words: list[str]) -> int:
    """Print what changed; 0 whether something did or not, 2 for a checkout that cannot be compared."""
    if len(words) != 1:
        print("name a checkout: make upstream REPO=dir", file=sys.stderr)
        return 2
    checkout = Path(words[0])
    try:
        system = system_of(checkout, systems())
        changed = changes(checkout, system)
    except UpstreamError as error:
        print(error, file=sys.stderr)
        return 2
    head = _git(checkout, "describe", "--tags", "--always").strip()
    print(f"{system.name}: {len(changed)} followed files changed between {system.commit} and {head}")
    room = ""
    for status, path, of in changed:
        if of != room:
            print(f"shared/krmkit/{of}")
            room = of
        print(f"  {status} {path}")
    gone = [path for path in system.files if not (checkout / path).exists()]
    if gone:
        print(f"not there any more: {', '.join(gone)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
