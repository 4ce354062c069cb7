"""Writing: all or nothing as far as the file system allows, and each file whole."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from krmkit.krm.errors import Refused
from krmkit.storage.disk.folders import WORK
from krmkit.storage.disk.journal import Journal, JournalStep, recover
from krmkit.storage.disk.primitives import FolderLock, digest
from krmkit.storage.disk.write import MARK, FileEdit, Writer, write, write_folder
from tests.waiting import MOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


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
        str(tmp_path),
        [FileEdit("old", "x", "y\r\n"), FileEdit("gone", "x", None), FileEdit("a/b/new", None, "é")],
    )

    assert files(tmp_path) == {"old": "y\r\n", "a/b/new": "é"}


def test_rights_stay(tmp_path: Path) -> None:
    """A file keeps its mode; a new one gets what the umask leaves."""
    (tmp_path / "a").write_text("x")
    (tmp_path / "a").chmod(0o640)
    before = os.umask(0o027)
    try:
        write(str(tmp_path), [FileEdit("a", "x", "y"), FileEdit("b", None, "y")])
    finally:
        os.umask(before)

    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """The file that a link leads to is written."""
    (tmp_path / "real").write_text("x")
    (tmp_path / "link").symlink_to("real")

    write(str(tmp_path), [FileEdit("link", "x", "y")])

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "y"


def test_nothing_is_written_outside(tmp_path: Path) -> None:
    """A link that leads out of the package stops everything."""
    root = tmp_path / "p"
    root.mkdir()
    (tmp_path / "outside").write_text("x")
    (root / "link").symlink_to("../outside")

    with pytest.raises(Refused, match="outside of the package"):
        write(str(root), [FileEdit("a", None, "y"), FileEdit("link", "x", "y")])

    assert files(tmp_path) == {"outside": "x", "p/link": "x"}


def test_a_folder_in_the_way(tmp_path: Path) -> None:
    """It is named, and nothing was written."""
    (tmp_path / "d").mkdir()

    with pytest.raises(Refused, match="d is a folder"):
        write(str(tmp_path), [FileEdit("a", None, "y"), FileEdit("d", None, "y")])

    assert files(tmp_path) == {}


def test_a_failure_before_the_first_rename_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the disk is full at the second file, all are as they were, and no trace is left."""
    for name in "abc":
        (tmp_path / name).write_text("old")
    calls: list[int] = []

    def full(handle: int) -> None:
        calls.append(handle)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Refused, match="No space left"):
        write(
            str(tmp_path), [FileEdit("new/x", None, "new"), *(FileEdit(name, "old", "new") for name in "abc")]
        )

    assert files(tmp_path) == dict.fromkeys("abc", "old")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("step", range(1, 6))
def test_a_failed_step_takes_back_those_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """A target that is a mount point, say: nothing was written, and what was there keeps its rights."""
    old = {"a": "old a", "gone": "old", "sub/b": "old b"}
    for path, text in old.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
        (tmp_path / path).chmod(0o600)
    changes = [
        FileEdit("a", "old a", "new a"),
        FileEdit("x/y/new", None, "new"),
        FileEdit("sub/b", "old b", "new b"),
        FileEdit("gone", "old", None),
    ]
    calls = list[str]()

    def failing(real: Callable[..., None]) -> Callable[..., None]:
        def call(*paths: str) -> None:
            if ".krmkit-work" not in paths[-1] and len(calls) < step:
                calls.append(paths[-1])
                if len(calls) == step:
                    raise OSError(16, "Device or resource busy", paths[0], None, paths[-1])
            real(*paths)

        return call

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", failing(os.replace))
        patched.setattr(os, "remove", failing(os.remove))
        if step == 5:
            write(str(tmp_path), changes)  # there are only four steps
        else:
            with pytest.raises(
                Refused, match=r"cannot write .*: Device or resource busy; nothing was written"
            ):
                write(str(tmp_path), changes)

    if step == 5:
        assert files(tmp_path) == {"a": "new a", "x/y/new": "new", "sub/b": "new b"}
        return
    assert files(tmp_path) == old
    assert not (tmp_path / "x").exists()
    assert {(tmp_path / path).stat().st_mode & 0o777 for path in old} == {0o600}


def test_a_file_in_the_way(tmp_path: Path) -> None:
    """It is named as what it is, for one file and for a folder."""
    (tmp_path / "f").write_text("x")

    with pytest.raises(Refused, match="f is a file, where a folder is to be made"):
        write(str(tmp_path), [FileEdit("f/a", None, "y")])
    with pytest.raises(Refused, match="f is a file, where a folder is to be made"):
        write_folder(str(tmp_path / "f" / "out"), [FileEdit("a", None, "y")])

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
    changes = [FileEdit("a", "old", "new"), FileEdit("b", "old", "new"), FileEdit("gone", "old", None)]

    if after is None:
        with pytest.raises(Refused, match="b was changed by somebody else while this ran; nothing was"):
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
    code = "import sys\nsys.path.insert(0, sys.argv[1])\nfrom krmkit.storage.disk.write import FileEdit, write\nprint(flush=True)\nwrite(sys.argv[2], [FileEdit('a', 'old', 'new')])"
    source = str(Path(__file__).parents[4] / "shared")
    waiting = subprocess.Popen([sys.executable, "-c", code, source, str(tmp_path)], stdout=subprocess.PIPE)
    assert waiting.stdout is not None
    waiting.stdout.readline()

    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(0.5)
    assert files(tmp_path) == {"a": "old"}
    os.close(handle)
    waiting.stdout.close()
    assert waiting.wait(MOST) == 0
    assert files(tmp_path) == {"a": "new"}


HOLD = """
import sys
sys.path.insert(0, sys.argv[1])
from krmkit.storage.disk.write import FileEdit, Writer
print("begin", flush=True)
with Writer(sys.argv[2]) as writer:
    print("writes", flush=True)
    sys.stdin.readline()
    writer.put([FileEdit("a", None, sys.argv[2])])
"""


def hold(root: Path) -> subprocess.Popen[bytes]:
    """A process that begins to write to a folder and goes on when it reads a line."""
    source = str(Path(__file__).parents[4] / "shared")
    made = subprocess.Popen(
        [sys.executable, "-c", HOLD, source, str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,  # what has been read but not asked for would be hidden from select
    )
    assert says(made, 60) == "begin\n"
    return made


def says(process: subprocess.Popen[bytes], seconds: float) -> str:
    """The line that a process says within some time, "" for nothing."""
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], seconds)
    return process.stdout.readline().decode() if ready else ""


def end(process: subprocess.Popen[bytes]) -> None:
    process.communicate(b"\n", timeout=MOST)
    assert process.returncode == 0


@pytest.mark.parametrize(
    "order", [("", "sub/deep"), ("sub/deep", ""), ("sub", "sub/deep"), ("sub/deep", "sub")]
)
def test_a_package_and_its_subpackages(tmp_path: Path, order: tuple[str, str]) -> None:
    """Who writes to a package waits for one who writes to a package above or below it, and the other way round."""
    pytest.importorskip("fcntl")
    deep = tmp_path / "sub/deep"
    deep.mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "sub", deep):
        (folder / "Kptfile").write_text("")
    first = hold(tmp_path / order[0])
    assert says(first, 60) == "writes\n"
    second = hold(tmp_path / order[1])

    assert says(second, 0.5) == ""
    end(first)
    assert says(second, 60) == "writes\n"
    end(second)
    assert (tmp_path / order[0] / "a").read_text() == str(tmp_path / order[0])


def test_subpackages_beside_each_other(tmp_path: Path) -> None:
    """They do not wait for each other, and the package that they lie in waits for both."""
    pytest.importorskip("fcntl")
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in (tmp_path, *folders):
        folder.mkdir(exist_ok=True)
        (folder / "Kptfile").write_text("")
    below = [hold(folder) for folder in folders]
    assert [says(process, 60) for process in below] == ["writes\n"] * 2
    above = hold(tmp_path)
    end(below[0])

    assert says(above, 0.5) == ""
    end(below[1])
    assert says(above, 60) == "writes\n"
    end(above)


def test_a_killed_run_above_comes_first(tmp_path: Path) -> None:
    """What was to be written to a package above is in place before a subpackage is written to."""
    sub = tmp_path / "sub"
    sub.mkdir()
    (sub / "a").write_text("old")
    (tmp_path / WORK).mkdir()
    (tmp_path / WORK / "new-1").write_text("of the run that was killed")
    Journal(str(tmp_path), [JournalStep("sub/a", f"{WORK}/new-1", "", digest(str(sub / "a")))]).save()

    with Writer(str(sub)) as writer:
        notes = writer.notes
        assert (sub / "a").read_text() == "of the run that was killed"

    assert len(notes) == 1
    assert "a run was killed while it put 1 file into place; completed it" in notes[0]
    assert not (tmp_path / WORK).exists()


def test_a_link_that_goes(tmp_path: Path) -> None:
    """The link is removed, wherever it leads; what it leads to stays."""
    root = tmp_path / "p"
    root.mkdir()
    (tmp_path / "outside").write_text("x")
    (root / "link").symlink_to("../outside")

    write(str(root), [FileEdit("link", "x", None)])

    assert files(tmp_path) == {"outside": "x"}
    assert not (root / "link").is_symlink()


def test_write_folder(tmp_path: Path) -> None:
    """A folder appears whole; one that is there is left alone."""
    write_folder(str(tmp_path / "x" / "out"), [FileEdit("a/b", None, "1"), FileEdit("c", None, "2")])

    assert files(tmp_path) == {"x/out/a/b": "1", "x/out/c": "2"}
    with pytest.raises(Refused, match="is there already"):
        write_folder(str(tmp_path / "x" / "out"), [FileEdit("c", None, "3")])
    assert files(tmp_path) == {"x/out/a/b": "1", "x/out/c": "2"}


STEPS = ("open", "fsync", "replace", "remove", "link", "mkdir", "makedirs", "fchmod", "rmdir")
CRASH = """
import os, shutil, sys
sys.path.insert(0, sys.argv[1])
import json, hashlib
from krmkit.storage.disk.write import FileEdit, write

left = int(sys.argv[3])
failing = int(sys.argv[4])


def crashing(name, real):
    def step(*words, **more):
        global left, failing
        if left == 0:
            os._exit(9)
        left -= 1
        if name in ("replace", "remove") and ".krmkit-work" not in words[-1]:
            failing -= 1
            if failing == 0:
                raise OSError(16, "busy", words[0])
        return real(*words, **more)

    return step


for name in {steps!r}:
    setattr(os, name, crashing(name, getattr(os, name)))
write(sys.argv[2], [FileEdit("a", "old a", "new a"), FileEdit("b", "old b", "new b"), FileEdit("x/c", None, "new c"), FileEdit("d", "old d", None)])
"""


@pytest.mark.slow
@pytest.mark.parametrize("failing", [0, 3], ids=["all goes well", "the third step fails"])
def test_a_crash_at_any_step(tmp_path: Path, project: Path, failing: int) -> None:
    """Ended after each single call to the file system in turn, no content is lost, and the next run brings all files to
    one state: the old one before the journal was written, the new one since; the old one if a step had failed."""
    old = {"a": "old a", "b": "old b", "d": "old d"}
    new = {"a": "new a", "b": "new b", "x/c": "new c"}
    program = CRASH.replace("{steps!r}", repr(STEPS))
    found, ends = {}, []
    for steps in range(200):
        root = tmp_path / str(steps)
        root.mkdir()
        for name, text in old.items():
            (root / name).write_text(text)
        words = [str(project / "shared"), str(root), str(steps), str(failing)]
        done = subprocess.run([sys.executable, "-c", program, *words], check=False, capture_output=True)
        between = set(files(root).values())
        assert set(old.values()) <= between or set(new.values()) <= between, steps

        notes = recover(str(root))
        with Writer(str(root)):
            pass
        found = files(root)
        assert found in (old, new), steps
        assert bool(notes) <= (done.returncode == 9)
        ends.append(found == new)
        if done.returncode != 9:
            break

    assert steps > 30
    if failing:
        # Completed while nobody knew that a step would fail; taken back since.
        assert ends.index(True) > 10
        assert not ends[-1]
    else:
        assert ends == sorted(ends)
        assert ends[-1]


def test_owner_and_rights_of_a_source(tmp_path: Path) -> None:
    """A copy has the rights of its source, a text those of the file it is like; who may set the owner keeps it."""
    root = tmp_path / "p"
    root.mkdir()
    for name, mode in (("script", 0o755), ("secret", 0o600)):
        (tmp_path / name).write_text(name)
        (tmp_path / name).chmod(mode)
    (root / "mine").write_text("old")
    if os.geteuid() == 0:
        os.chown(root / "mine", 1234, 2345)

    write(
        str(root),
        [
            FileEdit("script", None, "", str(tmp_path / "script")),
            FileEdit("secret", None, "text", like=str(tmp_path / "secret")),
            FileEdit("mine", "old", "new"),
        ],
    )

    assert (root / "script").stat().st_mode & 0o777 == 0o755
    assert (root / "secret").stat().st_mode & 0o777 == 0o600
    if os.geteuid() == 0:
        assert ((root / "mine").stat().st_uid, (root / "mine").stat().st_gid) == (1234, 2345)
    assert files(root) == {"script": "script", "secret": "text", "mine": "new"}


def test_same_content_is_not_written_again(tmp_path: Path) -> None:
    """Only the rights may have changed, which is a change."""
    (tmp_path / "a").write_text("x")
    before = (tmp_path / "a").stat()

    write(str(tmp_path), [FileEdit("a", None, "x")])
    assert (tmp_path / "a").stat().st_ino == before.st_ino

    (tmp_path / "like").write_text("")
    (tmp_path / "like").chmod(0o755)
    write(str(tmp_path), [FileEdit("a", None, "x", like=str(tmp_path / "like"))])
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o755


def test_a_pipe_is_no_source(tmp_path: Path) -> None:
    """It is refused at once, where a read would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Refused, match="pipe: must be a regular file"):
        write(str(tmp_path / "p"), [FileEdit("pipe", None, "", str(tmp_path / "pipe"))])


def test_two_who_make_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each prepares it under a name of its own: who is first makes it whole, the other is told, and nothing else is left."""
    target = str(tmp_path / "new")
    put = Writer.put
    others = [[FileEdit("b", None, "2")]]

    def overtaken(writer: Writer, changes: list[FileEdit]) -> None:
        if others:
            write_folder(target, others.pop())
        put(writer, changes)

    monkeypatch.setattr(Writer, "put", overtaken)
    with pytest.raises(Refused, match="new is there already"):
        write_folder(target, [FileEdit("a", None, "1")])

    assert files(tmp_path) == {"new/b": "2"}
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_folder_that_is_being_made_is_no_leftover(tmp_path: Path) -> None:
    """What a killed run left beside a new folder goes; what a living one is making there stays."""
    dead, living = tmp_path / f".new.1{MARK}", tmp_path / f".new.2{MARK}"
    for folder in (dead, living):
        folder.mkdir()
        (folder / "a").write_text("x")

    with FolderLock(str(living)):
        write_folder(str(tmp_path / "new"), [FileEdit("a", None, "1")])

    assert files(tmp_path) == {f".new.2{MARK}/a": "x", "new/a": "1"}
