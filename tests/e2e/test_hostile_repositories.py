"""Every command that reads a repository, over trees and repositories that somebody made to do harm: a right answer or a clear error.

Nothing but what a command is to write changes below the test's folder, and nothing that the repository names is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.gitfleet import GitFleet
from tests.e2e.hostilecommands import COMMANDS, hostile_fleet, used
from tests.e2e.hostiletrees import (
    EXECUTABLE,
    FILE,
    FOLDER,
    LINK,
    MAP,
    SUBMODULE,
    Entry,
    blob,
    bomb,
    deep,
    package,
    release,
    tree,
)  # fmt: skip

pytestmark = pytest.mark.slow
NOWHERE = "1" * 40
Build = Callable[[Path], list[Entry]]


def file(name: bytes, content: str = MAP, mode: str = FILE) -> Build:
    return lambda up: [(mode, name, blob(up, content))]


def link(name: bytes, target: str) -> Build:
    return file(name, target, LINK)


def folder(name: bytes, inner: bytes = b"config.yaml", mode: str = FOLDER) -> Build:
    return lambda up: [(mode, name, tree(up, [(FILE, inner, blob(up, MAP))]))]


def both(*builds: Build) -> Build:
    return lambda up: [entry for build in builds for entry in build(up)]


PLAIN = "must be a plain path inside the package"
IS_LINK = r"link\S* is a symbolic link; a package must hold files only"
ONCE = r"tree \w{40} is broken: the name b'a.yaml' must occur once"
OURS = "has a name that is krmkit's own; a package must not hold it"
NO_FILE = "it must lead to a file of the revision"
NONE = "^$"  # some commands take it
BY_GIT = "git fetch: "  # git itself refuses to send such a tree
# What is in the package, and what variants and pkg say of it ("" where they take it), and what a plan says ("" likewise).
TREES: dict[str, tuple[Build, str, str]] = {
    "a link out of the repository": (link(b"link.yaml", "/etc/passwd"), IS_LINK, NO_FILE),
    "a link above the repository": (link(b"link.yaml", "../../../x.yaml"), IS_LINK, NO_FILE),
    "a link inside": (link(b"link.yaml", "app.yaml"), IS_LINK, ""),
    "a link to a missing file": (link(b"link.yaml", "none.yaml"), IS_LINK, NO_FILE),
    "a link to itself": (link(b"link.yaml", "link.yaml"), IS_LINK, "leads through more than 16 links"),
    "a link to a folder": (link(b"link", "../.."), IS_LINK, ""),
    "a submodule": (lambda up: [(SUBMODULE, b"sub", NOWHERE)], "sub is a submodule", ""),
    "a submodule like a file": (lambda up: [(SUBMODULE, b"s.yaml", NOWHERE)], "s.yaml is a submodule", "s.yaml is a submodule"),
    "a file .git": (file(b".git", "gitdir: /x"), PLAIN, PLAIN),
    "a folder .git": (folder(b".git"), PLAIN, PLAIN),
    "a folder .GIT": (folder(b".GIT"), PLAIN, PLAIN),
    "a folder git~1": (folder(b"git~1"), PLAIN, PLAIN),
    "a folder .git with a dot": (folder(b".git. "), PLAIN, PLAIN),
    "a folder ..": (folder(b".."), PLAIN, PLAIN),
    "a folder .": (folder(b"."), PLAIN, PLAIN),
    "no name": (folder(b""), f"{PLAIN}|{BY_GIT}", PLAIN),
    "slashes": (file(b"../../outside.yaml"), PLAIN, PLAIN),
    "an absolute path": (file(b"/tmp/outside.yaml"), PLAIN, PLAIN),
    "not UTF-8": (file(b"\xff\xfe.yaml"), PLAIN, PLAIN),
    "a line break": (file(b"a\nb.yaml"), PLAIN, PLAIN),
    "a line separator": (file("a\u2028b.yaml".encode()), PLAIN, PLAIN),
    "an escape": (file(b"\x1b[31mred.yaml"), PLAIN, PLAIN),
    "a long name": (file(b"x" * 300 + b".yaml"), "at most 255 bytes", "at most 255 bytes"),
    "backslashes": (file(b"..\\outside.yaml"), "", ""),
    "two cases of one name": (both(file(b"A.yaml"), file(b"a.yaml", MAP.replace("x", "y"))), "", ""),
    "a leading dash": (both(file(b"-rf.yaml"), folder(b"--output=x", b"-o.yaml")), "", ""),
    "a shell's words": (file(b"$(touch ran); touch ran.yaml"), "", ""),
    "one name twice": (both(file(b"a.yaml"), file(b"a.yaml", MAP.replace("x", "y"))), ONCE, ONCE),
    "a file and a folder": (both(file(b"a.yaml"), folder(b"a.yaml", b"b.yaml")), ONCE, ONCE),
    "an odd mode": (file(b"a.yaml", mode="100666"), "", ""),
    "mode 0": (file(b"a.yaml", mode="0"), f"must be a blob, got nothing|{BY_GIT}|{NONE}", ""),
    "a folder as a file": (folder(b"s.yaml", mode=FILE), "must be a blob, got tree", "must be a blob, got tree"),
    "a file as a folder": (file(b"sub", mode=FOLDER), f"must be a tree, got blob|{BY_GIT}", "must be a tree, got blob"),
    "a missing file": (lambda up: [(FILE, b"a.yaml", NOWHERE)], f"must be a blob, got nothing|{BY_GIT}", "got nothing"),
    "a missing folder": (lambda up: [(FOLDER, b"sub", NOWHERE)], f"must be a tree, got nothing|{BY_GIT}", "got nothing"),
    "many levels": (lambda up: [(FOLDER, b"d", deep(up, 200))], "at most 64 levels", "at most 64 levels"),
    "many files": (lambda up: [(FOLDER, b"d", bomb(up, 5, 7))], "at most 10000 files", ""),
    "krmkit's own folder": (folder(b".krmkit-work", b"journal"), OURS, OURS),
    "what krmkit leaves behind": (file(b".a.yaml.x.krmkit-new"), OURS, OURS),
    "filters": (file(b".gitattributes", "* filter=evil diff=evil\n"), "", ""),
    "a submodule's command": (file(b".gitmodules", '[submodule "x"]\n path = sub\n url = ext::touch ran\n'), "", ""),
    "a program": (file(b"run.sh", "touch ran\n", EXECUTABLE), "", ""),
}  # fmt: skip


@pytest.fixture
def fleet(tmp_path: Path, project: Path, capfd: pytest.CaptureFixture[str]) -> GitFleet:
    return hostile_fleet(tmp_path, project, capfd)


@pytest.mark.parametrize("name", TREES)
def test_trees(
    fleet: GitFleet, name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command over a package with something odd in it, one after the other: none changes what the next one reads."""
    monkeypatch.chdir(fleet.root)
    build, others, planned = TREES[name]
    release(fleet.upstream, 2, package(fleet.upstream, *build(fleet.upstream)))
    fleet.want(revision=2)

    for command in COMMANDS:
        code, said = used(fleet, command, capfd)

        wanted = planned if command == "plan" else others
        if command == "since":
            assert code == 0 or "--since web/v2: " in said
        elif code == 0:
            assert NONE in (wanted or NONE), command
        else:
            assert wanted and re.search(wanted, said), f"{command}: {said}"
        if code and command in ("get", "diff", "update"):
            assert str(fleet.upstream) in said and "krmkit-upstream" not in said
