"""Random histories of a cluster profile: people edit the package, Palette's file changes, and no edit of either is lost."""

from __future__ import annotations

import copy
import os
import re
import shutil
from pathlib import Path
from random import Random

import pytest

from krmkit.krm.errors import Refused
from tests.property import profilehistories as model
from tests.property.profilehistories import Editor, State, Target
from tests.unit.render.conversion.profiles import bring, take

ROUNDS = 3
FORMS = {
    "export": "json",
    "create": "json",
    "read": "json",
    "flat": "yaml",
    "terraform": "tf",
    "crossplane": "yaml",
}
SEED = int(os.environ.get("KRMKIT_SEED", "0"))
MANY = int(os.environ.get("KRMKIT_MANY_PROFILES", "60"))


class History:
    """A package and the file that it is imported from, with both as plain data; `form`: of the file."""

    def __init__(self, folder: Path, chance: Random, form: str) -> None:
        self.folder, self.chance, self.form = folder, chance, form
        self.package = folder / "pkg"
        self.file = folder / f"profile.{FORMS[form]}"
        self.here = model.new_state(chance)
        self.there = copy.deepcopy(self.here)
        self.ours: set[Target] = set()
        self.shuffled: set[Target] = set()
        self.publish()
        bring(self.file, self.package)
        (self.package / "notes.md").write_text("ours\n", "utf-8")

    def scratch(self, state: State, masked: frozenset[Target] = frozenset()) -> Path:
        """A fresh package with a state of the profile."""
        place = self.folder / "scratch"
        shutil.rmtree(place, ignore_errors=True)
        (self.folder / "scratch.json").write_text(model.export_text(state, masked), "utf-8")
        bring(self.folder / "scratch.json", place)
        return place

    def publish(self, masked: frozenset[Target] = frozenset()) -> None:
        """Write the file as Palette has the profile now."""
        self.file.unlink(missing_ok=True)
        take(self.scratch(self.there, masked), self.file, self.form)

    def edit_package(self) -> None:
        """Make the package's items what a person's edits make of them."""
        self.save()
        fresh = self.scratch(self.here)
        if self.form != "export":
            file = self.folder / f"mine.{FORMS[self.form]}"
            file.unlink(missing_ok=True)
            take(fresh, file, self.form)
            shutil.rmtree(fresh)
            bring(file, fresh)
        for path in self.package.glob("*.yaml"):
            if not (fresh / path.name).exists():
                path.unlink()
        for path in fresh.glob("*.yaml"):
            shutil.copy(path, self.package / path.name)

    def save(self) -> None:
        shutil.rmtree(self.folder / "before", ignore_errors=True)
        shutil.copytree(self.package, self.folder / "before")

    def exported(self, package: Path) -> str:
        """The profile of a package, through the form of the file, as the console exports it."""
        file, out = self.folder / f"out.{FORMS[self.form]}", self.folder / "out.json"
        for path in (file, out):
            path.unlink(missing_ok=True)
        take(package, file, self.form)
        if self.form == "export":
            return file.read_text("utf-8")
        shutil.rmtree(self.folder / "reread", ignore_errors=True)
        bring(file, self.folder / "reread")
        take(self.folder / "reread", out, "export")
        return out.read_text("utf-8")

    def round(self) -> None:
        """Edit both sides apart from each other, and import: the package has all edits, and masks never win."""
        editor = Editor(self.chance, "ours", set())
        editor.edits(self.here, self.there, self.chance.randint(1, 10))
        self.edit_package()
        self.ours |= editor.done
        upstream = Editor(self.chance, "theirs", self.ours)
        before = copy.deepcopy(self.there)
        edits = upstream.edits(self.there, self.here, self.chance.randint(1, 10))
        self.publish(self.masks(before))
        for edit in edits:
            edit(self.here)
        bring(self.file, self.package)
        self.shuffled |= upstream.done & {("order",), ("variables",)}
        self.compare()

    def masks(self, before: State) -> frozenset[Target]:
        """Values that the new file hides: of those that it does not change."""
        found: list[Target] = [("variable", one["name"]) for one in self.there["variables"] if one in before["variables"]
                               and one["name"] in {each["name"] for each in self.here["variables"]}]  # fmt: skip
        for layer in self.there["layers"]:
            old = [
                one for each in before["layers"] if each["name"] == layer["name"] for one in each["values"]
            ]
            mine = [
                one["key"]
                for each in self.here["layers"]
                if each["name"] == layer["name"]
                for one in each["values"]
            ]
            found += [
                ("value", layer["name"], one["key"])
                for one in layer["values"]
                if one in old and one["key"] in mine
            ]
        return frozenset(self.chance.sample(found, min(len(found), self.chance.randint(0, 3))))

    def compare(self) -> None:
        got, wanted = self.exported(self.package), self.exported(self.scratch(self.here))
        told, meant = model.told(got), model.told(wanted)
        for part in meant:
            assert told[part] == meant[part]
        if not self.ours & {("order",), ("variables",)}:
            assert model.order(got) == model.order(wanted)
        assert (self.package / "notes.md").read_text("utf-8") == "ours\n"
        self.save()
        bring(self.file, self.package)
        assert contents(self.package) == contents(self.folder / "before"), "a second import changes nothing"

    def clash(self) -> None:
        """Change one value on both sides: the import stops, names it and changes nothing; --on-conflict decides."""
        editor = Editor(self.chance, "ours", self.ours)
        target = model.common_key(editor, self.here, self.there)
        if target is None or not editor.takes(target):
            return
        theirs = f"there{self.chance.randrange(10_000)}"
        model.entry(self.here, target)["value"] = "here"
        self.edit_package()
        model.entry(self.there, target)["value"] = theirs
        self.publish()
        self.save()
        with pytest.raises(Refused, match="in conflict") as refused:
            bring(self.file, self.package)
        file, line = re.findall(r"^  (\S+?):(\d+):", str(refused.value), re.MULTILINE)[0]
        assert target[2] in (self.package / file).read_text("utf-8").splitlines()[int(line) - 1]
        assert contents(self.package) == contents(self.folder / "before")
        policy = self.chance.choice(("local", "upstream"))
        if policy == "upstream":
            model.entry(self.here, target)["value"] = theirs
        else:
            self.ours.add(target)
        bring(self.file, self.package, policy=policy)
        self.compare()


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run(folder: Path, seed: int) -> None:
    chance = Random(seed)
    history = History(folder, chance, chance.choice(list(FORMS)))
    for _ in range(ROUNDS):
        history.round()
        if chance.random() < 0.5:
            history.clash()


@pytest.mark.parametrize("seed", range(SEED, SEED + 30))
def test_histories(tmp_path: Path, seed: int) -> None:
    run(tmp_path, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEED + 1000, SEED + 1000 + MANY))
def test_many_histories(tmp_path: Path, seed: int) -> None:
    run(tmp_path, seed)
