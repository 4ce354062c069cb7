"""Pack folders in a package and out again: every byte, and nothing else touched."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.render.conversion.packexport import exported
from krmkit.render.conversion.packfolder import config_map, imported, item_name
from krmkit.render.package import read
from krmkit.storage.disk.journal import recover
from krmkit.storage.disk.write import Writer
from tests.waiting import MOST

PACK = '{"name": "app", "version": "1.0.0", "layer": "addon"}'

TEXTS = [
    ("plain", "a: b\n"),
    ("no line end", "a: b"),
    ("empty", ""),
    ("one line feed", "\n"),
    ("blank lines only", " \n\n"),
    ("blanks at line ends", "a: b  \nc:\t\n   \nd\n"),
    ("blanks at the very end", "a: b  "),
    ("tabs", "\ta:\tb\n"),
    ("emoji", "a: 😀 é ☃\n"),
    ("CRLF", "a: b\r\nc: d\r\n"),
    ("CRLF and LF", "a: b\r\nc: d\n"),
    ("a lone CR", "a\rb\n"),
    ("many line ends", "a: b\n\n\n"),
    ("blank first line", "\n  a: b\n"),
    ("indented first line", "    a: b\nc: d\n"),
    ("byte order mark", "\ufeffa: b\n"),
    ("odd separators", "a\u2028b\x85c\u2029d\x0b\n"),
    ("controls", "a\x00b\x1b\x7f\n"),
    ("document marks", "---\na: b\n...\n"),
    ("quotes and backslashes", "a: 'x' \"y\" \\n \\\\\n"),
    ("a template", 'a: {{ .spectro.var.x | default \\"y\\" }}\n'),
    ("hash first", "# spectrocloud.com/enabled-presets: A:b\n"),
]


def folder(root: Path, files: dict[str, str]) -> str:
    for path, text in {"pack.json": PACK, **files}.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    return str(root)


def bytes_below(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("text", [case[1] for case in TEXTS], ids=[case[0] for case in TEXTS])
def test_there_and_back(tmp_path: Path, text: str) -> None:
    """Every text comes back byte for byte, wherever in the ConfigMap it stands."""
    pack = tmp_path / "app-1.0.0"
    folder(pack, {"values.yaml": text, "presets.yaml": "a: b\n", "defaults.yaml": text})

    imported([str(pack)], str(tmp_path / "package"))
    exported(read(str(tmp_path / "package")), str(tmp_path / "out"))

    assert bytes_below(tmp_path / "out" / "app-1.0.0") == bytes_below(pack)


@given(st.text(st.characters(codec="utf-8")))
def test_any_text_can_be_carried(text: str) -> None:
    """Whatever UTF-8 can say, a ConfigMap can carry."""
    read_back = Resource(config_map("app", "app", {"pack.json": PACK, "values.yaml": text}, "app"))

    assert read_back.get("data", "values.yaml") == text


def test_texts_are_readable(tmp_path: Path) -> None:
    """Blanks at line ends and emoji are no reason for one long quoted line."""
    text = config_map("app", "app", {"pack.json": PACK, "values.yaml": "a: 1  \nb: 😀\n"}, "app")

    assert "  values.yaml: |\n    a: 1  \n    b: 😀\n" in text


def test_a_package_is_made(tmp_path: Path) -> None:
    """Kptfile, ConfigMap, the other files in a folder that .krmignore lists; kpt's reader takes it."""
    pack = folder(
        tmp_path / "App_1.0", {"values.yaml": "a: b\n", "logo.png": "x", "manifests/a.yaml": "{{ no yaml"}
    )

    written = imported([pack], str(tmp_path / "package"))
    found = bytes_below(tmp_path / "package")

    assert written == [str(tmp_path / "package" / "app-1.0.yaml")]
    assert sorted(found) == [
        ".krmignore",
        ".krmkit-packs/app-1.0",
        "Kptfile",
        "app-1.0.yaml",
        "app-1.0/logo.png",
        "app-1.0/manifests/a.yaml",
    ]
    assert found[".krmignore"] == b"/app-1.0/\n"
    assert found["app-1.0.yaml"].startswith(
        b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app-1.0\n  annotations:\n"
        b'    config.kubernetes.io/local-config: "true"\n    krmkit.dev/pack-folder: App_1.0\ndata:\n  pack.json: |-\n'
    )
    exported(read(str(tmp_path / "package")), str(tmp_path / "out"))
    assert bytes_below(tmp_path / "out" / "App_1.0") == bytes_below(tmp_path / "App_1.0")


def test_a_pack_in_the_package_stays_where_it_is(tmp_path: Path) -> None:
    """Its folder is listed in .krmignore, behind what is there; a second import adds nothing."""
    package = tmp_path / "package"
    pack = folder(package / "packs" / "app", {"values.yaml": "a: b\n", "chart.tgz": "x"})
    (package / ".krmignore").write_text("notes.yaml")

    imported([pack], str(package))
    (package / "Kptfile").write_text((package / "Kptfile").read_text() + "info:\n  site: example.org\n")
    before = bytes_below(package)
    imported([pack], str(package))

    assert before[".krmignore"] == b"notes.yaml\n/packs/app/\n"
    assert bytes_below(package) == before
    exported(read(str(package)), str(tmp_path / "out"))
    assert bytes_below(tmp_path / "out" / "app") == bytes_below(package / "packs" / "app")


def test_export_writes_the_values_of_the_package(tmp_path: Path) -> None:
    """What a function changed in the ConfigMap is what the folder gets."""
    pack = tmp_path / "app"
    folder(pack, {"values.yaml": "a: b   # why\n", "readme.txt": "x"})
    imported([str(pack)], str(tmp_path / "package"))
    item = tmp_path / "package" / "app.yaml"
    item.write_text(item.read_text().replace("a: b", "a: c"))

    exported(read(str(tmp_path / "package")), str(tmp_path))

    assert bytes_below(pack) == {
        "pack.json": PACK.encode(),
        "values.yaml": b"a: c   # why\n",
        "readme.txt": b"x",
    }


def test_kind_pack_is_exported(tmp_path: Path) -> None:
    """A pack as a resource of its own kind becomes a folder, too."""
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n")
    (tmp_path / "p" / "a.yaml").write_text(
        "apiVersion: krmkit.dev/v1alpha1\nkind: Pack\nmetadata:\n  name: app\nspec:\n  metadata:\n    name: app\n  values: |\n    a: b\n"
    )
    exported(read(str(tmp_path / "p")), str(tmp_path / "out"))

    assert bytes_below(tmp_path / "out" / "app") == {
        "pack.json": b'{\n  "name": "app"\n}\n',
        "values.yaml": b"a: b\n",
    }


def test_wrong_folders(tmp_path: Path) -> None:
    """Each problem is named, and nothing is written."""
    good = folder(tmp_path / "good", {})
    (tmp_path / "none").mkdir()
    folder(tmp_path / "bad-json", {"pack.json": "{"})
    folder(tmp_path / "x" / "good", {})
    Path(folder(tmp_path / "bytes", {}), "values.yaml").write_bytes(b"a: \xff\n")
    package = tmp_path / "package"
    for folders, message in (
        ([good, str(tmp_path / "none")], "none: holds no pack.json"),
        (
            [str(tmp_path / "x")],
            "x: holds no pack.json, so it is not a pack folder; the folders in it are: .*/x/[*]$",
        ),
        ([str(tmp_path / "none")], "none: holds no pack.json, so it is not a pack folder$"),
        ([good, str(tmp_path / "bad-json")], "bad-json: pack.json is not JSON"),
        ([good, str(tmp_path / "x" / "good")], "would both become good.yaml"),
        ([good, str(tmp_path / "bytes")], "bytes/values.yaml: byte 0xff at 3 is not UTF-8"),
    ):
        with pytest.raises(Refused, match=message):
            imported(folders, str(package))
    assert not package.exists()


def test_strangers_are_not_replaced(tmp_path: Path) -> None:
    """A file that is not this pack stays."""
    pack = folder(tmp_path / "app", {})
    (tmp_path / "package").mkdir()
    stranger = tmp_path / "package" / "app.yaml"
    stranger.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\n")

    with pytest.raises(Refused, match="is there already and is not this pack"):
        imported([pack], str(tmp_path / "package"))
    assert stranger.read_text().endswith("name: app\n")


def test_export_stays_below_its_folder(tmp_path: Path) -> None:
    """An annotation cannot lead elsewhere."""
    pack = folder(tmp_path / "app", {})
    imported([pack], str(tmp_path / "package"))
    item = tmp_path / "package" / "app.yaml"
    item.write_text(item.read_text().replace("pack-folder: app", "pack-folder: ../../app"))

    with pytest.raises(Refused, match="names no folder"):
        exported(read(str(tmp_path / "package")), str(tmp_path / "out"))


@pytest.mark.parametrize(
    ("folder_name", "expected"),
    [
        ("App_1.0", "app-1.0"),
        ("--x--", "x"),
        ("é", "pack"),
        ("a" * 300, "a" * 253),
        ("argocd-3.26.7", "argocd-3.26.7"),
    ],
)
def test_item_name(folder_name: str, expected: str) -> None:
    """A name that Kubernetes takes."""
    assert item_name(folder_name) == expected


def test_rights_and_links(tmp_path: Path) -> None:
    """A program stays one, and a link to a file becomes the file."""
    pack = Path(folder(tmp_path / "app", {"run.sh": "#!/bin/sh\n"}))
    (pack / "run.sh").chmod(0o755)
    (pack / "link.txt").symlink_to("run.sh")

    imported([str(pack)], str(tmp_path / "p"))
    exported(read(str(tmp_path / "p")), str(tmp_path / "out"))

    assert (tmp_path / "p" / "app" / "run.sh").stat().st_mode & 0o777 == 0o755
    assert bytes_below(tmp_path / "out" / "app") == bytes_below(pack)
    assert not (tmp_path / "out" / "app" / "link.txt").is_symlink()


NO_FILES = [
    ("a link to nowhere", lambda path: path.symlink_to("nowhere")),
    ("a link to a folder", lambda path: path.symlink_to("/")),
    ("a pipe", os.mkfifo),
]


@pytest.mark.parametrize("name", ["x", "values.yaml"])
@pytest.mark.parametrize("make", [case[1] for case in NO_FILES], ids=[case[0] for case in NO_FILES])
def test_what_is_no_file(tmp_path: Path, make: Callable[[Path], None], name: str) -> None:
    """It is named, and nothing is made; nobody waits for a pipe."""
    pack = folder(tmp_path / "app", {"other": "x"})
    make(tmp_path / "app" / name)

    with pytest.raises(Refused, match=f"app/{name}: (must be a regular file|is a link to /, outside)"):
        imported([pack], str(tmp_path / "p"))

    assert not (tmp_path / "p").exists()


def test_a_failure_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk at the last file: neither the copies nor their folders are there, and a re-import costs nothing."""
    pack = folder(tmp_path / "app", {"charts/a.tgz": "1", "charts/b.tgz": "2"})
    fsync = os.fsync
    calls: list[int] = []

    def full(handle: int) -> None:
        calls.append(handle)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        fsync(handle)

    write = os.write

    def nearly_full(handle: int, content: bytes) -> int:
        if content == b"2":
            raise OSError(28, "No space left on device")
        return write(handle, content)

    monkeypatch.setattr(os, "write", nearly_full)
    with pytest.raises(Refused, match="No space left"):
        imported([pack], str(tmp_path / "p"))
    assert not (tmp_path / "p").exists()
    monkeypatch.setattr(os, "write", write)

    monkeypatch.setattr(os, "fsync", full)
    calls[:] = range(10)
    imported([pack], str(tmp_path / "p"))
    before = bytes_below(tmp_path / "p")
    (tmp_path / "app" / "charts" / "a.tgz").write_text("new")
    calls.clear()
    with pytest.raises(Refused, match="No space left"):
        imported([pack], str(tmp_path / "p"))
    assert bytes_below(tmp_path / "p") == before


def test_a_krmignore_that_is_no_text(tmp_path: Path) -> None:
    """It is named, and left alone."""
    pack = folder(tmp_path / "app", {"x": "y"})
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / ".krmignore").write_bytes(b"\xff")

    with pytest.raises(Refused, match=r"\.krmignore: is not UTF-8"):
        imported([pack], str(tmp_path / "p"))

    assert bytes_below(tmp_path / "p") == {".krmignore": b"\xff"}


def test_leftovers_are_no_files_of_a_pack(tmp_path: Path) -> None:
    """What killed runs left in a pack folder is not imported, what they left in the package goes."""
    pack = folder(tmp_path / "app", {"charts/a.tgz": "1", ".a.x.krmkit-new": "x", ".krmkit-work/new-1": "x"})
    (tmp_path / "p/.krmkit-work").mkdir(parents=True)
    (tmp_path / "p/.krmkit-work/new-1").write_text("x")

    imported([pack], str(tmp_path / "p"))
    exported(read(str(tmp_path / "p")), str(tmp_path / "out"))

    record = ".krmkit-packs/app"
    assert sorted(bytes_below(tmp_path / "p")) == [
        ".krmignore",
        record,
        "Kptfile",
        "app.yaml",
        "app/charts/a.tgz",
    ]
    assert sorted(bytes_below(tmp_path / "out")) == [record, "app/charts/a.tgz", "app/pack.json"]


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    """Such a file is refused by its name, and nothing is made."""
    pack = folder(tmp_path / "app", {})
    (tmp_path / "app" / os.fsdecode(b"a-\xff.txt")).write_text("")

    with pytest.raises(Refused, match=r"the file name a-\\xff\.txt is not UTF-8; rename the file"):
        imported([pack], str(tmp_path / "p"))

    assert not (tmp_path / "p").exists()


def test_links_out_of_a_pack(tmp_path: Path) -> None:
    """A pack may come from anybody: what a link in it leads to elsewhere is not copied."""
    (tmp_path / "key").write_text("secret")
    pack = folder(tmp_path / "app", {})
    (tmp_path / "app/x").symlink_to(tmp_path / "key")

    with pytest.raises(Refused, match=r"app/x: is a link to .*/key, outside of "):
        imported([pack], str(tmp_path / "p"))


def test_two_imports_at_once(tmp_path: Path) -> None:
    """Both packs are in the package, and .krmignore lists what came with each."""
    packs = [folder(tmp_path / name, {"charts/a.tgz": "1"}) for name in ("one", "two")]
    source = str(Path(__file__).parents[4] / "shared")
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "krmkit", "pack", "import", pack, "--out", str(tmp_path / "p")],
            env={**os.environ, "PYTHONPATH": source},
            stdout=subprocess.DEVNULL,
        )
        for pack in packs
    ]

    assert [each.wait(MOST) for each in running] == [0, 0]
    assert sorted((tmp_path / "p/.krmignore").read_text().split()) == ["/one/", "/two/"]
    assert sorted(path.name for path in (tmp_path / "p").glob("*.yaml")) == ["one.yaml", "two.yaml"]


def test_many_files_are_one_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of a pack that is new are put into place as one folder, with their rights, links and folders."""
    files = {f"charts/{number}/t.yaml": str(number) for number in range(30)}
    pack = folder(tmp_path / "app", {**files, "run.sh": "#!/bin/sh\n", "large": "x" * 3_000_000, "empty": ""})
    (tmp_path / "app/run.sh").chmod(0o777)
    (tmp_path / "app/link").symlink_to("run.sh")
    moved: list[str] = []
    replace = os.replace

    def noted(one: str, two: str) -> None:
        moved.append(two)
        replace(one, two)

    monkeypatch.setattr(os, "replace", noted)
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)

    imported([pack], str(tmp_path / "p"))

    here = [os.path.relpath(path, tmp_path / "p") for path in moved]
    assert sorted(path for path in here if not path.startswith(".krmkit-work")) == [
        ".krmignore",
        ".krmkit-packs/app",
        "Kptfile",
        "app",
        "app.yaml",
    ]
    assert len(synced) < 14
    for name in [*files, "run.sh", "large", "empty"]:
        assert (tmp_path / "p/app" / name).read_bytes() == (tmp_path / "app" / name).read_bytes()
    assert (tmp_path / "p/app/run.sh").stat().st_mode & 0o777 == 0o777
    assert (tmp_path / "p/app/link").read_text() == "#!/bin/sh\n"
    assert not (tmp_path / "p/app/link").is_symlink()


def test_without_a_sync_of_the_whole_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system cannot sync a disk, each file of the copy is synced."""
    pack = folder(tmp_path / "app", {f"{number}.yaml": "a" for number in range(30)})
    monkeypatch.setattr("krmkit.storage.disk.primitives.sync_disk", lambda path: False)
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)

    imported([pack], str(tmp_path / "p"))

    assert len(synced) >= 33


def test_a_folder_that_is_there_keeps_its_files(tmp_path: Path) -> None:
    """What somebody put beside the copies stays; a file in the place of a folder is an error."""
    pack = folder(tmp_path / "app", {"a.txt": "1", "deep/b.txt": "2"})
    (tmp_path / "p/app").mkdir(parents=True)
    (tmp_path / "p/app/mine.txt").write_text("mine")
    imported([pack], str(tmp_path / "p"))
    assert bytes_below(tmp_path / "p/app") == {"a.txt": b"1", "deep/b.txt": b"2", "mine.txt": b"mine"}

    (tmp_path / "q").mkdir()
    (tmp_path / "q/app").write_text("a file")
    with pytest.raises(Refused, match="app is a file, where a folder is to be made; nothing was written"):
        imported([pack], str(tmp_path / "q"))
    assert bytes_below(tmp_path / "q") == {"app": b"a file"}


CRASH = """
import os, sys
sys.path.insert(0, sys.argv[1])
import json, hashlib, ctypes
from krmkit.render.conversion.packfolder import imported

left = int(sys.argv[4])


def dying(real):
    def step(*words, **more):
        global left
        if left == 0:
            os._exit(9)
        left -= 1
        return real(*words, **more)
    return step


for name in ("open", "write", "fsync", "replace", "mkdir", "makedirs", "rmdir", "remove"):
    setattr(os, name, dying(getattr(os, name)))
imported([sys.argv[2]], sys.argv[3])
"""


@pytest.mark.slow
def test_an_import_that_is_killed(tmp_path: Path, project: Path) -> None:
    """Ended after each call to the file system in turn: the package is as before, or the next run completes it."""
    pack = folder(tmp_path / "app", {"a.txt": "1", "deep/b.txt": "2"})
    whole: dict[str, bytes] = {}
    imported([pack], str(tmp_path / "good"))
    good = {path: text for path, text in bytes_below(tmp_path / "good").items() if path != "Kptfile"}
    ends = []
    for steps in range(200):
        root = tmp_path / f"p{steps}"
        root.mkdir()
        (root / "other.txt").write_text("theirs")
        words = [str(project / "shared"), pack, str(root), str(steps)]
        done = subprocess.run([sys.executable, "-c", CRASH, *words], check=False, capture_output=True)
        recover(str(root))
        with Writer(str(root)):
            pass
        whole = bytes_below(root)
        assert whole.pop("other.txt") == b"theirs"
        assert not whole or whole.pop("Kptfile")
        assert whole in ({}, good), steps
        ends.append(bool(whole))
        if done.returncode != 9:
            break

    assert steps > 20
    assert ends == sorted(ends)
    assert ends[-1]
