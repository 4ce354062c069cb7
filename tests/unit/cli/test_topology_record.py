"""`krmkit topology plan --record FILE`: the file is whole, the old one or the new one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from krmkit.cli.topology import _write_record
from krmkit.krm.errors import Refused
from krmkit.services.extension.live import Recorder


def test_the_record_is_written(tmp_path: Path) -> None:
    """In the place of an older one."""
    place = tmp_path / "record.yaml"
    place.write_text("old\n")

    _write_record(Recorder(), str(place))

    assert place.read_text().startswith("apiVersion: ")


def test_a_full_disk_keeps_the_old_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old one is not emptied before the new one is there."""
    place = tmp_path / "record.yaml"
    place.write_text("old\n")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Refused, match=r"--record: .*No space left on device; nothing was written"):
        _write_record(Recorder(), str(place))

    assert place.read_text() == "old\n"
    assert os.listdir(tmp_path) == ["record.yaml"]


def test_a_folder_in_the_way(tmp_path: Path) -> None:
    """The message names it."""
    with pytest.raises(Refused, match=f"--record: {tmp_path.name} is a folder"):
        _write_record(Recorder(), str(tmp_path))
