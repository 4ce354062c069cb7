"""Writing: all or nothing as far as the file system allows, and each file whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.fn.write import MARK, Change, WriteError, write, write_folder


def files(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes().decode()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def test_writes_makes_and_removes(tmp_path: Path) -> None:
    """Each change arrives, and nothing else is there afterwards."""
    (tmp_path / "old").write_text("x")
    (tmp_path / "gone").write_text("x")

    write(
        str(tmp_path), [Change("old", "x", "y\r\n"), Change("gone", "x", None), Change("a/b/new", None, "é")]
    )

    assert files(tmp_path) == {"old": "y\r\n", "a/b/new": "é"}


def test_rights_stay(tmp_path: Path) -> None:
    """A file keeps its mode; a new one gets what the umask leaves."""
    (tmp_path / "a").write_text("x")
    (tmp_path / "a").chmod(0o640)
    before = os.umask(0o027)
    try:
        write(str(tmp_path), [Change("a", "x", "y"), Change("b", None, "y")])
    finally:
        os.umask(before)

    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """The file that a link leads to is written."""
    (tmp_path / "real").write_text("x")
    (tmp_path / "link").symlink_to("real")

    write(str(tmp_path), [Change("link", "x", "y")])

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "y"


def test_nothing_is_written_outside(tmp_path: Path) -> None:
    """A link that leads out of the package stops everything."""
    root = tmp_path / "p"
    root.mkdir()
    (tmp_path / "outside").write_text("x")
    (root / "link").symlink_to("../outside")

    with pytest.raises(WriteError, match="outside of the package"):
        write(str(root), [Change("a", None, "y"), Change("link", "x", "y")])

    assert files(tmp_path) == {"outside": "x", "p/link": "x"}


def test_a_folder_in_the_way(tmp_path: Path) -> None:
    """It is named, and nothing was written."""
    (tmp_path / "d").mkdir()

    with pytest.raises(WriteError, match="d is a folder"):
        write(str(tmp_path), [Change("a", None, "y"), Change("d", None, "y")])

    assert files(tmp_path) == {}


def test_a_failure_before_the_first_rename_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the disk is full at the third file, the first two are as they were, and no trace is left."""
    for name in "abc":
        (tmp_path / name).write_text("old")
    calls: list[int] = []

    def full(handle: int) -> None:
        calls.append(handle)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match="No space left"):
        write(str(tmp_path), [Change("new/x", None, "new"), *(Change(name, "old", "new") for name in "abc")])

    assert files(tmp_path) == dict.fromkeys("abc", "old")
    assert not (tmp_path / "new").exists()


def test_a_failure_in_between_says_how_far_it_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file is whole, and the message counts those that are new."""
    for name in "ab":
        (tmp_path / name).write_text("old")
    replace, calls = os.replace, list[int]()

    def failing(source: str, target: str) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise OSError(5, "Input/output error", source, None, target)
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(
        WriteError, match=r"cannot write .*/b: Input/output error; 1 of 2 files are in their new state"
    ):
        write(str(tmp_path), [Change(name, "old", "new") for name in "ab"])

    assert files(tmp_path) == {"a": "new", "b": "old"}


def test_a_file_in_the_way(tmp_path: Path) -> None:
    """It is named as what it is, for one file and for a folder."""
    (tmp_path / "f").write_text("x")

    with pytest.raises(WriteError, match="f is a file, where a folder is to be made"):
        write(str(tmp_path), [Change("f/a", None, "y")])
    with pytest.raises(WriteError, match="f is a file, where a folder is to be made"):
        write_folder(str(tmp_path / "f" / "out"), [Change("a", None, "y")])

    assert files(tmp_path) == {"f": "x"}


def test_what_killed_runs_left_goes(tmp_path: Path) -> None:
    """Also where nothing else is to be done; what is gone already is no error."""
    (tmp_path / f".a.1{MARK}").write_text("x")
    (tmp_path / "a").write_text("x")

    write(str(tmp_path), [], [f".a.1{MARK}", f".a.2{MARK}"])

    assert files(tmp_path) == {"a": "x"}


OTHERS = [
    ("changed", "other", None),
    ("removed", None, None),
    ("changed to the very same", "new", "new"),
]


@pytest.mark.parametrize(("now", "after"), [case[1:] for case in OTHERS], ids=[case[0] for case in OTHERS])
def test_what_somebody_else_wrote_stays(tmp_path: Path, now: str | None, after: str | None) -> None:
    """A careful writer replaces only what it has read; the same change made by another is none."""
    (tmp_path / "a").write_text("old")
    if now is not None:
        (tmp_path / "b").write_text(now)
    changes = [Change("a", "old", "new"), Change("b", "old", "new"), Change("gone", "old", None)]

    if after is None:
        with pytest.raises(WriteError, match="b was changed by somebody else while this ran; nothing was"):
            write(str(tmp_path), changes, careful=True)
        assert files(tmp_path) == {"a": "old", **({"b": now} if now is not None else {})}
    else:
        write(str(tmp_path), changes, careful=True)
        assert files(tmp_path) == {"a": "new", "b": after}


def test_writers_come_one_after_the_other(tmp_path: Path) -> None:
    """Who finds the folder locked waits, and takes nothing away that another is preparing."""
    fcntl = pytest.importorskip("fcntl")
    (tmp_path / "a").write_text("old")
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_SH)  # which only a lock for one alone has to wait for
    code = "import sys\nsys.path.insert(0, sys.argv[1])\nfrom krmkit.fn.write import Change, write\nprint(flush=True)\nwrite(sys.argv[2], [Change('a', 'old', 'new')])"
    source = str(Path(__file__).parents[3] / "shared")
    waiting = subprocess.Popen([sys.executable, "-c", code, source, str(tmp_path)], stdout=subprocess.PIPE)
    assert waiting.stdout is not None
    waiting.stdout.readline()

    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(0.5)
    assert files(tmp_path) == {"a": "old"}
    os.close(handle)
    waiting.stdout.close()
    assert waiting.wait(60) == 0
    assert files(tmp_path) == {"a": "new"}


def test_a_link_that_goes(tmp_path: Path) -> None:
    """The link is removed, wherever it leads; what it leads to stays."""
    root = tmp_path / "p"
    root.mkdir()
    (tmp_path / "outside").write_text("x")
    (root / "link").symlink_to("../outside")

    write(str(root), [Change("link", "x", None)])

    assert files(tmp_path) == {"outside": "x"}
    assert not (root / "link").is_symlink()


def test_write_folder(tmp_path: Path) -> None:
    """A folder appears whole; one that is there is left alone."""
    write_folder(str(tmp_path / "x" / "out"), [Change("a/b", None, "1"), Change("c", None, "2")])

    assert files(tmp_path) == {"x/out/a/b": "1", "x/out/c": "2"}
    with pytest.raises(WriteError, match="is there already"):
        write_folder(str(tmp_path / "x" / "out"), [Change("c", None, "3")])
    assert files(tmp_path) == {"x/out/a/b": "1", "x/out/c": "2"}


STEPS = ("open", "fsync", "replace", "remove", "mkdir", "fchmod")
CRASH = """
import os, sys
sys.path.insert(0, sys.argv[1])
import tempfile
from krmkit.fn.write import Change, write

left = int(sys.argv[3])


def crashing(real):
    def step(*words, **more):
        global left
        if left == 0:
            os._exit(9)
        left -= 1
        return real(*words, **more)

    return step


for name in {steps!r}:
    setattr(os, name, crashing(getattr(os, name)))
write(sys.argv[2], [Change("a", "old a", "new a"), Change("b", "old b", "new b"), Change("x/c", None, "new c"), Change("d", "old d", None)])
"""


def test_a_crash_at_any_step(tmp_path: Path, project: Path) -> None:
    """Ended after each single call to the file system in turn, every file is old or new; without a crash all are new."""
    old = {"a": "old a", "b": "old b", "d": "old d"}
    new = {"a": "new a", "b": "new b", "x/c": "new c"}
    states = []
    for steps in range(100):
        root = tmp_path / str(steps)
        root.mkdir()
        for name, text in old.items():
            (root / name).write_text(text)
        program = CRASH.replace("{steps!r}", repr(STEPS))
        done = subprocess.run(
            [sys.executable, "-c", program, str(project / "shared"), str(root), str(steps)], check=False
        )
        found = {path: text for path, text in files(root).items() if not path.endswith(MARK)}
        for path in old.keys() | new.keys() | found.keys():
            assert found.get(path) in {old.get(path), new.get(path)}, (steps, path)
        if found not in states:
            states.append(found)
        if done.returncode == 0:
            break

    assert found == new
    # Nothing before the first rename, then file by file.
    assert states == [
        old,
        {**old, "a": "new a"},
        {**old, "a": "new a", "b": "new b"},
        {**old, **new},
        new,
    ]
