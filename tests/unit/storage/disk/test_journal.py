"""krmkit.storage.disk.journal: what a killed run left is completed, unless that could harm."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from krmkit.krm.errors import Refused
from krmkit.storage.disk import journal, primitives
from krmkit.storage.disk.folders import WORK
from krmkit.storage.disk.journal import JOURNAL, Journal, JournalStep, recover, recover_above
from krmkit.storage.disk.primitives import FolderLock, digest
from tests.opened import openings_and_renames


def killed(root: Path, back: bool = False) -> None:
    """A folder whose run was killed when it was to move a text from a to z: z is written, a is not."""
    (root / WORK).mkdir(parents=True)
    (root / "a").write_text("1 2")
    (root / "z").write_text("2")
    (root / WORK / "new-1").write_text("1")
    os.link(root / "a", root / WORK / "old-0")
    steps = [
        JournalStep("z", f"{WORK}/new-2", "", ""),
        JournalStep("a", f"{WORK}/new-1", f"{WORK}/old-0", digest(str(root / "a"))),
    ]
    made = Journal(str(root), steps)
    made.save()
    if back:
        made.turn()


def files(root: Path) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*") if path.is_file()}


def test_the_journal_appears_whole(tmp_path: Path) -> None:
    """It gets its name when it is complete: nobody opens it under that name to write, where a kill would leave half of it."""
    journal = str(tmp_path / JOURNAL)
    with openings_and_renames(journal) as (opened, renamed):
        killed(tmp_path)

    assert len(renamed) == 1
    assert not opened


@pytest.mark.parametrize("back", [False, True], ids=["completed", "taken back"])
def test_recover(tmp_path: Path, back: bool) -> None:
    """One sentence says what was done; the second time nothing is left to do."""
    killed(tmp_path, back)

    notes = recover(str(tmp_path))

    assert files(tmp_path) == ({"a": "1 2"} if back else {"a": "1", "z": "2"})
    done = "took it back" if back else "completed it"
    assert notes == [f"{tmp_path}: a run was killed while it put 2 files into place; {done}"]
    assert recover(str(tmp_path)) == []


def test_a_file_that_was_changed_since_stays(tmp_path: Path) -> None:
    """Nothing is touched, and the message says which file it is; put back, the run is completed."""
    killed(tmp_path)
    (tmp_path / "a").unlink()
    (tmp_path / "a").write_text("mine")
    before = files(tmp_path)

    with pytest.raises(
        Refused, match=r"a was changed since\. Put that file back as it was, or delete \.krmkit-work"
    ):
        recover(str(tmp_path))
    assert files(tmp_path) == before

    (tmp_path / "a").write_text("1 2")
    assert len(recover(str(tmp_path))) == 1
    assert files(tmp_path) == {"a": "1", "z": "2"}


BAD = {
    "no JSON": "{",
    "no journal": "[]",
    "another version": {"version": 2, "steps": [], "prune": []},
    "too few texts": {"version": 1, "steps": [["a", ""]], "prune": []},
    "a number": {"version": 1, "steps": [["a", "", "", 1]], "prune": []},
    "outside": {"version": 1, "steps": [["../a", f"{WORK}/x", "", ""]], "prune": []},
    "from the root": {"version": 1, "steps": [["/etc/a", f"{WORK}/x", "", ""]], "prune": []},
    "in .GIT, which is .git on some file systems": {
        "version": 1,
        "steps": [["sub/.GIT/hooks/pre-commit", f"{WORK}/x", "", ""]],
        "prune": [],
    },
    "in .git": {"version": 1, "steps": [[".git/hooks/pre-commit", f"{WORK}/x", "", ""]], "prune": []},
    "through a link": {"version": 1, "steps": [["link/a", f"{WORK}/x", "", ""]], "prune": []},
    "from elsewhere": {"version": 1, "steps": [["a", "other", "", ""]], "prune": []},
    "a folder outside": {"version": 1, "steps": [], "prune": ["../x"]},
    "NUL": {"version": 1, "steps": [["a\0b", f"{WORK}/x", "", ""]], "prune": []},
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_a_journal_of_somebody_else(tmp_path: Path, bad: object) -> None:
    """A package may come from anywhere: a journal that leads out of it, or is none, is refused, and all stays."""
    root = tmp_path / "p"
    (root / WORK).mkdir(parents=True)
    (root / WORK / "x").write_text("evil")
    (tmp_path / "a").write_text("mine")
    (root / "link").symlink_to(tmp_path)
    (root / JOURNAL).write_text(bad if isinstance(bad, str) else json.dumps(bad))
    before = files(tmp_path)

    with pytest.raises(Refused, match="cannot be read as the journal of a killed run"):
        recover(str(root))

    assert files(tmp_path) == before


def test_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal above is carried out if it is ours, and left alone if it is somebody else's."""
    killed(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 4321)
    assert recover_above(str(tmp_path / "p/q")) == []
    monkeypatch.undo()

    assert len(recover_above(str(tmp_path / "p/q"))) == 1
    assert files(tmp_path) == {"a": "1", "z": "2"}


def test_nobody_waits_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock that is held for too long ends in a message that says what to do."""
    monkeypatch.setattr(primitives, "PATIENCE", 0.0)
    with (
        FolderLock(str(tmp_path)),
        pytest.raises(Refused, match="another run of krmkit has been writing here"),
    ):
        FolderLock(str(tmp_path)).__enter__()


def test_what_was_only_prepared_goes(tmp_path: Path) -> None:
    """A run that was killed without a journal, before or after its work, leaves nothing for good; one that works is left alone."""
    work = tmp_path / WORK
    work.mkdir()
    (work / "new-1").write_text("1")
    with FolderLock(str(tmp_path)):
        assert recover(str(tmp_path)) == [] and work.is_dir()

    assert recover(str(tmp_path)) == []

    assert not work.exists()
    outside = tmp_path / "outside"
    outside.mkdir()
    work.symlink_to(outside)
    assert recover(str(tmp_path)) == [] and outside.is_dir()


@pytest.mark.parametrize(
    "kind", ["a device", "a link to a file", "a pipe", "a folder", "a linked work folder", "a large file"]
)
def test_a_journal_of_another_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """git can carry a link to /dev/zero: it is refused, and so is whatever could be read without end."""
    place = tmp_path / "p" / JOURNAL
    place.parent.mkdir(parents=True)
    text = '{"version": 1, "steps": [], "prune": []}'
    if kind == "a device":
        place.symlink_to("/dev/zero")
    elif kind == "a link to a file":
        (tmp_path / "x").write_text(text)
        place.symlink_to(tmp_path / "x")
    elif kind == "a pipe":
        os.mkfifo(place)
    elif kind == "a folder":
        place.mkdir()
    elif kind == "a large file":
        monkeypatch.setattr(journal, "LARGEST", 10)
        place.write_text(text)
    else:
        place.write_text(text)
        place.parent.rename(tmp_path / "w")
        place.parent.symlink_to(tmp_path / "w")

    with pytest.raises(Refused, match="cannot be read as the journal of a killed run"):
        recover(str(tmp_path / "p"))
    assert os.path.lexists(place)
