"""Random histories of branches beside a plain model of lines and files: nothing is lost in silence, nothing else differs.

People edit drafts and published versions in every way of `personedits`, amend, squash, publish, and take main on; the
upstream moves on, two fleets work in one repository. KRMKIT_BRANCHES sets how many histories are tried, KRMKIT_SEED
which.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable

import pytest

from krmkit.fleet.sync.outcome import SyncOutcome
from krmkit.storage.git.program import GitError
from tests.e2e.branchmodel import Files, came_back, lines_of, unsaid, untouched, written
from tests.e2e.personedits import EDITS, MADE, STEPS, upstream
from tests.unit.fleet.sync.memorygit import Fleet, MemoryRepository, outcome_of

HISTORIES = int(os.environ.get("KRMKIT_BRANCHES", "120"))
MANY = int(os.environ.get("KRMKIT_MANY_BRANCHES", "0"))
SEED = int(os.environ.get("KRMKIT_SEED", "1"))
VARIANT = """\
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {{name: {name}, namespace: default}}
spec:
  upstream: {{repo: up, package: web, revision: {revision}}}
  downstream: {{repo: down, package: {name}}}
---
"""
OBJECTS = """\
apiVersion: config.porch.kpt.dev/v1alpha1
kind: Repository
metadata: {name: down, namespace: default}
spec: {deployment: true}
"""
EVENTS = (
    "edit",
    "edit",
    "edit",
    "amend",
    "squash",
    "release",
    "release",
    "publish",
    "main",
    "other fleet",
    "sync",
    "mode",
    "rewritten",
    "untag",
    "killed",
)
BINARY = bytes(range(256)).decode("utf-8", "surrogateescape")
happened: Counter[str] = Counter()
# What a history may end with: an error that names what a person has to do.
TOLD = (
    "people changed both",
    "carry the same",
    "occurs twice",
    "was added both",
    "a second ",
    "registered id",
    "symbolic link",
)


class History:
    """The package `x`, which people edit; `y`, which nobody does, is a fresh generation; `z` is another fleet's."""

    def __init__(self, number: int) -> None:
        self.chance = random.Random(f"{SEED}-{number}")
        self.steps = self.chance.choice([*STEPS])
        self.version = 1
        self.up, self.down = MemoryRepository(), MemoryRepository()
        self.fleet = Fleet({"up": self.up, "down": self.down}, objects=OBJECTS)
        self.told: list[str] = []  # conflicts since the branch was last clean
        self.story: list[str] = []
        self.newest = 0
        self.release(1)
        self.run("never")
        self.clean = self.files()  # the branch after the last sync
        self.base = self.fresh()  # the generation of the same version

    def release(self, version: int) -> None:
        files = upstream(self.steps, version) | {"logo.png": f"\0{version // 2}{BINARY}"}
        self.up.commit("refs/heads/main", "web", files, executable=["run.sh"])
        self.version = version
        self.up.refs[f"refs/tags/web/v{version}"] = self.up.refs["refs/heads/main"]

    def run(self, approve: str, killed: Callable[[int], bool] | None = None) -> SyncOutcome:
        text = "".join(VARIANT.format(name=name, revision=self.version) for name in ("x", "y"))
        return outcome_of(self.fleet.sync({"fleet.yaml": text}, approve=approve, killed=killed), "default/x")

    def ref(self, name: str = "x") -> str:
        drafts = [
            ref
            for ref in self.down.refs
            if ref.startswith((f"refs/heads/drafts/{name}/", f"refs/heads/proposed/{name}/"))
        ]
        return drafts[-1] if drafts else self.tags(name)[-1]

    def tags(self, name: str = "x") -> list[str]:
        found = [ref for ref in self.down.refs if ref.startswith(f"refs/tags/{name}/v")]
        return sorted(found, key=lambda ref: int(ref.rpartition("/v")[2]))

    def files(self, name: str = "x") -> Files:
        found = self.down.files(self.ref(name), name)
        found.pop("package-context.yaml", None)
        return found

    def fresh(self) -> Files:
        return {path: text.replace("  name: y\n", "  name: x\n") for path, text in self.files("y").items()}

    # What people do

    def edit(self, amend: bool = False) -> None:
        files = self.down.files(self.ref(), "x")
        before = dict(files)
        name = self.chance.choice([*EDITS])
        try:
            EDITS[name](files)
        except (AssertionError, KeyError, IndexError, StopIteration):
            return  # what it is about is gone
        if files == before:
            return
        self.story.append(name)
        happened["edits"] += 1
        ref, work = self.ref(), "refs/heads/work"
        self.down.refs[work] = self.down.refs[ref]
        self.down.commit(work, "x", files, amend=amend, executable=self.modes())
        self.put(self.down.refs.pop(work))

    def modes(self) -> set[str]:
        return self.down.executable(self.ref(), "x")

    def mode(self) -> None:
        """Another mode, a binary file, or, seldom, a link."""
        files, modes = self.down.files(self.ref(), "x"), self.modes()
        what = self.chance.choice(["mode", "mode", "binary", "binary", "link"])
        if what == "mode":
            modes ^= {self.chance.choice(sorted(files))}
        elif what == "binary":
            files[self.chance.choice(["logo.png", "größe.png"])] = f"\0{self.chance.randrange(9)}{BINARY}"
        link = "link" if what == "link" and self.chance.random() < 0.2 else ""
        self.story.append(link or what)
        work = "refs/heads/work"
        self.down.refs[work] = self.down.refs[self.ref()]
        self.down.commit(work, "x", files, executable=modes, link=link)
        self.put(self.down.refs.pop(work))

    def rewritten(self) -> None:
        """Upstream's history is made anew, without what was before."""
        self.up = self.fleet.repositories["up"] = MemoryRepository()
        self.release(self.version)

    def untag(self) -> None:
        """A person deletes the newest version."""
        tags = self.tags()
        if len(tags) > 1 and "/tags/" in self.ref():
            del self.down.refs[tags[-1]]
            self.clean, self.told = self.files(), ["a version is gone"]

    def put(self, commit: str) -> None:
        """A commit in place of the draft's, or as the next version."""
        ref = self.ref()
        self.down.refs[self.next_tag() if "/tags/" in ref else ref] = commit

    def next_tag(self) -> str:
        """The version above the newest one; a deleted one is not made again."""
        self.newest = max([self.newest, *(int(tag.rpartition("/v")[2]) for tag in self.tags())]) + 1
        return f"refs/tags/x/v{self.newest}"

    def squash(self) -> None:
        """The draft as one commit of its own."""
        if "/drafts/" in self.ref():
            files = self.down.files(self.ref(), "x")
            self.down.commit("refs/heads/work", "x", files, executable=self.modes())
            self.put(self.down.refs.pop("refs/heads/work"))

    def publish(self) -> None:
        if "/drafts/" in self.ref():
            commit = self.down.refs.pop(self.ref())
            self.down.refs[self.next_tag()] = commit
            self.told = []

    def in_main(self) -> None:
        """A change of main that a person tags as the next version."""
        main = "refs/heads/main"
        if (
            "/tags/" in self.ref()
            and main in self.down.refs
            and self.down.files(main, "x") == self.down.files(self.ref(), "x")
        ):
            files = {**self.down.files(main, "x"), "note.md": f"note {self.chance.randrange(99)} of main\n"}
            commit = self.down.commit(main, "x", files, executable=self.down.executable(main, "x"))
            self.down.refs[self.next_tag()] = commit

    def other(self) -> None:
        text = VARIANT.format(name="z", revision=self.version)
        before = {
            ref: oid
            for ref, oid in self.down.refs.items()
            if "/z/" not in ref and not ref.endswith(("/z", "main"))
        }
        self.fleet.sync({"other.yaml": text}, approve=self.chance.choice(["never", "auto"]))
        assert before.items() <= self.down.refs.items()

    # What must be so

    def sync(self, approve: str, killed: bool = False) -> bool:
        """Sync and compare; False where an error tells a person what to do, which ends the history."""
        try:
            before, modes = self.files(), self.modes()
        except GitError:
            assert "symbolic link" in self.run(approve).error
            return False
        said: list[str] = []
        if killed:
            chosen = self.chance.randrange(2**20)
            first = self.run(approve, lambda number: bool(chosen >> number % 20 & 1))
            said = [] if first.error else first.conflicts
            happened["killed"] += 1
        done = self.run(approve)
        done.conflicts = [*said, *(one for one in done.conflicts if one not in said)]
        happened["syncs"] += 1
        if done.error:
            happened["errors"] += 1
            assert (
                any(one in done.error for one in TOLD) or ".yaml" in done.error or "Kptfile" in done.error
            ), done.error
            assert self.files() == before
            return False
        now, fresh = self.files(), self.fresh()
        happened["conflicts"] += len(done.conflicts)
        assert unsaid(self.clean, before, now, done.conflicts) == [], (self.story, done.conflicts)
        again = came_back(self.clean, before, now, done.conflicts)
        assert [line for line in again if line not in MADE] == [], (self.story, done.conflicts)
        if done.stuck:
            assert now == before
            happened["left alone"] += 1
            return True
        self.told += done.conflicts
        if not self.told:
            made = untouched(self.base, self.clean, before, fresh, now)
            made = [line for line in made if line not in MADE and not line.startswith("commit: ")]
            assert made == [], (self.story, made)
        assert self.modes() & {*before} == modes & {*now}, (self.story, self.modes(), modes)
        refs = dict(self.down.refs)
        assert not self.run(approve).actions and self.down.refs == refs, self.story
        self.clean, self.base = now, fresh
        return True

    def live(self) -> None:
        for _ in range(self.chance.randrange(3, 8)):
            event = self.chance.choice(EVENTS)
            self.story.append(event)
            if event in ("edit", "amend"):
                self.edit(event == "amend")
            elif event == "squash":
                self.squash()
            elif event == "release":
                self.release(self.version + 1)
            elif event == "publish":
                self.publish()
            elif event == "main":
                self.in_main()
            elif event == "other fleet":
                self.other()
            elif event in ("mode", "rewritten", "untag"):
                getattr(self, event)()
                if self.story[-1] == "link":
                    break  # the package cannot be read until the link goes
            if event in ("sync", "release", "publish", "killed"):
                approve = self.chance.choice(["never", "never", "ready", "auto"])
                if not self.sync(approve, killed=event == "killed"):
                    return
        self.sync("never")


def tried(numbers: range) -> None:
    for number in numbers:
        history = History(number)
        try:
            history.live()
        except AssertionError as error:
            raise AssertionError(
                f"history {SEED}-{number} ({history.steps}): {history.story}: {error}"
            ) from error


@pytest.mark.parametrize("part", range(8))
def test_histories(part: int) -> None:
    """Every line of a person is there or named; every other line is what a fresh generation has; a second sync does nothing."""
    tried(range(part, HISTORIES, 8))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_many_histories(part: int) -> None:
    """The same for the rest of the first 200; KRMKIT_MANY_BRANCHES names how many others, 2,000 for a night."""
    tried(range(HISTORIES + part, 200, 20))
    tried(range(10_000 + part, 10_000 + MANY + part, 20) if MANY else range(0))


def test_the_model_sees_a_loss() -> None:
    """A line that is gone without a word, one that came back, and one that nobody wrote."""
    before, after = {"a.yaml": "a: 1\nb: 1\n"}, {"a.yaml": "a: 1 # mine\n"}

    assert written(before, after) == Counter(["a: 1 # mine"])
    assert unsaid(before, after, before, []) == ["a: 1 # mine"]
    assert unsaid(before, after, before, ["a.yaml:1:1: the comment '# mine' is lost: a: 1 # mine"]) == []
    assert sorted(came_back(before, after, before, [])) == ["a: 1", "b: 1"]
    assert untouched(before, before, after, before, {"a.yaml": "a: 1 # mine\nc: 1\n"}) == ["c: 1"]
    assert lines_of(after) == Counter(["a: 1 # mine"])
