"""The end of writing: what a fault at the last step says, and what is made to last before the journal goes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from krmkit.krm.errors import Refused
from krmkit.storage.disk.folders import WORK
from krmkit.storage.disk.journal import JOURNAL, recover
from krmkit.storage.disk.write import FileEdit, write


def test_a_fault_behind_the_last_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All is in place and the journal has gone: that is a success, however the disk ends after it."""
    real = os.remove

    def removes_and_fails(path: str) -> None:
        real(path)
        if path.endswith(JOURNAL):
            raise OSError(5, "Input/output error", path)

    monkeypatch.setattr(os, "remove", removes_and_fails)
    write(str(tmp_path), [FileEdit("a", None, "new")])

    assert (tmp_path / "a").read_text() == "new"
    assert os.listdir(tmp_path) == ["a"]


def test_interrupted_behind_the_last_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends the run, and takes nothing back."""
    real = os.remove

    def removes_and_ends(path: str) -> None:
        real(path)
        if path.endswith(JOURNAL):
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "remove", removes_and_ends)
    with pytest.raises(KeyboardInterrupt):
        write(str(tmp_path), [FileEdit("a", None, "new")])

    assert (tmp_path / "a").read_text() == "new"


def test_a_journal_that_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All is in place, and the journal can be neither removed nor turned: the message says what the next run does, and it does."""
    (tmp_path / "a").write_text("old")
    real = os.replace

    def fails(*paths: str) -> None:
        if any(path.endswith(("journal", "journal-back")) for path in paths[:1]):
            raise OSError(5, "Input/output error", paths[0])
        real(*paths)

    with monkeypatch.context() as patched:
        patched.setattr(os, "remove", fails)
        patched.setattr(os, "replace", fails)
        with pytest.raises(Refused, match="the next run of krmkit here completes it"):
            write(str(tmp_path), [FileEdit("a", "old", "new")])

    assert recover(str(tmp_path)) != []
    assert (tmp_path / "a").read_text() == "new"
    assert os.listdir(tmp_path) == ["a"]


def test_new_folders_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new folder is an entry of the one above it, which is synced before the journal goes; the root's own, too."""
    opened: dict[int, str] = {}
    synced: list[str] = []
    real_open, real_sync, real_remove = os.open, os.fsync, os.remove
    root = tmp_path / "made" / "root"

    def opens(path: str, *words: int, **more: int) -> int:
        handle = real_open(path, *words, **more)
        opened[handle] = os.path.realpath(path)
        return handle

    def syncs(handle: int) -> None:
        synced.append(opened.get(handle, ""))
        real_sync(handle)

    def removes(path: str) -> None:
        synced.append(os.path.basename(path))
        real_remove(path)

    monkeypatch.setattr(os, "open", opens)
    monkeypatch.setattr(os, "fsync", syncs)
    monkeypatch.setattr(os, "remove", removes)
    write(str(root), [FileEdit("x/y/z", None, "new")])

    before = synced[: synced.index("journal")]
    assert {str(place) for place in (tmp_path, root.parent, root, root / "x", root / "x/y")} <= set(before)
    assert not (root / WORK).exists()
