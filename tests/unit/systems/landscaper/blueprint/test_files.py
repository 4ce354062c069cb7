"""krmkit.systems.landscaper.blueprint.files and archive: a blueprint's file system, inline or packed."""

from __future__ import annotations

import gzip
import io
import tarfile
from base64 import b64encode
from collections.abc import Callable

import pytest

from krmkit.krm.errors import Refused
from krmkit.systems.landscaper.blueprint.blueprints import load
from krmkit.systems.landscaper.blueprint.files import Files, clean, inline_files
from krmkit.systems.landscaper.components import archive as archives
from krmkit.systems.landscaper.components.archive import gunzip, untar
from krmkit.systems.landscaper.errors import InstallationError
from krmkit.systems.landscaper.flow.sources import _unpacked
from tests.unit.systems.landscaper.worlds import HEADER


@pytest.mark.parametrize(
    ("path", "cleaned"),
    [
        ("a", "a"),
        ("/a", "a"),
        ("./a//b/", "a/b"),
        ("a/../b", "b"),
        ("../../etc/passwd", "etc/passwd"),
        ("a/../../../b", "b"),
        ("", ""),
        ("/", ""),
    ],
)
def test_paths(path: str, cleaned: str) -> None:
    """A path is one from the root; nothing leads out of it."""
    assert clean(path) == cleaned


def test_reading() -> None:
    """Texts and bytes of files, and the names in folders; what is not there is an error."""
    files = Files({"/a.txt": "é", "sub/b.bin": b"\xff", "sub/deep/c": "", "sub2": ""})

    assert (files.data("a.txt"), files.text("/a.txt")) == ("é".encode(), "é")
    assert files.data("sub/b.bin") == b"\xff"
    assert files.text("sub/b.bin").encode("utf-8", "surrogateescape") == b"\xff"
    assert files.text("sub/deep/c") == ""
    assert files.entries("sub") == [("b.bin", False), ("deep", True)]
    assert files.entries("/") == [("a.txt", False), ("sub", True), ("sub2", False)]
    for wrong in (
        lambda: files.data("b"),
        lambda: files.text("sub"),
        lambda: files.entries("a.txt"),
        lambda: files.entries("su"),
    ):
        with pytest.raises(FileNotFoundError):
            wrong()


BINARY = f"---Start Binary---\n{b64encode(bytes(range(200))).decode()[:100]}\n{b64encode(bytes(range(200))).decode()[100:]}\n---End Binary---\n"


@pytest.mark.parametrize(
    ("node", "content"),
    [
        ("text\n", "text\n"),
        (None, ""),
        (5, "5"),
        ({"$type": "json", "value": {"b": [1, "<"], "a": None}}, '{"a":null,"b":[1,"\\u003c"]}'),
        ({"$type": "yaml", "value": {"b": [1], "a": None}}, "a: null\nb:\n- 1\n"),
        ({"$type": "file", "value": "as it is"}, "as it is"),
        ({"$type": "file", "value": ""}, ""),
        ({"$type": "file", "binary": BINARY}, bytes(range(200))),
        (BINARY, bytes(range(200))),
        ("---Start Binary---\n%%%%\n---End Binary---\n", "Only base64 data is allowed"),
        ("---Start Binary---\n---End Binary---\n", "---Start Binary---\n---End Binary---\n"),
        ("# not\n---Start Binary---\nYQ==\n---End Binary---\n", "# not\n---Start Binary---\nYQ==\n---End Binary---\n"),
    ],
    ids=[
        "a text", "null", "a number", "JSON", "YAML", "a typed file", "an empty one", "typed bytes", "bytes", "no base64",
        "nothing between the marks", "marks that are not at the ends",
    ],
)  # fmt: skip
def test_inline_nodes(node: object, content: object) -> None:
    """A node of an inline file system is a text, or says by `$type` how its content stands there."""
    assert inline_files({"f": node}).all() == {"f": content}


def test_inline_folders() -> None:
    """Folders are mappings, with or without a type; the whole may be a text with YAML in it."""
    inner = {"c.txt": "c"}
    expected = {"a.txt": "a", "plain/c.txt": "c", "typed/c.txt": "c"}

    found = inline_files(
        {"a.txt": "a", "plain": inner, "typed": {"$type": "directory", "value": inner}, "list": [1]}
    )

    assert found.all() == expected
    assert inline_files("{a.txt: a, plain: {c.txt: c}, typed: {c.txt: c}}").all() == expected


def deep(levels: int, wrap: Callable[[dict[str, object]], dict[str, object]]) -> dict[str, object]:
    node: dict[str, object] = {"f": ""}
    for _ in range(levels):
        node = {"d": wrap(node)}
    return node


@pytest.mark.parametrize(
    "wrap",
    [lambda node: node, lambda node: {"$type": "directory", "value": node}],
    ids=["plain folders", "typed folders"],
)
def test_deep_folders(wrap: Callable[[dict[str, object]], dict[str, object]]) -> None:
    """Folders are nested fifty deep at most."""
    assert len(inline_files(deep(50, wrap)).all()) == 1

    with pytest.raises(InstallationError) as caught:
        inline_files(deep(51, wrap))

    assert caught.value.rule == "limit"


@pytest.mark.parametrize(
    ("filesystem", "message"),
    [
        ("a: [", "the inline filesystem is not YAML: "),
        ("text", "the inline filesystem must be a mapping of file names to texts"),
        (None, "the inline filesystem must be a mapping of file names to texts"),
        ([1], "the inline filesystem must be a mapping of file names to texts"),
    ],
)
def test_no_file_system(filesystem: object, message: str) -> None:
    """Anything else is not a file system."""
    with pytest.raises(InstallationError) as caught:
        inline_files(filesystem)

    assert caught.value.message.startswith(message)


def tar(*members: tuple[str, bytes], link: str = "") -> bytes:
    """A tar archive; `link` is the name of a link in it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as found:
        folder = tarfile.TarInfo("sub")
        folder.type = tarfile.DIRTYPE
        found.addfile(folder)
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            found.addfile(info, io.BytesIO(data))
        if link:
            info = tarfile.TarInfo(link)
            info.type = tarfile.SYMTYPE
            info.linkname = "/etc/passwd"
            found.addfile(info)
    return out.getvalue()


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "compressed"])
def test_archives(pack: Callable[[bytes], bytes]) -> None:
    """Texts and bytes by path; folders are no files."""
    data = pack(tar(("./a.txt", "é".encode()), ("sub/b", b"\xff")))

    assert untar(data) == {"a.txt": "é", "sub/b": b"\xff"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"no archive", "cannot read the archive: "),
        (b"\x1f\x8bno gzip", "cannot read gzip data: "),
        (gzip.compress(tar(("a", b"a")))[:-20], "cannot read gzip data: the end is missing"),
        (tar(("a/../../b", b"")), "the path a/../../b leaves the archive"),
        (tar(("..", b"")), "the path .. leaves the archive"),
    ],
    ids=["no tar", "no gzip", "half of it", "a path that leaves", "the folder above"],
)
def test_wrong_archives(data: bytes, message: str) -> None:
    """What cannot be read is an error, and so is a path that leads out."""
    with pytest.raises(Refused) as caught:
        untar(data)

    assert str(caught.value).startswith(message)


def test_large_archives(monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive has a limit of bytes, unpacked as well as packed, and one of files."""
    monkeypatch.setattr(archives, "_MOST_BYTES", 4096)
    monkeypatch.setattr(archives, "_MOST_FILES", 2)

    assert gunzip(gzip.compress(bytes(4096))) == bytes(4096)
    with pytest.raises(Refused, match="more than 4,096 bytes"):
        gunzip(gzip.compress(bytes(4097)))
    assert len(untar(tar(("a", bytes(4096))))) == 1
    with pytest.raises(Refused, match="more than 4,096 bytes or 2 files"):
        untar(tar(("a", bytes(4000)), ("b", bytes(97))))
    assert len(untar(tar(("a", b""), ("b", b"")))) == 2
    with pytest.raises(Refused, match="more than 4,096 bytes or 2 files"):
        untar(tar(("a", b""), ("b", b""), ("c", b"")))


def test_a_bomb_is_not_unpacked() -> None:
    """Gzip data that would become gigabytes stop at the limit."""
    bomb = gzip.compress(bytes(archives._MOST_BYTES + 1))

    with pytest.raises(Refused, match="the archive has more than 67,108,864 bytes"):
        gunzip(bomb)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("text", "blueprint b must be a folder or a tar archive"),
        (b"\x1f\x8b?", "blueprint b: cannot read gzip data: "),
    ],
)
def test_no_blueprint_archive(content: str | bytes, message: str) -> None:
    """The content of a blueprint's resource is a folder or an archive."""
    with pytest.raises(InstallationError) as caught:
        _unpacked(content, "b", [])

    assert (caught.value.rule, caught.value.message.startswith(message)) == ("blueprint-not-found", True)
    assert _unpacked(tar(("blueprint.yaml", b"a")), "b", []).all() == {"blueprint.yaml": "a"}


def test_links_are_left_out() -> None:
    """A link is not a file of the archive; who asks is told which there were."""
    left_out: list[str] = []
    data = tar(("a", b"a"), link="./sub/b")

    assert untar(data, left_out) == untar(data) == {"a": "a"}
    assert left_out == ["sub/b"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "imports: [{name: n, schema: {}}]\n",
            "the name of an import must be a text, got false; YAML 1.1 reads a plain n",
        ),
        (
            "exports: [{name: y, schema: {}}]\n",
            "the name of an export must be a text, got true; YAML 1.1 reads a plain n",
        ),
        ("imports: [{name: 7, schema: {}}]\n", "the name of an import must be a text, got 7"),
        ("imports: [{name: [a], schema: {}}]\n", "the name of an import must be a text, got list"),
    ],
    ids=["n", "y", "a number", "a list"],
)
def test_a_name_that_is_no_text(body: str, message: str) -> None:
    """A name that YAML reads as something else is named, and not taken for no name."""
    files = Files({"blueprint.yaml": HEADER + body})

    with pytest.raises(InstallationError) as caught:
        load(files)

    assert message in caught.value.message
