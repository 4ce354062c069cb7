"""Writing where folders lie on other disks, and where a disk cannot do everything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from krmkit.krm.errors import Refused
from krmkit.storage.disk.primitives import remove_tree
from krmkit.storage.disk.write import MARK, FileEdit, write
from tests.unit.storage.disk.test_write import files


def test_a_mount_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A target that no rename can replace, not even on the way back, and that takes no second name: nothing was written."""
    for name in "az":
        (tmp_path / name).write_text("old")
    replace, link = os.replace, os.link

    def busy(source: str, target: str) -> None:
        if target.endswith("/z"):
            raise OSError(16, "Device or resource busy", source, None, target)
        replace(source, target)

    def crossing(source: str, target: str, **more: bool) -> None:
        if source.endswith("/z"):
            raise OSError(18, "Invalid cross-device link", source, None, target)
        link(source, target, **more)

    monkeypatch.setattr(os, "replace", busy)
    monkeypatch.setattr(os, "link", crossing)
    with pytest.raises(Refused, match="z: Device or resource busy; nothing was written"):
        write(str(tmp_path), [FileEdit(name, "old", "new") for name in "az"])

    assert files(tmp_path) == {"a": "old", "z": "old"}


def test_another_disk_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files are prepared beside their places. What lies there of a killed run, or a link that waits for it, is in nobody's way."""
    root = tmp_path / "p"
    (root / "disk").mkdir(parents=True)
    (root / "disk/a").write_text("old")
    (tmp_path / "far").write_text("far")
    (root / f"disk/.new-1{MARK}").write_text("half")
    (root / f"disk/.new-2{MARK}").symlink_to(tmp_path / "far")
    stat = os.stat

    def other_disk(path: str, **more: bool) -> os.stat_result:
        found = stat(path, **more)
        if os.fspath(path) != str(root / "disk"):
            return found
        return os.stat_result((*found[:2], found.st_dev + 1, *found[3:]))

    monkeypatch.setattr(os, "stat", other_disk)
    moved: list[str] = []
    replace = os.replace

    def noted(source: str, target: str) -> None:
        moved.append(source)
        replace(source, target)

    monkeypatch.setattr(os, "replace", noted)

    write(str(root), [FileEdit("disk/a", "old", "new"), FileEdit("disk/b", None, "b")])

    assert files(tmp_path) == {"p/disk/a": "new", "p/disk/b": "b", "far": "far"}
    assert [path for path in moved if "/disk/" in path] == [
        str(root / f"disk/.new-{n}{MARK}") for n in (1, 2)
    ]


def test_a_disk_without_second_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is taken back there is a copy, with the owner and the rights of the file."""
    for name in "az":
        (tmp_path / name).write_text("old")
    (tmp_path / "a").chmod(0o640)
    if os.geteuid() == 0:
        os.chown(tmp_path / "a", 1234, 2345)
    before = (tmp_path / "a").stat()
    replace, chown = os.replace, os.chown
    owners: list[tuple[int, int]] = []

    def busy(source: str, target: str) -> None:
        if target.endswith("/z"):
            raise OSError(16, "Device or resource busy", source, None, target)
        replace(source, target)

    def no_link(source: str, target: str, **more: bool) -> None:
        raise OSError(1, "Operation not permitted", source, None, target)

    def noted(path: str, user: int, group: int, **more: bool) -> None:
        owners.append((user, group))
        chown(path, user, group, **more)

    monkeypatch.setattr(os, "replace", busy)
    monkeypatch.setattr(os, "link", no_link)
    monkeypatch.setattr(os, "chown", noted)
    with pytest.raises(Refused, match="z: Device or resource busy; nothing was written"):
        write(str(tmp_path), [FileEdit(name, "old", "new") for name in "az"])

    after = (tmp_path / "a").stat()
    assert files(tmp_path) == {"a": "old", "z": "old"}
    assert (after.st_uid, after.st_gid, after.st_mode) == (before.st_uid, before.st_gid, before.st_mode)
    assert owners[0] == (before.st_uid, before.st_gid)


def test_a_link_in_the_place_of_a_folder_goes(tmp_path: Path) -> None:
    """What it leads to stays."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/file").write_text("x")
    (tmp_path / "link").symlink_to("mine")

    remove_tree(str(tmp_path / "link"))

    assert not (tmp_path / "link").is_symlink()
    assert files(tmp_path) == {"mine/file": "x"}
