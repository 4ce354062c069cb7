"""Reading files up to a limit."""

from __future__ import annotations

import os
import socket
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from krmkit.krm.errors import Refused
from krmkit.storage.disk.folders import DEEPEST, files, open_file, read_file, resolved_by, walk


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
    with pytest.raises(Refused, match=r"the file name sub/a-\\xff\.txt is not UTF-8; rename the file"):
        list(files(str(tmp_path)))


@pytest.mark.skipif(
    not os.path.isfile("/proc/self/status"), reason="needs a file that says nothing of its size"
)
def test_a_file_that_holds_more_than_it_says() -> None:
    """It is read whole, and counted."""
    assert (read_file("/proc/self/status", "status", limit=1 << 20) or b"").startswith(b"Name:")
    assert read_file("/proc/self/status", "status", limit=10) is None


@pytest.mark.parametrize("read", [files, walk])
def test_folders_without_end(tmp_path: Path, read: Callable[[str], Iterable[object]]) -> None:
    """Folders deeper than any person makes them are an error that names the place, and do not end Python's stack."""
    deep = os.path.join(tmp_path, *["d"] * 300)
    os.makedirs(os.path.join(tmp_path, *["e"] * DEEPEST))
    assert len(list(read(str(tmp_path)))) in (0, DEEPEST + 1)
    os.makedirs(deep)

    with pytest.raises(Refused, match="lies more than 200 folders deep"):
        list(read(str(tmp_path)))


def test_resolved_by(tmp_path: Path) -> None:
    """Every link on the way counts, also one in the place of a folder; links that lead to each other end."""
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1/a").write_text("")
    for name, target in (("now", "v1"), ("link", "now/../now/a"), ("x", "y"), ("y", f"{tmp_path}/x")):
        (tmp_path / name).symlink_to(target)

    def names(link: str) -> list[str]:
        return [os.path.relpath(path, tmp_path) for path in resolved_by(str(tmp_path / link))]

    assert names("v1/a") == ["v1/a"]
    assert {*names("x")} == {"x", "y"}
    assert names("link") == ["link", "now", "now", "v1/a"]


@pytest.mark.parametrize("follow", [True, False])
def test_files_that_cannot_be_opened(tmp_path: Path, follow: bool) -> None:
    """A socket is no regular file; a link is one only where links are followed; what is not there stays an OSError."""
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "link").symlink_to("a")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))

    with pytest.raises(Refused):
        open_file(str(tmp_path / "socket"), "socket", follow=follow)
    with pytest.raises(FileNotFoundError):
        open_file(str(tmp_path / "none"), "none", follow=follow)
    if follow:
        os.close(open_file(str(tmp_path / "link"), "link"))
    else:
        with pytest.raises(Refused, match="must be a regular file"):
            open_file(str(tmp_path / "link"), "link", follow=False)
