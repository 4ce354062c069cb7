"""Commands that read a repository, for tests with malicious repositories: run, and observed for changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from krmkit.cli import main
from tests.e2e.gitfleet import GitFleet, git
from tests.programs import shell

# The paths that each command may change below the test's folder, and its arguments; UP is the repository, DOWN a
# package of it.
COMMANDS = {
    "status": ((), "variants status"),
    "sync": (("shops.git",), "variants sync"),
    "get": (("got",), "pkg get UP/web@v2 ROOT/got"),
    "diff": ((), "pkg diff DOWN@v2"),
    "update": (("down",), "pkg update DOWN@v2"),
    "since": ((), "render -r UP --since web/v2 --dry-run --skip set-package-context"),
    "plan": ((), "topology plan UP/web --against web/v2"),
}


def hostile_fleet(tmp_path: Path, project: Path, capfd: pytest.CaptureFixture[str]) -> GitFleet:
    """The fleet, a package of its upstream at v1 in `down`, and filters in the upstream's config whose marker is `ran`."""
    fleet = GitFleet(tmp_path, project, names=("north",))
    for name in ("clean", "smudge", "process"):
        git(fleet.upstream, "config", f"filter.evil.{name}", f"touch {shell(tmp_path / 'ran')}; cat")
    git(fleet.upstream, "config", "diff.evil.textconv", f"touch {shell(tmp_path / 'ran')}; cat")
    assert main(["pkg", "get", f"{fleet.upstream}/web@v1", str(tmp_path / "down")]) == 0
    capfd.readouterr()
    return fleet


def snapshot(root: Path, without: tuple[str, ...]) -> dict[str, bytes | str | None]:
    """Everything below a folder, links and empty folders too."""
    return {
        path.relative_to(root).as_posix(): str(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else None
        for path in root.rglob("*")
        if path.relative_to(root).parts[0] not in without
    }


def used(fleet: GitFleet, command: str, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run a command, and check that nothing else changes. Return its exit code and output."""
    allowed, line = COMMANDS[command]
    if line.startswith("variants"):
        words = fleet.command(command)[3:]
    else:
        places = {"UP": str(fleet.upstream), "DOWN": str(fleet.root / "down"), "ROOT": str(fleet.root)}
        words = [re.sub("UP|DOWN|ROOT", lambda found: places[found[0]], word) for word in line.split(" ")]
    before = snapshot(fleet.root, allowed)
    code = main(words)
    out, err = capfd.readouterr()
    if "holds no Cluster, and held none" in err:  # a plan says so when it has read both sides
        code = 0
    after = snapshot(fleet.root, allowed)
    assert before == after
    assert code in (0, 1) and "Traceback" not in out + err
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", out + err)
    return code, out + err
