"""Each edit that people make in a branch is there after a sync, or named in a conflict; all else is what a fresh clone has."""

from __future__ import annotations

import os

import pytest

from krmkit.fleet.sync.outcome import SyncOutcome
from tests.e2e.branchmodel import came_back, unsaid, untouched
from tests.e2e.personedits import EDITS, MADE, STEPS, Files, upstream
from tests.unit.fleet.sync.memorygit import Fleet, MemoryRepository, outcome_of

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


class Branch:
    """A package `x` that people edit, and `y`, which nobody does."""

    def __init__(self, steps: str) -> None:
        self.steps, self.version = steps, 1
        self.up, self.down = MemoryRepository(), MemoryRepository()
        self.fleet = Fleet({"up": self.up, "down": self.down}, objects=OBJECTS)
        self.release(1)

    def release(self, version: int) -> None:
        self.up.commit("refs/heads/main", "web", upstream(self.steps, version))
        self.version = version
        self.up.refs[f"refs/tags/web/v{version}"] = self.up.refs["refs/heads/main"]

    def sync(self, approve: str = "never") -> SyncOutcome:
        text = "".join(VARIANT.format(name=name, revision=self.version) for name in ("x", "y"))
        done = outcome_of(self.fleet.sync({"fleet.yaml": text}, approve=approve), "default/x")
        assert not done.error, done.error
        return done

    def ref(self, name: str = "x") -> str:
        drafts = [ref for ref in self.down.refs if ref.startswith(f"refs/heads/drafts/{name}/")]
        return drafts[-1] if drafts else sorted(ref for ref in self.down.refs if f"tags/{name}/v" in ref)[-1]

    def files(self, name: str = "x") -> Files:
        """The package, without what is about its name and its upstream."""
        found = self.down.files(self.ref(name), name)
        found.pop("package-context.yaml", None)
        return found

    def fresh(self) -> Files:
        """What a clone that nobody edits is now."""
        return {path: text.replace("  name: y\n", "  name: x\n") for path, text in self.files("y").items()}


def cases() -> list[tuple[str, str, bool]]:
    """Each edit under one pipeline, in turns; with KRMKIT_EDITS=all under each of them, in a draft and published."""
    every = [(name, steps, published) for name in EDITS for steps in STEPS for published in (False, True)]
    some = len(STEPS) * 2
    return (
        every
        if os.environ.get("KRMKIT_EDITS") == "all"
        else [every[some * number + number % some] for number in range(len(EDITS))]
    )


@pytest.mark.parametrize(("name", "steps", "published"), cases())
def test_an_edit(name: str, steps: str, published: bool) -> None:
    """In a draft and in a published version, with the same upstream and with the next one."""
    branch = Branch(steps)
    branch.sync(approve="auto" if published else "never")
    before, fresh = branch.files(), branch.fresh()
    edited = branch.down.files(branch.ref(), "x")
    EDITS[name](edited)
    context = edited.pop("package-context.yaml")
    branch.down.refs["refs/heads/work"] = branch.down.refs[branch.ref()]
    branch.down.commit("refs/heads/work", "x", {**edited, "package-context.yaml": context})
    place = "refs/tags/x/v2" if published else branch.ref()
    branch.down.refs[place] = branch.down.refs.pop("refs/heads/work")
    for version in (1, 2):
        if version > 1:
            branch.release(version)
        done = branch.sync()
        now = branch.files()
        assert unsaid(before, edited, now, done.conflicts) == []
        assert [line for line in came_back(before, edited, now, done.conflicts) if line not in MADE] == []
        if not done.conflicts:
            made = untouched(fresh, before, edited, branch.fresh(), now)
            assert [line for line in made if line not in MADE] == []
        assert not branch.sync().actions
