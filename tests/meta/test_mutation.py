"""The tool that changes the library: which changes it makes, and that its tests see them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tools import mutate
from tools.definitions import ROOT
from tools.mutation.mutants import Mutant, mutants
from tools.mutation.running import changed_functions, run

CHANGES = [
    pytest.param("x = a == b", {"x = (a != b)"}, id="comparison"),
    pytest.param("x = a < 1", {"x = (a <= 1)", "x = a < 2"}, id="bound"),
    pytest.param("x = a and b", {"x = (a or b)", "x = (a)", "x = (b)"}, id="operands"),
    pytest.param("x = a if b else c", {"x = (a)", "x = (c)"}, id="branches"),
    pytest.param("x = [a for a in b if a.c]", {"x = [a for a in b if True]"}, id="filter"),
    pytest.param("if a:\n    b()", {"if (not (a)):", "pass"}, id="condition"),
    pytest.param("def f():\n    return a", {"return"}, id="return"),
    pytest.param("def f():\n    return None", {"return 0"}, id="return of nothing"),
    pytest.param("x = {'name': True}", {"x = {'name~': True}", "x = {'name': False}"}, id="constants"),
    pytest.param("x = f(\n    not a,\n)", {"(a),"}, id="lines stay"),
    pytest.param(
        '"""Says a."""\nif TYPE_CHECKING:\n    import a\nx: "A"\ny = f"{a + b}"\nz = "two words"\nu = zip(a, b, strict=True)',
        set(),
        id="none",
    ),
]


@pytest.mark.parametrize(("text", "expected"), CHANGES)
def test_changes(text: str, expected: set[str]) -> None:
    """Each is one line, with the text of before beside it; texts for people, and what no run reads, stay."""
    found = mutants("a.py", text)

    assert {one.new for one in found} == expected
    assert all(len(one.text.splitlines()) == len(text.splitlines()) for one in found)


def test_the_function_that_a_change_changes() -> None:
    """A change inside a function has its new code; one of a module's own lines has none."""
    path = "shared/krmkit/libraries/messages/listed.py"
    found = mutants(path, (ROOT / path).read_text("utf-8"))
    inside = [one for one in found if changed_functions(one)]

    assert inside and {name for one in inside for _, name, _ in changed_functions(one)} >= {"listed"}


@pytest.mark.parametrize("new", ["return (value)", "return (filled)"])
def test_a_change_that_takes_a_comprehension_away(new: str) -> None:
    """What held it has the new code."""
    path = "shared/krmkit/libraries/schema/openapi.py"
    found = mutants(path, (ROOT / path).read_text("utf-8"))
    (one,) = [one for one in found if one.new == new and "any(" in one.old]

    assert {name for _, name, _ in changed_functions(one)} == {"fill_defaults"}


def test_a_module_that_the_tool_has_loaded(tmp_path: Path) -> None:
    """A change of its own lines is tested, too, though it was imported before."""
    path = "shared/krmkit/krm/errors.py"
    text = (ROOT / path).read_text("utf-8")
    test = tmp_path / "test_change.py"
    test.write_text(
        "from krmkit.krm import errors\n\n\ndef test_change():\n    assert not hasattr(errors, 'changed')\n",
        "utf-8",
    )
    told = []

    changes = [Mutant(path, 1, "", "", text), Mutant(path, 1, "", "", f"{text}\nchanged = True\n")]
    assert run(changes, [str(test)], lambda mutant, killed: told.append(killed))

    assert told == [False, True]


def test_rooms(tmp_path: Path) -> None:
    """A room has the tests of its place; what is added for one is there; a name that means nothing, or two rooms, is refused."""
    assert mutate.room_of("palette") == mutate.LIBRARY / "systems/palette"
    assert mutate.near(mutate.LIBRARY / "kpt/source.py")
    for name, tests in yaml.safe_load(mutate.ROOMS.read_text("utf-8")).items():
        assert (mutate.LIBRARY / name).is_dir(), name
        assert [path for path in tests if not (ROOT / path).exists()] == []
    kpt, merge = (mutate.near(mutate.LIBRARY / name) for name in ("kpt", "kpt/merge/lines.py"))
    assert "tests/unit/cli/test_pkg.py" in kpt and "tests/unit/cli/test_pkg.py" in merge
    assert "tests/unit/kpt" in kpt and "tests/unit/kpt/merge/test_lines.py" in merge
    for name in ("no-such-room", "__init__"):
        with pytest.raises(mutate.RoomError, match="ROOM must be one folder or module"):
            mutate.room_of(name)


def test_listed_changes_are_made() -> None:
    """What is listed as equal names lines that are there, with a reason."""
    for one in yaml.safe_load(mutate.EQUAL.read_text("utf-8")) or []:
        assert set(one) == {"file", "old", "new", "reason"}
        found = mutants(one["file"], (ROOT / one["file"]).read_text("utf-8"))
        assert (one["file"], one["old"], one["new"]) in {each.key for each in found}, one
