"""krmkit.fleet.sync.mainline: the branch main has what is published, and keeps what people put there."""

from __future__ import annotations

import pytest

from tests.unit.fleet.sync.memorygit import Fleet, MemoryRepository
from tests.unit.fleet.sync.test_wholesync import APP, KPTFILE, variants

MAIN = "refs/heads/main"


@pytest.fixture
def fleet() -> Fleet:
    up = MemoryRepository()
    up.refs["refs/tags/web/v1"] = up.commit(MAIN, "web", {"Kptfile": KPTFILE, "app.yaml": APP})
    fleet = Fleet({"up": up, "down": MemoryRepository()})
    fleet.sync({"a.yaml": variants("x:a", "y:a/b")}, approve="auto")
    return fleet


def release(fleet: Fleet, app: str) -> None:
    up = fleet.repositories["up"]
    up.refs["refs/tags/web/v1"] = up.commit(MAIN, "web", {"Kptfile": KPTFILE, "app.yaml": app})


def main_files(fleet: Fleet) -> dict[str, str]:
    return fleet.repositories["down"].files(MAIN, "a")


def change(fleet: Fleet, path: str, text: str | None) -> None:
    """A person's commit on main; None removes the file."""
    files = {**main_files(fleet), path: text or ""}
    if text is None:
        del files[path]
    fleet.repositories["down"].commit(MAIN, "a", files)


def test_packages_in_each_other(fleet: Fleet) -> None:
    """Both are there, also after the outer one has a new version."""
    assert {"app.yaml", "b/app.yaml"} <= main_files(fleet).keys()
    release(fleet, APP.replace("'1'", "'2'"))

    fleet.sync({"a.yaml": variants("x:a")}, approve="auto")

    assert "'2'" in main_files(fleet)["app.yaml"] and "'1'" in main_files(fleet)["b/app.yaml"]


def test_files_by_hand_stay(fleet: Fleet) -> None:
    """A file that somebody put into a package's folder is none of the sync's."""
    change(fleet, "notes/todo.txt", "mine")
    release(fleet, APP.replace("'1'", "'2'"))

    fleet.sync({"a.yaml": variants("x:a", "y:a/b")}, approve="auto")

    assert main_files(fleet)["notes/todo.txt"] == "mine" and "'2'" in main_files(fleet)["app.yaml"]


def test_what_is_missing_comes_back(fleet: Fleet) -> None:
    """The next sync puts it back, says so, and then has nothing to do."""
    change(fleet, "app.yaml", None)
    files = {"a.yaml": variants("x:a", "y:a/b")}

    status = fleet.sync(files, dry=True)
    sync = fleet.sync(files)

    assert [one.actions for one in sync.outcomes if one.name == "-"] == [["put back in main: a/app.yaml"]]
    assert status.main_behind and main_files(fleet)["app.yaml"].endswith("a: '1'\n")
    assert not fleet.sync(files).changed()


def test_what_differs_by_hand_is_named(fleet: Fleet) -> None:
    """It stays where a version changes the file, which waits for a person; who publishes that version has it replaced, and named."""
    change(fleet, "app.yaml", "mine")
    files = {"a.yaml": variants("x:a", "y:a/b")}

    sync = fleet.sync(files)
    assert [one.drift for one in sync.outcomes if one.name == "-"] == [
        ["main differs by hand from a v1: a/app.yaml"]
    ]
    assert main_files(fleet)["app.yaml"] == "mine"

    release(fleet, APP.replace("'1'", "'2'"))
    sync = fleet.sync(files, approve="auto")
    down = fleet.repositories["down"]
    assert [one.held for one in sync.outcomes if one.package == "down/a"] == [True]
    assert main_files(fleet)["app.yaml"] == "mine" and "refs/tags/a/v2" not in down.refs

    down.refs["refs/tags/a/v2"] = down.refs.pop("refs/heads/drafts/a/packagevariant-2")
    sync = fleet.sync(files, approve="auto")
    assert "main had other contents by hand, now replaced: a/app.yaml" in [
        text for one in sync.outcomes for text in one.drift
    ]
    assert "'2'" in main_files(fleet)["app.yaml"]


def test_a_new_file_that_is_there_by_hand(fleet: Fleet) -> None:
    """A version that brings a file of that name waits, until the person's one is gone."""
    change(fleet, "new.yaml", "mine")
    up = fleet.repositories["up"]
    files = {"Kptfile": KPTFILE, "app.yaml": APP, "new.yaml": APP.replace("name: app", "name: new")}
    up.refs["refs/tags/web/v1"] = up.commit(MAIN, "web", files)
    variant = {"a.yaml": variants("x:a")}

    sync = fleet.sync(variant, approve="auto")
    conflicts = [text for one in sync.outcomes for text in one.conflicts]
    assert len(conflicts) == 1 and conflicts[0].startswith("a/new.yaml: main has another content by hand")
    assert main_files(fleet)["new.yaml"] == "mine"

    change(fleet, "new.yaml", None)
    fleet.sync(variant, approve="auto")
    assert "name: new" in main_files(fleet)["new.yaml"]


def test_a_version_whose_tag_is_gone(fleet: Fleet) -> None:
    """Main goes back to the newest version there is; nobody is said to have edited it by hand."""
    files = {"a.yaml": variants("x:a")}
    fleet.sync(files, approve="auto")
    release(fleet, APP.replace("'1'", "'2'"))
    fleet.sync(files, approve="auto")
    del fleet.repositories["down"].refs["refs/tags/a/v2"]

    sync = fleet.sync(files)

    drift = [text for one in sync.outcomes for text in one.drift]
    assert drift == ["main had a v2, whose tag is gone, now replaced: a/Kptfile, a/app.yaml"]
    assert "'1'" in main_files(fleet)["app.yaml"]


def test_a_new_version_after_a_tag_is_gone(fleet: Fleet) -> None:
    """It gets the number of the one that is gone, and main its content; nothing waits, and the next sync is idle."""
    files = {"a.yaml": variants("x:a")}
    fleet.sync(files, approve="auto")
    for number in "23":
        release(fleet, APP.replace("'1'", f"'{number}'"))
        sync = fleet.sync(files, approve="auto")
        if number == "2":
            del fleet.repositories["down"].refs["refs/tags/a/v2"]

    assert [text for one in sync.outcomes for text in one.conflicts] == []
    drift = [text for one in sync.outcomes for text in one.drift]
    assert drift == ["main had a v2, whose tag is gone, now replaced: a/Kptfile, a/app.yaml"]
    assert "'3'" in main_files(fleet)["app.yaml"]
    refs = dict(fleet.repositories["down"].refs)
    fleet.sync(files, approve="auto")
    assert fleet.repositories["down"].refs == refs
