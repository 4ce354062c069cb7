"""Every command that writes files, on a small disk and with a quota: all is written, or nothing and an error says so; then room is made."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from krmkit.fleet.folder import RECORD
from tests.e2e.gitfleet import GitFleet
from tests.e2e.orchestrate import Files, files_of, put
from tests.e2e.test_disk_full import limited
from tests.e2e.test_kill_steps import CASES, Case, ours, variants

pytest.importorskip("resource", reason="this system has no limits on the size of files")

LIMITS = (0, 1, 40, 150, 400, 700, 900, 1200, 2000, 6000)  # bytes that a file may have
PLENTY = 100_000_000
DISKS = (0, 4, 8, 12, 20, 28, 40, 60, 100, 400)  # KiB that are free behind the files of before
_PAGE = 4  # KiB


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A folder on which a small disk can be mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    if not _mount(place, 64):
        pytest.skip("mounting a small disk needs rights that this user has not")
    yield place
    _unmount(place)


def _mount(place: Path, size: int) -> bool:
    if os.geteuid() or not shutil.which("mount"):
        return False
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(place)]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def _unmount(place: Path) -> None:
    subprocess.run(["umount", "--lazy", str(place)], capture_output=True, check=False)


def judge(
    case: Case, done: subprocess.CompletedProcess[str], root: Path, before: Files, after: Files
) -> None:
    """All is there, or all is as it was; what a fleet's folder remembers of a try may be there, too."""
    said = done.stdout + done.stderr
    assert done.returncode in (0, 1), said
    assert "Traceback" not in said, said
    found = files_of(root)
    if case is variants:  # it holds the way to the set's file, too
        found[RECORD] = (before if done.returncode else after)[RECORD]
    assert found == (before if done.returncode else after), said
    if done.returncode:
        assert said.strip()
        assert not [path for path in found if ours(path)]


def first(case: Case, tmp_path: Path, project: Path) -> tuple[list[str], Path, Files, Files]:
    words, root = case(tmp_path, project)
    before = files_of(root)
    assert limited(words, PLENTY).returncode == 0
    return words, root, before, files_of(root)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_quota(tmp_path: Path, project: Path, case: Case) -> None:
    """A limit on the size of files, for git too."""
    words, root, before, after = first(case, tmp_path, project)
    failed = 0
    for size in LIMITS:
        shutil.rmtree(root)
        put(root, before)

        done = limited(words, size)

        judge(case, done, root, before, after)
        if done.returncode:
            failed += 1
            assert limited(words, PLENTY).returncode == 0
            assert files_of(root) == after
    assert failed


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_small_disk(tmp_path: Path, project: Path, case: Case, mounted: Path) -> None:
    """The folder lies on a disk with a few KiB left; what is elsewhere, such as git's temporary files, has room."""
    words, root, before, after = first(case, tmp_path, project)
    words = [re.sub(f"{re.escape(str(root))}(?=$|[/@])", f"{mounted}/{root.name}", word) for word in words]
    root = mounted / root.name
    outcomes = set()
    for free in DISKS:
        _unmount(mounted)
        used = sum(-(-len(content) // 4096) * _PAGE for content in before.values())
        assert _mount(mounted, used + free)
        put(root, before)

        done = limited(words, PLENTY)

        judge(case, done, root, before, after)
        outcomes.add(done.returncode)
    assert 0 in outcomes


@pytest.mark.slow
def test_small_disk_of_a_repository(tmp_path: Path, project: Path, mounted: Path) -> None:
    """git's repository is on the full disk: each ref is old or new, the next sync brings all of them to the new ones."""
    fleet = GitFleet(tmp_path, project)
    fleet.want(revision=1)
    shutil.copytree(fleet.shops, tmp_path / "before")
    fleet.sync()
    names = set(fleet.refs())
    shutil.rmtree(fleet.shops)
    fleet.shops = mounted / "shops.git"
    outcomes = set()
    for size in range(120, 400, 28):
        _unmount(mounted)
        assert _mount(mounted, size)
        try:
            shutil.copytree(tmp_path / "before", fleet.shops)
        except OSError:
            continue

        done = limited(fleet.command("sync")[3:], PLENTY)

        assert "Traceback" not in done.stdout + done.stderr, done.stderr
        assert set(fleet.refs()) == (set() if done.returncode else names), done.stderr
        outcomes.add(done.returncode)
        subprocess.run(["mount", "-o", "remount,size=4m", str(mounted)], check=True)
        fleet.sync()
        assert set(fleet.refs()) == names
    assert outcomes
