"""Reading files up to a limit."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from krmkit.disk.folders import TreeError, files, read_file


@pytest.mark.parametrize(("limit", "whole"), [(0, True), (999, False), (1000, True), (1001, True)])
def test_limits(tmp_path: Path, limit: int, whole: bool) -> None:
    """None stands for a file over the limit; 0 is no limit."""
    (tmp_path / "a").write_bytes(b"x" * 1000)

    assert read_file(str(tmp_path / "a"), "a", limit=limit) == (b"x" * 1000 if whole else None)


def test_a_limit_costs_no_memory(tmp_path: Path) -> None:
    """A small file takes little, whatever it might have been."""
    (tmp_path / "a").write_bytes(b"x" * 1000)
    tracemalloc.start()
    try:
        read_file(str(tmp_path / "a"), "a", limit=1 << 30)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 1 << 20


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    """They are refused, wherever below they stand, with the bytes that are wrong; those below .git are nobody's business."""
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / os.fsdecode(b"\xff")).write_text("")
    assert list(files(str(tmp_path))) == []

    (tmp_path / "sub" / os.fsdecode(b"a-\xff.txt")).write_text("")
    with pytest.raises(TreeError, match=r"the file name sub/a-\\xff\.txt is not UTF-8; rename the file"):
        list(files(str(tmp_path)))


@pytest.mark.skipif(
    not os.path.isfile("/proc/self/status"), reason="needs a file that says nothing of its size"
)
def test_a_file_that_holds_more_than_it_says() -> None:
    """It is read whole, and counted."""
    assert (read_file("/proc/self/status", "status", limit=1 << 20) or b"").startswith(b"Name:")
    assert read_file("/proc/self/status", "status", limit=10) is None
