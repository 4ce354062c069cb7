"""krmkit.storage.disk.foldercopy: a folder that appears whole, as a copy of files elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from krmkit.krm.errors import Refused
from krmkit.storage.disk.foldercopy import _CHUNK, FolderCopy
from krmkit.storage.disk.write import Writer

RIGHTS = {"a.txt": 0o644, "run.sh": 0o755, "deep/down/key": 0o600, "open.txt": 0o666}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Files with rights, one of several chunks, and one that is not asked for."""
    folder = tmp_path / "source"
    (folder / "deep/down").mkdir(parents=True)
    for number, (name, mode) in enumerate(RIGHTS.items()):
        (folder / name).write_bytes(bytes([65 + number]) * (number * _CHUNK + 7))
        (folder / name).chmod(mode)
    (folder / "other.txt").write_text("no", "utf-8")
    return folder


def copy(package: Path, path: str, source: Path, files: list[str]) -> None:
    with Writer(str(package)) as writer:
        writer.put([FolderCopy(path, str(source), files)])


def made(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("umask", [0o022, 0o077, 0])
def test_a_new_folder(tmp_path: Path, source: Path, umask: int) -> None:
    """The files that are named, with their bytes and rights, whatever the mask of new files is."""
    (tmp_path / "package").mkdir()
    before = os.umask(umask)
    try:
        copy(tmp_path / "package", "packs/cilium", source, [*RIGHTS])
    finally:
        os.umask(before)

    assert made(tmp_path / "package") == {
        f"packs/cilium/{name}": ((source / name).read_bytes(), mode) for name, mode in RIGHTS.items()
    }


def test_a_folder_that_is_there(tmp_path: Path, source: Path) -> None:
    """Its other files stay; a file that is the same already is left alone."""
    there = tmp_path / "package/cilium"
    there.mkdir(parents=True)
    (there / "mine.txt").write_text("mine", "utf-8")
    (there / "a.txt").write_text("old", "utf-8")

    copy(tmp_path / "package", "cilium", source, ["a.txt", "run.sh"])

    assert sorted(made(there)) == ["a.txt", "mine.txt", "run.sh"]
    assert made(there)["a.txt"][0] == (source / "a.txt").read_bytes()
    assert made(there)["run.sh"] == ((source / "run.sh").read_bytes(), 0o755)


def test_links(tmp_path: Path, source: Path) -> None:
    """A link is what it leads to within the source; one that leads out is refused, and nothing is left."""
    (source / "link").symlink_to("run.sh")
    (tmp_path / "secret").write_text("hush", "utf-8")
    (source / "out").symlink_to(tmp_path / "secret")
    package = tmp_path / "package"
    package.mkdir()

    copy(package, "a", source, ["link"])
    with pytest.raises(Refused):
        copy(package, "b", source, ["a.txt", "out"])

    assert made(package) == {"a/link": ((source / "run.sh").read_bytes(), 0o755)}
    assert not (package / "a/link").is_symlink()
