"""krmkit.fleet.folder: only what was written is overwritten or removed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from krmkit.fleet.folder import RECORD, VariantFolder, WrittenPackage
from krmkit.krm.errors import Refused
from krmkit.storage.disk.folders import WORK
from krmkit.storage.disk.primitives import digest_of_text
from krmkit.storage.disk.write import FileEdit, Writer


def written(out: Path, packages: dict[str, dict[str, str]], owner: str = "set") -> VariantFolder:
    """A folder with these packages, recorded."""
    changes = [
        FileEdit(f"{package}/{path}", None, text)
        for package, files in packages.items()
        for path, text in files.items()
    ]
    entries = {
        package: WrittenPackage(owner, {path: digest_of_text(text) for path, text in files.items()})
        for package, files in packages.items()
    }
    with Writer(str(out)) as writer:
        writer.put([*changes, *VariantFolder(str(out)).record(entries, lambda _: True, str(out / WORK))])
    return VariantFolder(str(out))


def test_what_somebody_changed(tmp_path: Path) -> None:
    """Other content, another kind of file, and a file where one is to be written; not what is gone or as it should be."""
    folder = written(tmp_path, {"p": dict.fromkeys("abcde", "1")})
    (tmp_path / "p/b").write_text("2")
    (tmp_path / "p/c").unlink()
    (tmp_path / "p/d").unlink()
    (tmp_path / "p/d").mkdir()
    (tmp_path / "p/e").write_text("new")
    (tmp_path / "p/f").write_text("mine")
    (tmp_path / "p/g").write_text("new")

    assert folder.edited("p") == ["b", "d", "e"]
    assert folder.edited("p", dict.fromkeys("abcdefg", digest_of_text("new"))) == ["b", "d", "f"]


def test_package_inside_a_package(tmp_path: Path) -> None:
    """What another package wrote is no foreign file, and what a killed run left is none."""
    folder = written(tmp_path, {"north/shop/inner": {"a": "1"}})
    (tmp_path / "north/shop/.krmkit-work").mkdir()
    (tmp_path / "north/shop/.krmkit-work/new-1").write_text("x")

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
    assert "not a folder" in folder.refusal("file/shop")
    assert "through a link" in folder.refusal("link/shop")
    assert [folder.refusal(name) for name in ("north/shop", "empty/shop", "new/shop")] == ["", "", ""]


@pytest.mark.parametrize(
    "record",
    [
        "{",
        "[]",
        '{"packages": {"../x": {"set": "a", "files": []}}}',
        '{"packages": {"x": {"set": "a", "files": ["../../etc/passwd"]}}}',
        '{"packages": {"x": {"set": "a", "files": {"../../etc/passwd": ""}}}}',
        '{"packages": {"x": {"set": "a", "files": ["/etc/passwd"]}}}',
        '{"packages": {"x": {"set": "a", "files": [1]}}}',
        '{"packages": {"x": {"set": "a", "files": "ab"}}}',
        '{"packages": {"x": {"files": []}}}',
        "[" * 100_000,
    ],
)
def test_a_record_that_cannot_be_trusted(tmp_path: Path, record: str) -> None:
    """A record that is broken, or names files outside of the folder, stops everything."""
    (tmp_path / RECORD).write_text(record)
    with pytest.raises(Refused, match="which files may be overwritten"):
        VariantFolder(str(tmp_path))


def test_a_record_that_is_a_pipe(tmp_path: Path) -> None:
    """Nobody waits for it."""
    os.mkfifo(tmp_path / RECORD)
    with pytest.raises(Refused, match="must be a regular file"):
        VariantFolder(str(tmp_path))


def test_record_has_one_form(tmp_path: Path) -> None:
    """The same packages give the same bytes, whatever their order."""
    one, other = tmp_path / "one", tmp_path / "other"
    written(one, {"b": {"y": "", "x": ""}, "a": {"z": ""}})
    written(other, {"a": {"z": ""}, "b": {"x": "", "y": ""}})

    assert (one / RECORD).read_bytes() == (other / RECORD).read_bytes()
    assert list(json.loads((one / RECORD).read_text())["packages"]) == ["a", "b"]


@pytest.mark.parametrize("part", ["", "1-of-2"])
@pytest.mark.parametrize("packages", [[], ["p"], ['a "quoted" p', "ü/b\u2028c"]], ids=len)
def test_record_is_json(tmp_path: Path, part: str, packages: list[str]) -> None:
    """The record is what a JSON encoder with an indentation of one blank writes, also without any package."""
    entries = {
        name: WrittenPackage("set", {"a\n.yaml": "0", "b": "1"}, "from", bool(part)) for name in packages
    }

    edits = VariantFolder(str(tmp_path / "out"), part).record(entries, lambda _: True, str(tmp_path))

    for edit in edits:
        text = Path(edit.source).read_text("utf-8")
        assert text == json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n"
    assert bool(edits) is (bool(packages) or not part)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    """The folder may be absent, and nothing else."""
    (tmp_path / "x").write_text("")
    with pytest.raises(Refused, match="is not a folder"):
        VariantFolder(str(tmp_path / "x"))
    assert VariantFolder(str(tmp_path / "y")).entries == {}
    assert not os.path.exists(tmp_path / "y")


def test_links_inside_a_package(tmp_path: Path) -> None:
    """A folder that has become a link is not written through, and nothing is removed behind it."""
    folder = written(tmp_path / "out", {"p": {"a": "1", "sub/b": "2"}})
    (tmp_path / "out/p/sub").rename(tmp_path / "kept")
    (tmp_path / "out/p/sub").symlink_to(tmp_path / "kept")
    (tmp_path / "out/p/c").symlink_to(tmp_path / "kept/b")

    for path in ("p/sub/b", "p/c"):
        with pytest.raises(Refused, match="leads elsewhere through a link"):
            folder.refuse_links([path])
    folder.refuse_links(["p/a", "p/new"])
    changes, folders = folder.removal("p")
    assert ([change.path for change in changes], folders) == (["p/a"], ["p"])


def test_name_of_the_record(tmp_path: Path) -> None:
    """No package takes its place."""
    assert "is the name of the record" in VariantFolder(str(tmp_path)).refusal(f"{RECORD}/p")
