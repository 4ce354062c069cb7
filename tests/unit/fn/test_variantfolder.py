"""krmkit.fn.variantfolder: only what was written is overwritten or removed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from krmkit.fn.variantfolder import RECORD, Entry, FolderError, VariantFolder


def written(out: Path, packages: dict[str, dict[str, str]], owner: str = "set") -> VariantFolder:
    """A folder with these packages, recorded."""
    folder = VariantFolder(str(out))
    for package, files in packages.items():
        folder.write(package, {path: text.encode() for path, text in files.items()})
    folder.remember(
        {**folder.entries, **{package: Entry(owner, files) for package, files in packages.items()}}
    )
    return VariantFolder(str(out))


def files(out: Path) -> dict[str, str]:
    return {
        path.relative_to(out).as_posix(): path.read_text()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name != RECORD
    }


def test_writing_counts_what_changes(tmp_path: Path) -> None:
    """New, changed and removed files count; files of others in the folder stay."""
    folder = written(tmp_path, {"north/shop": {"a": "1", "sub/b": "2"}})
    (tmp_path / "north/shop/notes").write_text("mine")

    assert folder.write("north/shop", {"a": b"1", "c": b"3"}) == 2
    assert files(tmp_path) == {"north/shop/a": "1", "north/shop/c": "3", "north/shop/notes": "mine"}
    assert folder.write("north/shop", {"a": b"1", "c": b"3"}) == 0


def test_removing(tmp_path: Path) -> None:
    """A package's files go, and its folders where they are empty."""
    folder = written(tmp_path, {"north/shop": {"a": "1"}, "south/shop": {"a": "1"}})
    (tmp_path / "south/shop/notes").write_text("mine")
    folder.remove("north/shop")
    folder.remove("south/shop")

    assert files(tmp_path) == {"south/shop/notes": "mine"}
    assert not (tmp_path / "north").exists()


def test_package_inside_a_package(tmp_path: Path) -> None:
    """What another package wrote is no foreign file."""
    folder = written(tmp_path, {"north/shop/inner": {"a": "1"}})

    assert folder.refusal("north/shop") == ""


def test_refusals(tmp_path: Path) -> None:
    """Foreign files, a file in the place of a folder, and links that lead elsewhere are refused."""
    out = tmp_path / "out"
    folder = written(out, {"north/shop": {"a": "1"}})
    (out / "foreign/shop").mkdir(parents=True)
    (out / "foreign/shop/x").write_text("")
    (out / "file").mkdir()
    (out / "file/shop").write_text("")
    (out / "empty/shop").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (out / "link").symlink_to(tmp_path / "elsewhere")

    assert "did not write (foreign/shop/x)" in folder.refusal("foreign/shop")
    assert "no folder" in folder.refusal("file/shop")
    assert "through a link" in folder.refusal("link/shop")
    assert [folder.refusal(name) for name in ("north/shop", "empty/shop", "new/shop")] == ["", "", ""]


@pytest.mark.parametrize(
    "record",
    [
        "{",
        "[]",
        '{"packages": {"../x": {"set": "a", "files": []}}}',
        '{"packages": {"x": {"set": "a", "files": ["../../etc/passwd"]}}}',
        '{"packages": {"x": {"set": "a", "files": ["/etc/passwd"]}}}',
        '{"packages": {"x": {"set": "a", "files": [1]}}}',
        '{"packages": {"x": {"files": []}}}',
    ],
)
def test_a_record_that_cannot_be_trusted(tmp_path: Path, record: str) -> None:
    """A record that is broken, or names files outside of the folder, stops everything."""
    (tmp_path / RECORD).write_text(record)
    with pytest.raises(FolderError, match="which files may be overwritten"):
        VariantFolder(str(tmp_path))


def test_record_has_one_form(tmp_path: Path) -> None:
    """The same packages give the same bytes, whatever their order."""
    one, other = tmp_path / "one", tmp_path / "other"
    written(one, {"b": {"y": "", "x": ""}, "a": {"z": ""}})
    written(other, {"a": {"z": ""}, "b": {"x": "", "y": ""}})

    assert (one / RECORD).read_bytes() == (other / RECORD).read_bytes()
    assert list(json.loads((one / RECORD).read_text())["packages"]) == ["a", "b"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    """The folder may be absent, and nothing else."""
    (tmp_path / "x").write_text("")
    with pytest.raises(FolderError, match="is not a folder"):
        VariantFolder(str(tmp_path / "x"))
    assert VariantFolder(str(tmp_path / "y")).entries == {}
    assert not os.path.exists(tmp_path / "y")


def test_links_inside_a_package(tmp_path: Path) -> None:
    """A folder that has become a link is not written through, and nothing is removed behind it."""
    folder = written(tmp_path / "out", {"p": {"a": "1", "sub/b": "2"}})
    (tmp_path / "out/p/sub").rename(tmp_path / "kept")
    (tmp_path / "out/p/sub").symlink_to(tmp_path / "kept")

    with pytest.raises(FolderError, match="leads elsewhere through a link"):
        folder.write("p", {"sub/b": b"3"})
    folder.remove("p")
    assert (tmp_path / "kept/b").read_text() == "2"
    assert not (tmp_path / "out/p/a").exists()


def test_name_of_the_record(tmp_path: Path) -> None:
    """No package takes its place."""
    assert "is the name of the record" in VariantFolder(str(tmp_path)).refusal(f"{RECORD}/p")
